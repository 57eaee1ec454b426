import sys,time
from pathlib import Path
from aclspec.codegen.load import load_project
from aclspec.codegen.findings import *
t=time.time()
try:
    p=load_project(Path('/tmp/work_conv/specs'))
    print('ok',time.time()-t,[o.info.name for o in p.operators])
except Exception as e:
    print(type(e)); print(str(e)[:6000])
