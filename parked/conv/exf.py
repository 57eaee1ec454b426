import sys; sys.path.insert(0,'/work/main')
import numpy as np
from tests.support.convolving import Case, forward
def out(case, ones=False, bias=None):
    def a(shape):
        n=int(np.prod(shape)); return np.ones(shape) if ones else (np.arange(n)%4-1.0).reshape(shape)
    y=forward(case,a(case.input),a(case.weight),bias)
    return str([int(t) for t in y.ravel()])
p='/tmp/work_conv/fwd/convolution.yaml'; s=open(p).read()
s=s.replace("OUTONES",out(Case((2,2,3,3),(2,2,1,1),(1,1),(0,0),(1,1)),True,np.array([0,10.])))
s=s.replace("OUTFOUR",out(Case((1,2,3,2),(2,1,2,2),(1,1),(1,0,0,1),(1,1),groups=2)))
s=s.replace("OUTT",out(Case((1,2,2),(2,1,3),(2,),(1,),(1,),True,(1,),1)))
s=s.replace("OUT3",out(Case((1,2,1,2,2),(2,1,2,2,1),(1,1,1),(1,1,1),(1,2,1),groups=2),True))
open(p,'w').write(s)
