import numpy as np
from aclspec.runtime.kernels.convolution import convolution_backward
from aclspec.runtime.dtypes import DType
P={"operand":DType.FLOAT,"accumulate":DType.FLOAT}
for (g,x,w,G,T) in [((1,3,4),(1,4,4),(3,2,1),2,False),((1,3,4),(1,8,4),(3,2,1),4,False),((1,8,4),(1,3,4),(3,2,1),4,True),((1,4,4),(1,3,4),(3,2,1),2,True)]:
    o=[np.full(s,77,np.float32) for s in (x,w,(g[1],))]
    convolution_backward(np.ones(g,'f'),np.ones(x,'f'),np.ones(w,'f'),None,(1,),(0,),(1,),T,(0,),G,(1,1,1),0,*o,P)
    print(o[0][0,:,0],o[1][:,0,0],o[2])
