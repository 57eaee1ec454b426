import sys
from pathlib import Path
from aclspec.codegen.load import load_project
from aclspec.runtime.predicate.sentences import requirement
p=load_project(Path('/tmp/work_conv/tree/specs'))
o=next(o for o in p.operators if o.info.name==(sys.argv[1] if len(sys.argv)>1 else 'aclnnConvolutionBackward'))
for r in o.info.rules:
    if r.kind in('rule','shortcut','rank','dtype'):
        print(r.id); print('   ',requirement(o.info,r,'en')); print('   ',requirement(o.info,r,'zh'))
