"""One-off writer of specs/clauses/000.yaml, so that quoting is right and uniform."""
import sys
PH1 = ("Phase one, {}", "第一段接口，{}")
out = []
w = out.append
w('''# The requirements of document 000, one clause each, in our own words. Which rule, field, formula, product or example
# carries a clause stands beside that carrier in the spec; `aclspec trace` proves that none is left over.
document: "000"
file: 000_b042c7c8f65d0563.txt
operator: aclnnAvgPool2dBackward
title: {en: "aclnnAvgPool2dBackward, the backward pass of two-dimensional average pooling", zh: aclnnAvgPool2dBackward：二维平均池化的反向计算}

clauses:''')

def q(s):
    need = any(c in s for c in ',:#[]{}"\'') or s[0] in "&*!|>%@`-?" 
    # only ASCII specials matter
    if not need: return s
    return '"' + s.replace('"', '\\"') + '"'

def text(key, en, zh, indent=4):
    pad = " " * indent
    one = f"{pad}{key}: {{en: {q(en)}, zh: {q(zh)}}}"
    if len(en) <= 64 and len(one) <= 118 and len(zh) <= 40:
        w(one)
    else:
        w(f"{pad}{key}:")
        w(f"{pad}  en: {q(en) if not (': ' in en or en.startswith(chr(34)) or ' #' in en or ',' in en) else q(en)}")
        w(f"{pad}  zh: {q(zh) if (': ' in zh or ' #' in zh or zh[0] in '[{') else zh}")

def head(s):
    w("")
    w(f"  # {s}")

def c(id, place, en, zh, note=None, waiver=None):
    w(f"  - id: 000.{id}")
    text("place", *place)
    text("says", en, zh)
    if note: text("note", *note)
    if waiver: text("waiver", *waiver)

def p1(name): return (f"Phase one, {name}", f"第一段接口，{name}")

w("  # Products, interface and function")
PR = ("Products", "支持的产品型号")
c("products.1", PR, "The Atlas inference series is supported.", "支持 Atlas 推理系列产品。")
c("products.2", PR, "The Atlas training series is supported.", "支持 Atlas 训练系列产品。")
c("products.3", PR, "The Atlas A2 training series and Atlas 800I A2 inference are supported.", "支持 Atlas A2 训练系列产品与 Atlas 800I A2 推理产品。")
c("interface.1", ("Interface prototypes", "接口原型"), "A call takes two phases, the workspace query first and the execution after it.", "调用分两段：先查询 workspace，再执行计算。")
c("interface.2", ("Interface prototypes, phase one", "接口原型，第一段接口"),
  "Phase one takes gradOutput and self, the seven attributes from kernelSize to cubeMathType, the output gradInput and the two pointers it fills, in the order of the parameter list.",
  "第一段接口依次接收 gradOutput、self，从 kernelSize 到 cubeMathType 的七个属性，输出 gradInput，以及由其填写的两个指针。")
c("interface.3", ("Interface prototypes, phase two", "接口原型，第二段接口"), "Phase two takes the workspace, its size, the executor and the stream, in this order.", "第二段接口依次接收 workspace、其大小、执行器与流。")
c("function.1", ("Function", "功能描述"), "The operator is the backward pass of two-dimensional average pooling and computes the gradient of its input.", "该算子为二维平均池化的反向计算，求正向输入的梯度。")
c("function.2", ("Function, formula", "功能描述，计算公式"), "An element of the gradient of the input is the sum of gradients of the output over the windows that the element is in, divided by the size of the window.",
  "输入梯度的每个元素，是其所在各窗口的输出梯度之和除以窗口大小。",
  note=("The formula as printed is wrong: one of its two indices is bound by no sum, it multiplies by the stride where it should divide, and it knows neither padding nor the flags. The spec states the gradient of the forward definition.",
        "原文公式有误：两个下标之一未被求和约束，本应除以步长处却相乘，且未涉及填充与各标志。规格采用由正向定义导出的梯度。"))
c("function.3", ("Function, symbols", "功能描述，符号说明"), "L is the loss, and the brackets in the indices round.", "L 为损失函数，下标中的括号表示取整。",
  note=("The document says that the brackets round up; as printed they round down. The spec's windows need neither.", "原文称该括号为向上取整，而其写法为向下取整；规格以窗口表述，二者皆不需要。"))
c("function.4", ("Function, symbols", "功能描述，符号说明"), "X with two indices is the element of the input in that row and that column.", "带两个下标的 X 为输入特征图中该行该列的元素。")
c("function.5", ("Function, symbols", "功能描述，符号说明"), "Y with two indices is the element of the output in that row and that column.", "带两个下标的 Y 为输出特征图中该行该列的元素。")
c("function.6", ("Function, symbols", "功能描述，符号说明"), "k is the size of the window.", "k 为池化窗口的大小。",
  note=("The formula knows only square windows; kernelSize may give two sizes.", "公式仅考虑方形窗口；kernelSize 可给出两个大小。"))
c("function.7", ("Function, symbols", "功能描述，符号说明"), "s is the stride.", "s 为步长。")
c("function.8", ("Function, symbols", "功能描述，符号说明"), "The result at a row and a column is the derivative of the loss with respect to that element of the input.", "结果在某行某列处的值，为损失对该输入元素的偏导数。")
c("function.9", ("Function, symbols", "功能描述，符号说明"), "What is summed is the derivative of the loss with respect to an element of the output.", "被求和的是损失对输出元素的偏导数。")

head("Phase one, inputs")
g = p1("gradOutput")
c("param.gradOutput.1", g, "gradOutput is an input tensor, the gradient of the loss with respect to the output of the forward pooling.", "gradOutput 为输入张量，即损失对正向池化输出的梯度。")
c("param.gradOutput.2", g, "gradOutput may not be empty.", "gradOutput 不支持空张量。")
c("param.gradOutput.3", g, "gradOutput is FLOAT or FLOAT16.", "gradOutput 可为 FLOAT 或 FLOAT16。")
c("param.gradOutput.4", g, "gradOutput may also be BF16, on the Atlas A2 products alone.", "gradOutput 还可为 BF16，仅限 Atlas A2 系列产品。")
c("param.gradOutput.5", g, "gradOutput may be non-contiguous.", "gradOutput 可以不连续。")
c("param.gradOutput.6", g, "The format of gradOutput is NCHW or NCL.", "gradOutput 的格式为 NCHW 或 NCL。")
c("param.gradOutput.7", g, "A gradOutput of 4 dimensions has the shape (N, C, Hout, Wout).", "4 维的 gradOutput 形状为 (N, C, Hout, Wout)。")
c("param.gradOutput.8", g, "A gradOutput of 3 dimensions has the shape (C, Hout, Wout).", "3 维的 gradOutput 形状为 (C, Hout, Wout)。")
s = p1("self")
c("param.self.1", s, "self is an input tensor, what the forward pooling was given.", "self 为输入张量，即正向池化的输入。")
c("param.self.2", s, "self is FLOAT or FLOAT16.", "self 可为 FLOAT 或 FLOAT16。")
c("param.self.3", s, "self may also be BF16, on the Atlas A2 products alone.", "self 还可为 BF16，仅限 Atlas A2 系列产品。")
c("param.self.4", s, "self may be non-contiguous.", "self 可以不连续。")
c("param.self.5", s, "The format of self is NCHW or NCL.", "self 的格式为 NCHW 或 NCL。")
c("param.self.6", s, "A self of 4 dimensions has the shape (N, C, Hin, Win).", "4 维的 self 形状为 (N, C, Hin, Win)。")
c("param.self.7", s, "A self of 3 dimensions has the shape (C, Hin, Win).", "3 维的 self 形状为 (C, Hin, Win)。")
k = p1("kernelSize")
c("param.kernelSize.1", k, "kernelSize is an array of INT64 on the host, the size of the window.", "kernelSize 为 Host 侧的 INT64 数组，表示窗口大小。")
c("param.kernelSize.2", k, "kernelSize has one element for both axes, or two.", "kernelSize 有一个元素（两轴共用）或两个元素。")
k = p1("stride")
c("param.stride.1", k, "stride is an array of INT64 on the host, the step of the window.", "stride 为 Host 侧的 INT64 数组，表示窗口步长。")
c("param.stride.2", k, "A stride without elements stands for the size of the window.", "stride 无元素时取窗口大小。")
c("param.stride.3", k, "Otherwise stride has one element for both axes, or two.", "否则 stride 有一个元素（两轴共用）或两个元素。")
k = p1("padding")
c("param.padding.1", k, "padding is an array of INT64 on the host, the layers of zeros put around the rows and the columns of the input.", "padding 为 Host 侧的 INT64 数组，表示在输入的高、宽方向上补 0 的层数。")
c("param.padding.2", k, "padding has one element for both axes, or two.", "padding 有一个元素（两轴共用）或两个元素。")
k = p1("ceilMode")
c("param.ceilMode.1", k, "ceilMode says whether the shape of the forward output is rounded up.", "ceilMode 表示推导正向输出的形状时是否向上取整。")
c("param.ceilMode.2", k, "ceilMode is a BOOL.", "ceilMode 为 BOOL。", note=("The document declares it const; on a value that says nothing, and the spec leaves it out.", "原文将其声明为 const；按值传递时无意义，规格从略。"))
k = p1("countIncludePad")
c("param.countIncludePad.1", k, "countIncludePad says whether the forward pooling counts the zeros of the padding.", "countIncludePad 表示正向池化是否计入填充的 0。")
c("param.countIncludePad.2", k, "countIncludePad is a BOOL.", "countIncludePad 为 BOOL。")
k = p1("divisorOverride")
c("param.divisorOverride.1", k, "divisorOverride is the divisor of the average.", "divisorOverride 为取平均时的除数。")
c("param.divisorOverride.2", k, "divisorOverride is in the range from -255 to 255.", "divisorOverride 的取值范围为 -255 至 255。")
c("param.divisorOverride.3", k, "A divisorOverride of 0 has no influence, so that countIncludePad decides.", "divisorOverride 为 0 时不起作用，由 countIncludePad 决定。")
c("param.divisorOverride.4", k, "divisorOverride is an INT64.", "divisorOverride 为 INT64。")
k = p1("cubeMathType"); 
def v(n): return (f"Phase one, cubeMathType, value {n}", f"第一段接口，cubeMathType，取值 {n}")
c("param.cubeMathType.1", k, "cubeMathType is an enumeration of INT8 that chooses the arithmetic of the Cube unit.", "cubeMathType 为 INT8 枚举值，用于选择 Cube 单元的计算方式。")
c("param.cubeMathType.2", v(0), "KEEP_DTYPE (0) computes in the dtype of the input.", "KEEP_DTYPE（0）以输入的数据类型计算。")
c("param.cubeMathType.3", v(0), "On the Atlas training and inference series KEEP_DTYPE with FLOAT is an error.", "在 Atlas 训练与推理系列产品上，输入为 FLOAT 时取 KEEP_DTYPE 即报错。")
c("param.cubeMathType.4", v(1), "ALLOW_FP32_DOWN_PRECISION (1) may compute in less than the precision of the input.", "ALLOW_FP32_DOWN_PRECISION（1）允许降低输入的精度进行计算。")
c("param.cubeMathType.5", v(1), "With it FLOAT may be computed in FLOAT16 on the Atlas training and inference series.", "此时在 Atlas 训练与推理系列产品上，FLOAT 可转换为 FLOAT16 计算。")
c("param.cubeMathType.6", v(1), "With it FLOAT may be computed in HFLOAT32 on the Atlas A2 products.", "此时在 Atlas A2 系列产品上，FLOAT 可转换为 HFLOAT32 计算。")
c("param.cubeMathType.7", v(2), "USE_FP16 (2) may compute in FLOAT16.", "USE_FP16（2）允许以 FLOAT16 计算。")
c("param.cubeMathType.8", v(2), "With it FLOAT is computed in FLOAT16.", "此时 FLOAT 转换为 FLOAT16 计算。")
c("param.cubeMathType.9", v(3), "USE_HF32 (3) may compute in HFLOAT32.", "USE_HF32（3）允许以 HFLOAT32 计算。")
c("param.cubeMathType.10", v(3), "On the Atlas training and inference series USE_HF32 with FLOAT is an error.", "在 Atlas 训练与推理系列产品上，输入为 FLOAT 时取 USE_HF32 即报错。")
c("param.cubeMathType.11", v(3), "On the Atlas A2 products USE_HF32 works only in a direct call of this interface.", "在 Atlas A2 系列产品上，USE_HF32 仅在直接调用本接口时生效。")

head("Phase one, outputs")
k = p1("gradInput")
c("param.gradInput.1", k, "gradInput is an output tensor.", "gradInput 为输出张量。")
c("param.gradInput.2", k, "gradInput is FLOAT or FLOAT16.", "gradInput 可为 FLOAT 或 FLOAT16。")
c("param.gradInput.3", k, "gradInput may also be BF16, on the Atlas A2 products alone.", "gradInput 还可为 BF16，仅限 Atlas A2 系列产品。")
c("param.gradInput.4", k, "gradInput may be non-contiguous.", "gradInput 可以不连续。")
c("param.gradInput.5", k, "The format of gradInput is NCHW or NCL.", "gradInput 的格式为 NCHW 或 NCL。")
c("param.gradInput.6", k, "gradInput has the dtype of self.", "gradInput 与 self 数据类型一致。")
c("param.gradInput.7", k, "gradInput has the format of self.", "gradInput 与 self 数据格式一致。")
FALL_EN = "Only a C caller has such a pointer and could pass a null one; the Python functions return the {} itself. The waiver falls with the C side."
k = ("Phase one, workSpaceSize", "第一段接口，workSpaceSize")
c("param.workspaceSize.1", k, "Phase one answers how many bytes of workspace the caller has to allocate on the device.", "第一段接口返回调用者须在设备侧申请的 workspace 字节数。",
  note=("The document spells it workSpaceSize here and workspaceSize in the prototype.", "原文此处拼作 workSpaceSize，原型中拼作 workspaceSize。"))
c("param.workspaceSize.2", ("Phase one, prototype", "第一段接口，接口原型"), "The size is answered through a pointer that the caller gives.", "大小经由调用者给出的指针返回。",
  waiver=(FALL_EN.format("size"), "只有 C 调用者才有此指针，才可能传入空指针；Python 函数直接返回大小。待 C 接口就绪，此豁免即取消。"))
c("param.executor.1", p1("executor"), "Phase one answers an executor that holds the computation to run.", "第一段接口返回记录了计算流程的执行器。")
c("param.executor.2", ("Phase one, prototype", "第一段接口，接口原型"), "The executor is answered through a pointer that the caller gives.", "执行器经由调用者给出的指针返回。",
  waiver=(FALL_EN.format("executor"), "只有 C 调用者才有此指针，才可能传入空指针；Python 函数直接返回执行器。待 C 接口就绪，此豁免即取消。"))

head("Phase one, return value")
k = ("Phase one, return value", "第一段接口，返回值")
c("return.1", k, "Phase one returns a status code.", "第一段接口返回状态码。")
c("return.2", k, "The arguments are checked in phase one, which reports what is wrong with them.", "入参校验在第一段接口完成，不合法时由其报错。")
c("161001.1", ("Phase one, return value, 161001", "第一段接口，返回值，161001"), "A null pointer for gradOutput, self, kernelSize, padding or gradInput is an error.", "gradOutput、self、kernelSize、padding 或 gradInput 为空指针即报错。",
  note=("stride is not named, so that a null stride is legal.", "未列出 stride，故空的 stride 合法。"))
def i(n): return (f"Phase one, return value, 161002, item {n}", f"第一段接口，返回值，161002 第 {n} 项")
c("161002.1a", i(1), "A dtype of gradOutput or gradInput that is not supported is an error.", "gradOutput 或 gradInput 的数据类型不受支持即报错。")
c("161002.1b", i(1), "A format of gradOutput or gradInput that is not supported is an error.", "gradOutput 或 gradInput 的数据格式不受支持即报错。")
c("161002.2a", i(2), "Dtypes of self and gradInput that differ are an error.", "self 与 gradInput 的数据类型不一致即报错。")
c("161002.2b", i(2), "Formats of self and gradInput that differ are an error.", "self 与 gradInput 的数据格式不一致即报错。")
c("161002.3a", i(3), "A number of dimensions of gradOutput, self or gradInput that is not supported is an error.", "gradOutput、self 或 gradInput 的维数不受支持即报错。")
c("161002.3b", i(3), "A number of elements of kernelSize or stride that is not supported is an error.", "kernelSize 或 stride 的元素个数不受支持即报错。")
c("161002.4a", i(4), "A negative dimension of gradOutput, self or gradInput is an error.", "gradOutput、self 或 gradInput 的某一维为负即报错。")
c("161002.4b", i(4), "A negative element of kernelSize or stride is an error.", "kernelSize 或 stride 的某个元素为负即报错。",
  note=("The library refuses zeros, too, which leave nothing to compute; so does the spec.", "库同样拒绝 0，其无计算意义；规格从之。"))
c("161002.5", i(5), "A cubeMathType outside its enumeration is an error.", "cubeMathType 不在枚举值之内即报错。")
c("161002.6", i(6), "On the Atlas training series a cubeMathType of KEEP_DTYPE or USE_HF32 is an error.", "在 Atlas 训练系列产品上，cubeMathType 为 KEEP_DTYPE 或 USE_HF32 即报错。",
  note=("The text on cubeMathType says so of FLOAT alone, and of the inference series too; the spec follows that text.", "cubeMathType 的参数说明仅就 FLOAT 如此规定，且包括推理系列产品；规格以参数说明为准。"))
c("161002.7", i(7), "A padding of more than half the size of the window on its axis is an error, such as 2 for a window of 2.", "某一轴的 padding 超过窗口大小的一半即报错，如窗口为 2 时 padding 为 2。")
c("161002.8", i(8), "A divisorOverride outside the range from -255 to 255 is an error.", "divisorOverride 不在 -255 至 255 之内即报错。")

head("Phase two")
c("phase2.1", ("Phase two, workspace", "第二段接口，workspace"), "workspace is the address of the memory allocated on the device.", "workspace 为在设备侧申请的内存的地址。")
c("phase2.2", ("Phase two, workspaceSize", "第二段接口，workspaceSize"), "workspaceSize is the size that phase one answered.", "workspaceSize 即第一段接口返回的大小。")
c("phase2.3", ("Phase two, executor", "第二段接口，executor"), "executor holds the computation and comes from phase one.", "executor 记录计算流程，来自第一段接口。")
c("phase2.4", ("Phase two, stream", "第二段接口，stream"), "stream is the stream on which the work runs.", "stream 为执行任务的流。")
c("phase2.5", ("Phase two, return value", "第二段接口，返回值"), "Phase two returns a status code.", "第二段接口返回状态码。")

head("Constraints")
k = ("Constraints", "约束与限制")
c("constraint.1", k, "The Cube unit of the Atlas training and inference series does not compute in FLOAT.", "Atlas 训练与推理系列产品的 Cube 单元不支持 FLOAT 计算。")
c("constraint.2", k, "On them a cubeMathType of 1 lets a FLOAT input be computed in FLOAT16.", "在这些产品上，cubeMathType 取 1 时允许将 FLOAT 输入转换为 FLOAT16 计算。")
c("constraint.3", k, "The input has at most 65535 channels.", "输入最多有 65535 个通道。")

head("The sample call")
c("example.1", ("Sample call", "调用示例"), "The sample calls the operator on a self of shape (1, 16, 4, 4) and a gradOutput of shape (1, 16, 1, 1), both of ones in FLOAT and NCHW, with a window of 4 by 4, a stride of 1, no padding, countIncludePad and a cubeMathType of 1, and prints the gradient.",
  "示例以形状 (1, 16, 4, 4) 的 self 与形状 (1, 16, 1, 1) 的 gradOutput（均为全 1、FLOAT、NCHW），4×4 的窗口、步长 1、无填充、countIncludePad 为真、cubeMathType 为 1 调用算子，并打印梯度。",
  note=("The sample allocates twice the host memory that it needs, which is harmless.", "示例在 Host 侧分配了两倍于所需的内存，无害。"))
c("example.2", ("Sample call, included headers", "调用示例，所含头文件"), "The operator is declared in aclnnop/aclnn_avgpool2d_backward.h.", "算子声明于 aclnnop/aclnn_avgpool2d_backward.h。")
c("example.3", ("Sample call, step 3", "调用示例，步骤 3"), "The sample allocates a workspace only where its size is above zero, and runs phase two with what phase one answered.", "示例仅在大小大于 0 时申请 workspace，并以第一段接口的返回值调用第二段接口。")
open(sys.argv[1], "w").write("\n".join(out) + "\n")
