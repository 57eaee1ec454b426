"""One-off: writes 002.yaml from a compact table (id | place en | place zh | says en | says zh [| note/waiver])."""
import json
def y(s):
    # quote when YAML flow needs it
    return json.dumps(s, ensure_ascii=False) if any(c in s for c in ',:[]{}#"\'') or s.strip()!=s else s
P1=("Phase one, {}","第一段接口，{}")
out=[]
def section(t): out.append(f"\n  # {t}")
def c(id,pe,pz,se,sz,note=None,waiver=None):
    out.append(f"  - id: 002.{id}")
    out.append(f"    place: {{en: {y(pe)}, zh: {y(pz)}}}")
    if len(se)+len(sz)*2<90 and '"' not in se:
        out.append(f"    says: {{en: {y(se)}, zh: {y(sz)}}}")
    else:
        out.append("    says:"); out.append(f"      en: {y(se)}"); out.append(f"      zh: {y(sz)}")
    for k,v in (("note",note),("waiver",waiver)):
        if v:
            out.append(f"    {k}:"); out.append(f"      en: {y(v[0])}"); out.append(f"      zh: {y(v[1])}")
def p(name,n,se,sz,note=None,waiver=None):
    c(f"param.{name}.{n}",f"Phase one, {name}",f"第一段接口，{name}",se,sz,note,waiver)
out.append("  # Products, interface and function")
c("products.1","Products","支持的产品型号","The Atlas inference series is supported.","支持 Atlas 推理系列产品。")
c("products.2","Products","支持的产品型号","The Atlas training series is supported.","支持 Atlas 训练系列产品。")
c("products.3","Products","支持的产品型号","The Atlas A2 training series and Atlas 800I A2 inference are supported.","支持 Atlas A2 训练系列产品与 Atlas 800I A2 推理产品。")
c("interface.1","Interface prototypes","接口原型","A call takes two phases, the workspace query first and the execution after it.","调用分两段：先查询 workspace，再执行计算。")
c("interface.2","Interface prototypes, phase one","接口原型，第一段接口","Phase one takes three tensors, the attributes from biasSizes to cubeMathType, the three gradients and the two pointers it fills, in the order of the parameter list.","第一段接口依次接收三个张量、自 biasSizes 至 cubeMathType 的各属性、三个梯度，以及由其填写的两个指针。")
c("interface.3","Interface prototypes, phase two","接口原型，第二段接口","Phase two takes the workspace, its size, the executor and the stream, in this order.","第二段接口依次接收 workspace、其大小、执行器与流。",
  ("The document declares the stream const; on a value that says nothing, and the prototype leaves it out.","原文将流声明为 const；按值传递时无意义，原型从略。"))
c("function.1","Function","功能描述","The operator is the backward pass of convolution.","该算子为卷积的反向计算。")
c("function.2","Function","功能描述","Which of the gradients of the input, the weight and the bias are computed is what the output mask says.","输入、权重、偏置的梯度中计算哪些，由输出掩码决定。")
c("function.3","Function","功能描述","Convolutions over one, two and three axes are supported.","支持一维、二维与三维卷积。")
c("function.4","Function, formulas","功能描述，计算公式","It takes the gradients with respect to the forward convolution's input, its weight and its bias.","分别求对正向卷积的输入、权重与偏置的梯度。",
  ("All formulas were lost in the conversion of the document; the ones of the spec are our own.","公式在原文转换时全部丢失，规格中的公式为自行推导。"))
c("function.5","Function, first formula","功能描述，第一个公式","The gradient of the input follows from a formula of its own.","输入的梯度由一个公式给出。",
  ("The newer documentation has a formula that holds only for stride 1, dilation 1, no padding and one group.","新版文档中的公式仅在步长为 1、膨胀为 1、无填充且不分组时成立。"))
c("function.6","Function, first formula","功能描述，第一个公式","The formula starts from the loss and its gradient with respect to the output of the convolution.","公式以损失及其对卷积输出的梯度为起点。")
c("function.7","Function, second formula","功能描述，第二个公式","The gradient of the weight follows from a formula of its own.","权重的梯度由一个公式给出。",
  ("The formula of the newer documentation leaves out dilation and padding.","新版文档中的公式未计入膨胀与填充。"))
c("function.8","Function, third formula","功能描述，第三个公式","The gradient of the bias follows from a formula of its own.","偏置的梯度由一个公式给出。")
section("Phase one, tensors")
T={"gradOutput":("the gradient that comes back from the output of the convolution","从卷积输出端传回的梯度","input and weight","input、weight"),
   "input":("what the forward convolution was given","正向卷积的输入","gradOutput and weight","gradOutput、weight"),
   "weight":("the kernel of the convolution","卷积核","gradOutput and input","gradOutput、input")}
for n,(en,zh,oe,oz) in T.items():
    p(n,1,f"{n} is an input tensor, {en}.",f"{n} 为输入张量，即{zh}。")
    p(n,2,f"The shape of {n} does not broadcast.",f"{n} 的形状不做广播。")
    p(n,3,f"The shape of {n} has to fit {oe} as the input, the kernel and the output of a convolution fit.",f"{n} 的形状须与 {oz} 满足卷积的输入输出形状关系。")
    p(n,4,f"{n} is FLOAT or FLOAT16, and on Atlas A2 also BF16.",f"{n} 可为 FLOAT 或 FLOAT16，Atlas A2 上还可为 BF16。")
    p(n,5,f"The dtype of {n} has to promote with those of {oe}.",f"{n} 的数据类型须能与 {oz} 做类型推导。",
      ("Every two of the three legal dtypes promote, so that the rules of the dtypes carry this.","三种合法的数据类型两两均可推导，故由数据类型规则承担。"))
    p(n,6,f"{n} may be non-contiguous.",f"{n} 可以不连续。",("The word was lost in the conversion of the document.","该词在原文转换时丢失。"))
    p(n,7,f"The format of {n} is NCL, NCHW or NCDHW.",f"{n} 的格式为 NCL、NCHW 或 NCDHW。")
    p(n,8,f"The format of {n} agrees with {oe}.",f"{n} 的格式与 {oz} 一致。",("The format follows from the number of dimensions, so that ranks that agree carry this.","格式由维数决定，故维数一致即格式一致。"))
    if n=="gradOutput":
        p(n,9,"gradOutput may not be empty.","gradOutput 不可为空张量。",("It has no elements where input has no samples; the library lets that pass on an empty input and so does the spec.","input 无样本时 gradOutput 必为空；input 为空时库对此放行，规格从之。"))
        p(n,10,"On Atlas A2, without transposed, every size of gradOutput is from 1 to 2147483646.","Atlas A2 上非转置时，gradOutput 各维大小在 1 至 2147483646 之间。")
    if n=="input":
        p(n,9,"input may be empty, but only by having no samples or no channels.","input 可为空张量，但只能是样本数或通道数为 0。")
        p(n,10,"On Atlas A2, without transposed, every size of input is from 1 to 2147483646.","Atlas A2 上非转置时，input 各维大小在 1 至 2147483646 之间。",("The document allows 0 for samples and channels in the sentence before.","前一句允许样本数或通道数为 0。"))
    if n=="weight":
        p(n,9,"On Atlas A2, without transposed, in two and three dimensions H and W of weight are from 1 to 255.","Atlas A2 上二维与三维非转置时，weight 的 H、W 在 1 至 255 之间。")
        p(n,10,"On Atlas A2, without transposed, in two and three dimensions every other size of weight is from 1 to 2147483646.","Atlas A2 上二维与三维非转置时，weight 其余各维大小在 1 至 2147483646 之间。")
        p(n,11,"On Atlas A2, without transposed, in one dimension L of weight is from 1 to 255.","Atlas A2 上一维非转置时，weight 的 L 在 1 至 255 之间。")
        p(n,12,"On Atlas A2, without transposed, in one dimension every other size of weight is from 1 to 2147483646.","Atlas A2 上一维非转置时，weight 其余各维大小在 1 至 2147483646 之间。")
        p(n,13,"weight may not be empty.","weight 不可为空张量。",("It has no elements where input has no channels; the library lets that pass on an empty input and so does the spec.","input 无通道时 weight 必为空；input 为空时库对此放行，规格从之。"))
section("Phase one, attributes")
p("biasSizes",1,"biasSizes is an input array of int64, the shape of the forward convolution's bias.","biasSizes 为 int64 输入数组，即正向卷积偏置的形状。")
p("biasSizes",2,"biasSizes has one element.","biasSizes 的长度为 1。")
p("biasSizes",3,"Without transposed its value is the size of axis 0 of weight.","非转置时其值为 weight 第 0 轴的大小。")
p("biasSizes",4,"With transposed its value is the size of axis 1 of weight times groups.","转置时其值为 weight 第 1 轴的大小乘以 groups。")
p("biasSizes",5,"With an empty tensor and the gradient of the bias wanted, biasSizes may not be null.","存在空张量且需计算偏置的梯度时，biasSizes 不可为空指针。")
p("stride",1,"stride is an input array of int64, the steps of the kernel over the input.","stride 为 int64 输入数组，即卷积核在输入上移动的步长。")
p("stride",2,"stride has two elements fewer than weight has dimensions.","stride 的长度比 weight 的维数少 2。")
p("stride",3,"Every stride is above 0.","每个步长均大于 0。")
p("stride",4,"On Atlas A2, without transposed, in three dimensions the stride of D is from 1 to 2147483646.","Atlas A2 上三维非转置时，D 轴步长在 1 至 2147483646 之间。")
p("stride",5,"On Atlas A2, without transposed, in three dimensions the strides of H and W are from 1 to 63.","Atlas A2 上三维非转置时，H、W 轴步长在 1 至 63 之间。")
p("stride",6,"On Atlas A2, without transposed, in one and two dimensions every stride is from 1 to 2147483646.","Atlas A2 上一维与二维非转置时，各步长在 1 至 2147483646 之间。")
p("padding",1,"padding is an input array of int64, what is padded around the input.","padding 为 int64 输入数组，即对输入的填充。")
p("padding",2,"padding may have two elements fewer than weight has dimensions.","padding 的长度可比 weight 的维数少 2。")
p("padding",3,"In two dimensions padding may also have four elements.","二维时 padding 的长度也可为 4。")
p("padding",4,"No padding is below 0.","填充均不小于 0。")
p("padding",5,"On Atlas A2, without transposed, in three dimensions the padding of D is from 0 to 2147483646.","Atlas A2 上三维非转置时，D 轴填充在 0 至 2147483646 之间。")
p("padding",6,"On Atlas A2, without transposed, in three dimensions the paddings of H and W are from 0 to 255.","Atlas A2 上三维非转置时，H、W 轴填充在 0 至 255 之间。")
p("padding",7,"On Atlas A2, without transposed, in one and two dimensions every padding is from 0 to 255.","Atlas A2 上一维与二维非转置时，各填充在 0 至 255 之间。")
p("dilation",1,"dilation is an input array of int64, the distances between the cells of the kernel.","dilation 为 int64 输入数组，即卷积核元素之间的间距。")
p("dilation",2,"dilation has two elements fewer than weight has dimensions.","dilation 的长度比 weight 的维数少 2。")
p("dilation",3,"Every dilation is above 0.","每个膨胀均大于 0。")
p("dilation",4,"On Atlas A2, without transposed, every dilation is from 1 to 255.","Atlas A2 上非转置时，各膨胀在 1 至 255 之间。")
p("transposed",1,"transposed is an input flag.","transposed 为输入标志。")
p("transposed",2,"With transposed true the convolution is a transposed one.","transposed 为 true 时为转置卷积。")
p("outputPadding",1,"outputPadding is an input array of int64, what is added to the output.","outputPadding 为 int64 输入数组，即对输出的填充。")
p("outputPadding",2,"outputPadding has an effect only with transposed.","outputPadding 仅在转置时起作用。",("The library refuses one that is not zero without transposed, and so does the spec.","非转置时库拒绝非零值，规格从之。"))
p("outputPadding",3,"outputPadding has two elements fewer than weight has dimensions.","outputPadding 的长度比 weight 的维数少 2。")
p("outputPadding",4,"No output padding is below 0.","输出填充均不小于 0。")
p("groups",1,"groups is an input number of type int, into how many groups the input channels fall.","groups 为 int 类型输入，即输入通道的分组数。")
p("groups",2,"groups is above 0.","groups 大于 0。")
p("groups",3,"groups times the channels of weight is the channels of input.","groups 与 weight 通道数之积等于 input 的通道数。")
p("groups",4,"With a BF16 input and without transposed, a three-dimensional depthwise convolution may have more than one group, as many as gradOutput and gradInput have channels.","input 为 BF16 且非转置时，三维逐通道卷积可分多组，组数等于 gradOutput 与 gradInput 的通道数。")
p("groups",5,"On Atlas A2, without transposed, groups is from 1 to 65535.","Atlas A2 上非转置时，groups 在 1 至 65535 之间。")
p("outputMask",1,"outputMask is an input array of flags for the gradients of input, weight and bias.","outputMask 为输入标志数组，对应 input、weight 与偏置的梯度。")
p("outputMask",2,"A gradient is answered where its flag is true.","标志为 true 的梯度才会计算。")
p("cubeMathType",1,"cubeMathType is an input number of type INT8, one of four values that say how the cube unit computes.","cubeMathType 为 INT8 类型输入，取四个值之一，决定 Cube 单元的计算方式。")
p("cubeMathType",2,"With 0 the cube unit computes in the dtype of the inputs.","取 0 时以输入的数据类型计算。")
p("cubeMathType",3,"With 0 the Atlas training series refuses BF16 and FLOAT inputs.","取 0 时，Atlas 训练系列产品对 BF16 与 FLOAT 输入报错。")
p("cubeMathType",4,"With 1 the cube unit may lower the precision of the inputs.","取 1 时允许降低输入的精度。")
p("cubeMathType",5,"With 1 the Atlas training series turns FLOAT inputs into FLOAT16.","取 1 时，Atlas 训练系列产品将 FLOAT 输入转换为 FLOAT16。")
p("cubeMathType",6,"With 1 Atlas A2 turns FLOAT inputs into HFLOAT32.","取 1 时，Atlas A2 将 FLOAT 输入转换为 HFLOAT32。")
p("cubeMathType",7,"With 1 the Atlas training series refuses BF16 inputs.","取 1 时，Atlas 训练系列产品对 BF16 输入报错。")
p("cubeMathType",8,"With 1 Atlas A2 keeps computing in BF16 for BF16 inputs.","取 1 时，Atlas A2 对 BF16 输入仍以 BF16 计算。")
p("cubeMathType",9,"With 2 the cube unit may turn the inputs into FLOAT16.","取 2 时允许将输入转换为 FLOAT16。")
p("cubeMathType",10,"With 2 FLOAT inputs are turned into FLOAT16.","取 2 时，FLOAT 输入转换为 FLOAT16。")
p("cubeMathType",11,"With 2 the Atlas training series does not support BF16 inputs.","取 2 时，Atlas 训练系列产品不支持 BF16 输入。")
p("cubeMathType",12,"With 2 Atlas A2 turns BF16 inputs into FLOAT16.","取 2 时，Atlas A2 将 BF16 输入转换为 FLOAT16。",("The newer documentation calls this unsupported; the library does what the original says.","新版文档称不支持；库的行为与原文一致。"))
p("cubeMathType",13,"With 3 the cube unit may turn the inputs into HFLOAT32.","取 3 时允许将输入转换为 HFLOAT32。")
p("cubeMathType",14,"With 3 the Atlas training series refuses FLOAT inputs.","取 3 时，Atlas 训练系列产品对 FLOAT 输入报错。")
p("cubeMathType",15,"With 3 Atlas A2 turns FLOAT inputs into HFLOAT32.","取 3 时，Atlas A2 将 FLOAT 输入转换为 HFLOAT32。")
p("cubeMathType",16,"With 3 the Atlas training series refuses BF16 inputs.","取 3 时，Atlas 训练系列产品对 BF16 输入报错。")
p("cubeMathType",17,"With 3 Atlas A2 keeps computing in BF16 for BF16 inputs.","取 3 时，Atlas A2 对 BF16 输入仍以 BF16 计算。")
section("Phase one, outputs")
O={"gradInput":("input","input"),"gradWeight":("weight","weight")}
for n,(e,z) in O.items():
    p(n,1,f"{n} is an output tensor, the gradient with respect to {e}.",f"{n} 为输出张量，即对 {z} 的梯度。")
    p(n,2,f"{n} is FLOAT or FLOAT16, and on Atlas A2 also BF16.",f"{n} 可为 FLOAT 或 FLOAT16，Atlas A2 上还可为 BF16。")
    p(n,3,f"{n} has the more precise dtype of {e} and gradOutput.",f"{n} 的数据类型与 {z}、gradOutput 中精度较高者一致。",
      ("The newer documentation and Ascend 950 want the dtype of "+e+"; the library elsewhere takes any.","新版文档与 Ascend 950 要求与 "+z+" 一致；库在其他产品上不限。"))
    p(n,4,f"The format of {n} is NCL, NCHW or NCDHW.",f"{n} 的格式为 NCL、NCHW 或 NCDHW。")
    p(n,5,f"The format of {n} agrees with input.",f"{n} 的格式与 input 一致。")
p("gradBias",1,"gradBias is an output tensor, the gradient with respect to the bias.","gradBias 为输出张量，即对偏置的梯度。")
p("gradBias",2,"gradBias is FLOAT or FLOAT16, and on Atlas A2 also BF16.","gradBias 可为 FLOAT 或 FLOAT16，Atlas A2 上还可为 BF16。")
p("gradBias",3,"gradBias has the dtype of gradOutput.","gradBias 与 gradOutput 数据类型一致。")
p("gradBias",4,"The format of gradBias is ND.","gradBias 的格式为 ND。")
p("workspaceSize",1,"Phase one answers how many bytes of workspace the caller has to allocate on the device.","第一段接口返回调用者须在设备侧申请的 workspace 字节数。")
p("executor",1,"Phase one answers an executor that holds the computation to run.","第一段接口返回记录了计算流程的执行器。")
section("Phase one, return value")
c("return.1","Phase one, return value","第一段接口，返回值","Phase one returns a status code.","第一段接口返回状态码。")
c("return.2","Phase one, return value, list of errors","第一段接口，返回值，错误列表","A list says which arguments are errors of which status.","以列表说明何种入参对应何种错误码。",
  ("The list was lost in the conversion of the document; the newer documentation stands in for it: a null pointer is 161001, and 161002 all else that is not legal.","列表在原文转换时丢失，以新版文档代之：空指针为 161001，其余不合法情形为 161002。"))
section("Phase two")
c("phase2.1","Phase two, workspace","第二段接口，workspace","workspace is the address of the memory allocated on the device.","workspace 为在设备侧申请的内存的地址。")
c("phase2.2","Phase two, workspaceSize","第二段接口，workspaceSize","workspaceSize is the size that phase one answered.","workspaceSize 即第一段接口返回的大小。")
c("phase2.3","Phase two, executor","第二段接口，executor","executor holds the computation and comes from phase one.","executor 记录计算流程，来自第一段接口。")
c("phase2.4","Phase two, stream","第二段接口，stream","stream is the stream on which the work runs.","stream 为执行任务的流。")
c("phase2.5","Phase two, return value","第二段接口，返回值","Phase two returns a status code.","第二段接口返回状态码。")
section("Constraints and the sample call")
c("constraints.1","Constraints","约束与限制","The Atlas inference series supports one and two dimensions, and not three.","Atlas 推理系列产品支持一维与二维，不支持三维。")
c("constraints.2","Constraints","约束与限制","The Atlas training series supports one and two dimensions, and not three.","Atlas 训练系列产品支持一维与二维，不支持三维。")
c("constraints.3","Constraints","约束与限制","Some combinations of parameters fail for lack of hardware resources, and the log tells why.","部分参数组合因硬件资源不足而失败，日志会说明原因。",
  None,("The document does not say which combinations; no argument can be checked against it, and the reference has no such limits.","原文未说明是哪些组合，无从据此检查入参；参考实现亦无此类限制。"))
c("example.1","Sample call","调用示例","A sample call shows the use of the two phases.","以示例说明两段接口的用法。",
  ("The sample was lost in the conversion of the document; the one of the newer documentation stands in for it.","示例在原文转换时丢失，以新版文档的示例代之。"))
head='''# The requirements of document 002, one clause each, in our own words. Which rule, field, formula, product or example
# carries a clause stands beside that carrier in the spec; `aclspec trace` proves that none is left over.
document: "002"
file: 002_89c408470a894791.txt
operator: aclnnConvolutionBackward
title: {en: "aclnnConvolutionBackward, the backward pass of convolution", zh: aclnnConvolutionBackward：卷积的反向计算}

clauses:
'''
open('/tmp/work_conv/specs/clauses/002.yaml','w').write(head+"\n".join(out)+"\n")
