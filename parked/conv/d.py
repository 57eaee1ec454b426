import sys,time
from pathlib import Path
from aclspec.codegen.load import load_project
from aclspec.codegen.derive.cases import derive_cases
p=load_project(Path('/tmp/work_conv/specs'))
names=[a for a in sys.argv[1:] if a.startswith('aclnn')]; name=names[0] if names else 'aclnnConvolutionBackward'
o=next(o for o in p.operators if o.info.name==name)
t=time.time()
import cProfile,pstats
pr=cProfile.Profile() if '-p' in sys.argv else None
if pr: pr.enable()
c=derive_cases(o.info)
if pr: pr.disable(); pstats.Stats(pr).sort_stats('cumtime').print_stats(40)
print('time',time.time()-t)
for k,v in c.suite.groups.items(): print(k,len(v))
for q in c.problems: print('PROBLEM',q.rule,q.message)
for r,cells in c.gaps.items(): print('GAP',r,[(x.product,x.mode[:3]) for x in cells])
