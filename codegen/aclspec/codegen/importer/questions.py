"""Questions to a person, in both languages, made from facts: no sentence of a page is in them."""

from __future__ import annotations

from collections.abc import Sequence

from aclspec.codegen.importer.model import Place, Question
from aclspec.codegen.importer.rules import Gathered

TEXTS: dict[str, tuple[str, str]] = {
    "products": ("Which products is the operator for? The page lists none.", "该算子支持哪些产品？页面没有列出。"),
    "signature": (
        "The prototype of the page ({page}) differs from the header ({header}), which the draft follows. Right?",
        "页面的函数原型（{page}）与头文件（{header}）不同，草稿采用头文件。是否正确？",
    ),
    "type": (
        "What is the type of {subject}? Specs have no type for {c_type}.",
        "{subject} 是什么类型？规格没有与 {c_type} 对应的类型。",
    ),
    "direction": (
        "The page calls the attribute {subject} an output; the draft reads it. Right?",
        "页面将属性 {subject} 列为输出，草稿视为输入。是否正确？",
    ),
    "formats": ("Which formats may {subject} have? The page names none.", "{subject} 可为哪些数据格式？页面没有给出。"),
    "rank": ("How many dimensions may {subject} have?", "{subject} 可为多少维？"),
    "rank-conflict": (
        "The column gives {subject} the ranks {column}, another place {row}. Which holds?",
        "{subject} 的维数在表中为 {column}，另一处为 {row}。以哪个为准？",
    ),
    "rank-library": (
        "The page gives {subject} the ranks {page}, the library {library}. Which holds in which mode?",
        "{subject} 的维数，页面为 {page}，库为 {library}。两种模式分别以哪个为准？",
    ),
    "values-conflict": (
        "{subject} has several lists of legal values ({sets}). Which holds?",
        "{subject} 有多组合法取值（{sets}）。以哪组为准？",
    ),
    "lengths-conflict": (
        "{subject} has several legal lengths ({sets}). Which hold?",
        "{subject} 有多组合法长度（{sets}）。以哪组为准？",
    ),
    "dtypes": ("Which dtypes may {subject} have? The page gives none.", "{subject} 可为哪些数据类型？页面没有给出。"),
    "dtypes-conflict": (
        "The dtypes of {subject} contradict what the page says of them together. Which rows are legal?",
        "{subject} 的数据类型与页面给出的组合关系矛盾。哪些组合合法？",
    ),
    "dtypes-library": (
        "On {products} the dtypes of {subject} in the library differ from those of the page (more: {wider}; fewer:"
        " {narrower}). Are there rows for the mode library?",
        "在 {products} 上，库对 {subject} 接受的数据类型与页面不同（多：{wider}；少：{narrower}）。"
        "library 模式是否需要单独的行？",
    ),
    "null": (
        "Is a null pointer refused for {subject}? No row says so; the draft refuses it.",
        "{subject} 为空指针时是否报错？错误码表没有提及，草稿视为报错。",
    ),
    "null-library": (
        "The sources show no null check for {subject}; the draft refuses null in the mode document only. Right?",
        "源码未见对 {subject} 的空指针检查，草稿仅在 document 模式下报错。是否正确？",
    ),
    "infer-shape": ("What is the shape of {subject}, from the inputs?", "{subject} 的形状如何由输入得出？"),
    "infer-dtype": ("What is the dtype of {subject}, from the inputs?", "{subject} 的数据类型如何由输入得出？"),
    "shape": (
        "What must the shape of {subject} be? A row says only that it is wrong.",
        "{subject} 的形状应满足什么？错误码表只说其不符合要求。",
    ),
    "value": (
        "Which values of {subject} are legal? A row says only that one is not.",
        "{subject} 的哪些取值合法？错误码表只说其不合法。",
    ),
    "unknown-name": (
        "Which parameters does the row mean beside {subject}? It names one that the prototype lacks.",
        "除 {subject} 外该行还指哪些参数？其中有原型没有的名字。",
    ),
    "promoted-dtypes": ("Which common dtypes of {subject} are legal?", "{subject} 推导后的哪些数据类型合法？"),
    "promoted-scalar": (
        "How does the scalar take part in the promotion of {subject}?",
        "{subject} 的类型推导中标量如何参与？",
    ),
    "unread-error": (
        "What does this row of the error table refuse? It was not understood.",
        "错误码表的这一行拒绝什么？未能理解。",
    ),
    "unread-usage": (
        "What does this remark about {subject} demand? It was not understood.",
        "关于 {subject} 的这条说明要求什么？未能理解。",
    ),
    "unread-note": (
        "What does this note below the parameters demand? It was not understood.",
        "参数表下的这条说明要求什么？未能理解。",
    ),
    "unread-constraint": ("What does this constraint demand? It was not understood.", "这条约束要求什么？未能理解。"),
    "refused": (
        "How is this said in the language of predicates? The reading was not accepted ({problem}).",
        "如何用谓词表达这一条？所得谓词未被接受（{problem}）。",
    ),
}


def ask(kind: str, subject: str, places: Sequence[Place], **facts: object) -> Question:
    """A question of a kind about a subject."""
    en, zh = TEXTS[kind]
    plain = {key: _listed(value) for key, value in facts.items()}
    return Question(
        kind, subject, en.format(subject=subject, **plain), zh.format(subject=subject, **plain), tuple(places)
    )


def _listed(value: object) -> str:
    """A value as a sentence shows it."""
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "-"
    return str(value)


def ask_sentences(questions: list[Question], gathered: Gathered) -> None:
    """A question for every sentence that determines nothing; the same question about one place only once."""
    seen = {(question.kind, question.subject, question.places) for question in questions}
    found = [ask(vague.what, ", ".join(vague.names), [sentence.place]) for vague, sentence in gathered.vague]
    found += [ask(f"unread-{sentence.where}", sentence.subject, [sentence.place]) for sentence in gathered.unread]
    found += [ask("refused", "", [sentence.place], problem=wrong) for wrong, sentence in gathered.refused]
    for question in found:
        key = (question.kind, question.subject, question.places)
        if key not in seen:
            seen.add(key)
            questions.append(question)
