"""The words of the manual's pages that do not come from a spec."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Final, Literal, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]
LANGS: Final[tuple[Lang, ...]] = ("en", "zh")

_WORDS: Final[dict[str, tuple[str, str]]] = {
    # The head of a page
    "header": ("Header", "头文件"),
    "python_name": ("Python name", "Python 名"),
    "spec": ("Spec", "规格文件"),
    "level": ("Level", "级别"),
    "manual_page": ("Manual page, built by `make docs`", "手册页面（由 `make docs` 构建）"),
    "kernel": ("Kernel", "内核"),
    "determinism": ("Determinism", "确定性"),
    "deterministic": ("Two equal calls give equal bits.", "两次相同的调用得到逐位相同的结果。"),
    "not_deterministic": ("Two equal calls may differ in their last bits.", "两次相同的调用在末位上可能不同。"),
    # Sections
    "products": ("Products", "支持的产品"),
    "prototype": ("Prototype", "函数原型"),
    "formulas": ("Formulas", "计算公式"),
    "parameters": ("Parameters", "参数"),
    "attributes": ("Attributes", "属性"),
    "dtypes": ("Data types", "数据类型"),
    "ask": ("Would this call work?", "这个调用可行吗？"),
    "checks": ("Checks", "检查项"),
    "lets": ("Names in the predicates", "谓词中的名称"),
    "let_value": ("Value", "值"),
    "outputs": ("Outputs", "输出"),
    "precision": ("Precision", "精度"),
    "examples": ("Examples", "示例"),
    "sample": ("C++", "C++"),
    "sample_intro": (
        "The first example as a C++ program, with no NPU by `aclspec simulator`. It prints:",
        "第一个示例的 C++ 程序；无 NPU 时可用 `aclspec simulator` 编译运行。输出如下：",
    ),
    "sample_program": ("The program", "程序"),
    "notes": ("Notes", "说明"),
    "caveats": ("What the checks do not say", "检查项未涵盖的情况"),
    "unjudged": ("Not judged", "未判断"),
    "no kernel": ("No kernel", "没有内核"),
    "version": ("Older versions", "旧版本"),
    "clauses": ("Clauses of the original document", "原文条款"),
    # Columns
    "name": ("Name", "名称"),
    "direction": ("Direction", "方向"),
    "c_type": ("C type", "C 类型"),
    "null": ("Null", "空指针"),
    "meaning": ("Meaning", "含义"),
    "formats": ("Formats", "数据格式"),
    "rank": ("Rank", "维数"),
    "values": ("Values", "取值"),
    "lengths": ("Lengths", "长度"),
    "default": ("Default", "默认值"),
    "product": ("Product", "产品"),
    "key": ("Key", "键"),
    "listed_by": ("Listed by", "出处"),
    "socs": ("SoC names", "SoC 名称"),
    "operators": ("Operators", "算子"),
    "operator": ("Operator", "算子"),
    "summary": ("What it does", "功能"),
    "rule": ("Rule", "规则"),
    "rules": ("Rules", "规则"),
    "status": ("Status", "返回码"),
    "checked_on": ("Where", "适用范围"),
    "output": ("Output", "输出"),
    "shape": ("Shape", "形状"),
    "dtype": ("Data type", "数据类型"),
    "format": ("Format", "数据格式"),
    "terms": ("Terms", "项数"),
    "unit": ("Unit", "单位"),
    "factor": ("Factor", "系数"),
    "clause": ("Clause", "条款"),
    "clauses_of": ("Clauses", "条款"),
    "place": ("Place", "位置"),
    "says": ("What it says", "内容"),
    "covered_by": ("Covered by", "落实于"),
    "code": ("Code", "代码"),
    # Punctuation
    "colon": (": ", "："),
    "comma": (", ", "，"),
    "semicolon": ("; ", "；"),
    "stop": (". ", "。"),
    "space": (" ", ""),
    # Cells
    "in": ("in", "输入"),
    "out": ("out", "输出"),
    "inout": ("in and out", "输入兼输出"),
    "unknown": ("unknown", "未知"),
    "may_be_null": ("allowed", "允许"),
    "never_null": ("refused", "不允许"),
    "by_value": ("-", "-"),
    "null_unless": ("refused when {}", "{} 时不允许"),
    "other_ranks": ("{} otherwise", "其他情形下 {}"),
    "any": ("any", "任意"),
    "none": ("-", "-"),
    "range": ("{} to {}", "{} 至 {}"),
    "of_rank": ("{} for rank {}", "{}（维数为 {} 时）"),
    "document": ("document", "原文"),
    "newer": ("newer documentation", "新版文档"),
    "supported": ("yes", "支持"),
    "library_only": ("library mode only", "仅 library 模式"),
    "document_only": ("document mode only", "仅 document 模式"),
    "unsupported": ("-", "-"),
    "newer_mark": ("{} (newer)", "{}（新版）"),
    "a_test": ("a test", "测试"),
    "waived": ("waived: {}", "豁免：{}"),
    "prototype_link": ("the prototype", "函数原型"),
    "rows_link": ("the dtype rows", "数据类型表"),
    "precision_link": ("the precision table", "精度表"),
    "format_of_rank": ("the first that the parameter allows for its rank", "参数在该维数下允许的第一种数据格式"),
    # Sentences
    "products_unknown": ("The products are unknown.", "支持的产品未知。"),
    "dtypes_intro": (
        "A row holds dtypes that are legal together. In a cell with several, each is legal.",
        "每一行为可同时使用的数据类型；一格中列出多个时，可任取其一，与其他参数无关。",
    ),
    "newer_intro": (
        "What is marked as newer stands only in the newer documentation.",
        "标有“新版”的内容仅见于新版文档。",
    ),
    "outputs_intro": (
        "What an output is when the Python caller does not give it.",
        "Python 调用者未给出输出时，输出按下表分配。",
    ),
    "data_dependent": (
        "The shape of {0} is a bound: how long its first axis is depends on the data. The caller gives the bound; the "
        "rows that are written stand first, and after phase two aclGetViewShape says how many there are. Python "
        "answers these rows alone.",
        "{0} 的形状为上界，其首轴的长度取决于数据。调用者按上界分配；写入的行位于最前，"
        "第二段接口之后由 aclGetViewShape 给出行数。Python 仅返回这些行。",
    ),
    "data_dependent_last": (
        "The shape of {0} is a bound: how long its last axis is depends on the data. The caller gives the bound; what "
        "is written stands first in memory, contiguous, and after phase two aclGetViewShape gives its shape. Python "
        "answers that part alone.",
        "{0} 的形状为上界，其末轴的长度取决于数据。调用者按上界分配；写入的部分位于内存最前且连续，"
        "第二段接口之后由 aclGetViewShape 给出其形状。Python 仅返回这一部分。",
    ),
    "relies_on": ("{0} follows only where these rules hold: {1}.", "仅在下列规则成立时才能推导 {0}：{1}。"),
    "precision_intro": (
        "The dtype of each step of the computation, by its role; the first row that fits holds.",
        "计算各环节（按角色）所用的数据类型；取首个适用的行。",
    ),
    "tolerance_intro": (
        "How far an output y may be from the exact value, with u the unit roundoff of a dtype "
        "and S the sum of the absolute values of its terms:",
        "输出 y 与精确值之差的上限，其中 u 为数据类型的单位舍入误差，S 为各项绝对值之和：",
    ),
    "clauses_intro": (
        "The requirements of document {}, in our own words, and what covers each of them.",
        "文档 {} 的各项要求，以我们自己的话转述，并注明由何处落实。",
    ),
    # A rule in detail
    "check_of": ("{0} of {1} · {2} · {3} · {4}", "{0} / {1} · {2} · {3} · {4}"),
    "when": ("When", "情形"),
    "everywhere": ("every product, both modes", "全部产品，两种模式"),
    "nobody": ("neither mode", "均不检查"),
    "one_mode": ("{} mode", "{} 模式"),
    "status_in_mode": ("{} in {} mode", "{}（{} 模式）"),
    "predicate": ("Predicate", "谓词"),
    "guard": ("Guard", "条件"),
    "guarded": ("{0}, guard: {1}", "{0}，条件：{1}"),
    "not_checked": ("Not checked: the hardware leaves the result undefined.", "不检查：结果由硬件决定，未定义。"),
    "ends_checks": ("success, and the checks end", "成功，检查到此结束"),
    "deviation": ("The sources differ", "各来源不一致"),
    "note": ("Note", "说明"),
    "for_products": ("On {}", "{}"),
    "otherwise": ("always", "始终"),
    "terms_when": ("When {0}: {1}.", "{0}时：{1}；"),
    "terms_else": ("Otherwise: {0}.", "否则：{0}。"),
    # The pages over all operators
    "operators_intro": (
        "Every operator that has a spec. Its page has the prototype, the formulas, the checks and examples.",
        "全部有规格的算子。算子页面列出函数原型、公式、检查项与示例。",
    ),
    "declared_page": ("Signatures", "签名"),
    "declared_intro": (
        "Operators known by signature alone. Whether a call works is unknown: an NPU can be asked, and "
        "without one phase one answers 200001. A question mark stands for what is not known; a header that is not "
        "known is taken to have the operator's name.",
        "仅知签名的算子。调用可行与否未知：可在 NPU 上调用；无 NPU 时第一段接口返回 200001。问号表示未知；"
        "头文件未知时，按算子名称推定。",
    ),
    "products_page_intro": (
        "A call names a product by its key, or by a SoC name; a name that ends in an asterisk is a prefix.",
        "调用时以键或 SoC 名称指定产品；以星号结尾的名称为前缀。",
    ),
    "products_page": ("Products", "产品"),
    "status_page": ("Status codes", "返回码"),
    "status_page_intro": (
        "What phase one answers, and what to do about it.",
        "第一段接口的返回码，以及遇到时的处理办法。",
    ),
    "status_page_hint": (
        "A code alone does not say which rule failed: 161002 may be any rule about a dtype, a shape, a format or a "
        "value.",
        "返回码本身不说明是哪条规则未满足：161002 可能对应数据类型、形状、数据格式或取值的任一规则。",
    ),
    "what_to_do": ("What to do", "怎么办"),
    "step_layer": (
        "Run the program under the layer: `aclspec layer run --root layer -- ./program`. It prints the rule, the "
        "values and what they must be, without a change of the program: "
        "[Why did my call fail?](guides/why-did-my-call-fail.md)",
        "在检查层下运行程序：`aclspec layer run --root layer -- ./program`。无需修改程序，即可打印规则、实际值与要求："
        "[我的调用为何失败？](guides/why-did-my-call-fail.md)",
    ),
    "step_paste": (
        "Or paste the call, as C++ or as a line of a log, into the form of its operator: find it [below](#operators).",
        "或将该调用（C++ 代码或日志中的一行）粘贴到对应算子的表单中：在[下表](#operators)中查找。",
    ),
    "step_explain": (
        "Or describe the call on the command line: `aclspec explain prelu_backward --self 'float32[4,2]' …` "
        "([Explain a 161002](guides/explain-161002.md)).",
        "或在命令行中描述该调用：`aclspec explain prelu_backward --self 'float32[4,2]' …`"
        "（[解释 161002](guides/explain-161002.md)）。",
    ),
    "all_codes": ("All codes", "全部返回码"),
    "ask_column": ("Form", "表单"),
    "ask_link": ("ask", "询问"),
    "ask_of": ("Would a call of {} work?", "{} 的调用可行吗？"),
    "answered_by": ("Rules that answer it: {}, of {} operators.", "返回它的规则：{} 条，涉及 {} 个算子。"),
    "category": ("Category", "类别"),
    "architecture": ("Architecture", "架构"),
    "bf16": ("BF16", "BF16"),
    "knows_bf16": ("yes", "支持"),
    "lacks_bf16": ("no", "不支持"),
    "default_product": ("{} (default)", "{} (默认)"),
    "also_called": ("Also called: {0}.", "亦称：{0}。"),
    "simulated_as": (
        "The simulator is {}, unless another SoC name is given.",
        "未指定其他 SoC 名称时，模拟器为 {}。",
    ),
    "cube_cores": ("Cube cores", "Cube 核数"),
    "vector_cores": ("Vector cores", "Vector 核数"),
    "cores_source": ("Source", "依据"),
    "cores_read": ("read from CANN", "取自 CANN"),
    "cores_assumed": ("assumed", "推测"),
    # The filter of a table
    "filter": ("Filter", "筛选"),
    "filter_all": ("all", "全部"),
    "filter_count": ("{shown} of {all} operators", "{all} 个算子中的 {shown} 个"),
    "filter_name": ("Name", "名称"),
    # The matrix of everything
    "support_page": ("Support matrix", "支持矩阵"),
    "support_intro": (
        "The dtypes of each operator on each product: every dtype that some tensor of the operator may have there. A "
        "cell shows the first ones and how many more there are; choose a product to see them all. "
        "Which of them go together stands on the operator's page.",
        "各算子在各产品上的数据类型：算子的任一张量在该产品上可用的类型。单元格列出前几种与其余的个数；选择产品可查看全部。哪些类型可同时使用，见算子页面。",
    ),
    "support_library": (
        "Italics: accepted by the library but undocumented; only library mode allows it.",
        "斜体：库可接受但文档未列出，因此仅 library 模式放行。",
    ),
}


@cache
def labels(lang: Lang) -> SimpleNamespace:
    """The words of one language, as attributes."""
    at = LANGS.index(lang)
    return SimpleNamespace(**{key: texts[at] for key, texts in _WORDS.items()})


_CATEGORIES: Final[dict[str, tuple[str, str]]] = {
    "activation": ("Activation", "激活"),
    "binary": ("Binary", "二元运算"),
    "convolution": ("Convolution", "卷积"),
    "elementwise": ("Elementwise", "逐元素运算"),
    "foreach": ("Foreach", "列表运算"),
    "loss": ("Loss", "损失函数"),
    "matmul": ("Matmul", "矩阵乘"),
    "normalization": ("Normalization", "归一化"),
    "optimizer": ("Optimizer", "优化器"),
    "padding": ("Padding", "填充"),
    "pooling": ("Pooling", "池化"),
    "quantization": ("Quantization", "量化"),
    "random": ("Random", "随机"),
    "reduction": ("Reduction", "归约"),
    "resize": ("Resize", "缩放"),
    "sampling": ("Sampling", "采样"),
    "tensor": ("Tensor", "张量操作"),
    "transformer": ("Transformer", "Transformer 组件"),
}


def category(key: str, lang: Lang) -> str:
    """The name of a category: that of its folder where nobody gave it a better one."""
    plain = key.replace("_", " ").capitalize()
    return _CATEGORIES.get(key, (plain, plain))[LANGS.index(lang)]
