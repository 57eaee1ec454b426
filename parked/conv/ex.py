import sys; sys.path.insert(0,'/work/main')
import numpy as np
from tests.support.convolving import Case, backward
def show(case, seed=None, ones=True, ints=(3,)):
    rng=np.random.default_rng(0)
    def a(shape):
        n=int(np.prod(shape))
        return np.ones(shape) if ones else (np.arange(n)%ints[0]-1.0).reshape(shape)
    g,x,w=a(case.output),a(case.input),a(case.weight)
    gi,gw,gb=backward(case,g,x,w)
    f=lambda v:[int(t) if t==int(t) else float(t) for t in v.ravel()]
    print(case.output); print('gO',f(g)); print(' x',f(x)); print(' w',f(w)); print('gi',gi.shape,f(gi)); print('gw',gw.shape,f(gw)); print('gb',f(gb))
# grouped, four-sided
show(Case((1,2,3,2),(2,1,2,2),(1,1),(1,0,0,1),(1,1),groups=2),ones=False,ints=(4,))
# transposed
show(Case((1,2,2),(2,1,3),(2,),(1,),(1,),True,(1,),1),ones=False,ints=(4,))
# 3-D padded dilated
show(Case((1,1,3,2,2),(1,1,2,2,1),(1,1,1),(1,1,1),(2,1,1)))
print('----')
show(Case((1,1,1,2,2),(1,1,2,2,1),(1,1,1),(1,1,1),(1,2,1)))
