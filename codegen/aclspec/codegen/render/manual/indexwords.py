"""The words of the pages over all operators."""

from __future__ import annotations

from typing import Final

INDEX_WORDS: Final[dict[str, tuple[str, str]]] = {
    "operators_intro": (
        "Every operator that has a spec. Its page has the prototype, the formulas, the checks and examples.",
        "全部有规格的算子。算子页面列出函数原型、公式、检查项与示例。",
    ),
    "products_page_intro": (
        "A call names a product by its key, or by a SoC name; a name that ends in an asterisk is a prefix.",
        "调用时以键或 SoC 名称指定产品；以星号结尾的名称为前缀。",
    ),
    "products_page": ("Products", "产品"),
    "status_page": ("Status codes", "返回码"),
    "status_page_intro": (
        "What phase one answers, and the rules that answer it.",
        "第一段接口的返回码，以及返回它的规则。",
    ),
    "status_page_hint": (
        "A code alone does not say which rule failed: below each code stand the rules that answer it, by operator.",
        "返回码本身不说明是哪条规则未满足；各返回码之下按算子列出返回它的规则。",
    ),
    "rule_count": ("{} rules", "{} 条规则"),
    "category": ("Category", "类别"),
    "architecture": ("Architecture", "架构"),
    "bf16": ("BF16", "BF16"),
    "knows_bf16": ("yes", "支持"),
    "lacks_bf16": ("no", "不支持"),
    "default_product": ("{} (default)", "{} (默认)"),
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
        "The dtypes of each operator on each product: every dtype that some tensor of the operator may have there. "
        "Which of them go together stands on the operator's page.",
        "各算子在各产品上的数据类型：列出算子的任一张量在该产品上可用的全部类型；哪些类型可同时使用，见算子页面。",
    ),
    "support_library": (
        "In italics: the library takes it, and no document lists it, so that only library mode lets it pass.",
        "斜体：库可接受但文档未列出，因此仅 library 模式放行。",
    ),
}
