import sys,time
from pathlib import Path
from aclspec.codegen.load import load_project
from aclspec.codegen.derive.deriver import Deriver
from aclspec.codegen.derive.violations import _Rule, Violations
p=load_project(Path('/tmp/work_conv/specs'))
o=next(o for o in p.operators if o.info.name==sys.argv[1])
d=Deriver(o.info)
print(len(d.seeds), len(d.valid))
for r in sys.argv[2:]:
    t=time.time(); v=Violations(); _Rule(d,o.info.rule(r)).into(v)
    print(r,time.time()-t,len(v.samples),v.gaps,v.problems)
    for s in v.samples[:3]: print('   ',s.call)
