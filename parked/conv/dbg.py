import sys
from pathlib import Path
from itertools import islice
from aclspec.codegen.load import load_project
from aclspec.codegen.derive.deriver import Deriver
p=load_project(Path('/tmp/work_conv/specs'))
o=next(o for o in p.operators if o.info.name=='aclnnConvolutionBackward')
d=Deriver(o.info)
cell=next(c for c in d.cells if c.product=='atlas_a2' and c.mode=='document')
seed=[c for c in d.seeds if len(c[0].shape)==5 and c[0].dtype=='BF16'][0]
m=d.solver.moves(cell)
r=o.info.rule('largest-size-weight')
for mv in islice(m.truth(r.require,False,seed),16): print(mv[2].shape, d.verdict(mv,cell).failing)
import dataclasses
mv=list(seed); mv[2]=seed[2].reshaped((1,1,2147483647,2,1)); mv=tuple(mv)
print('W',d.verdict(mv,cell).failing)
q=o.info.rule('output-size')
for nn in islice(m.truth(q.require,True,mv),16):
    print('  ',nn[0].shape,nn[1].shape,nn[2].shape,nn[4:7],d.verdict(nn,cell).failing)
    for k in m.inferred(nn): print('      inf',d.verdict(k,cell).failing)
