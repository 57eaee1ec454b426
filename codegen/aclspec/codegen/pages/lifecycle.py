"""The life cycle of a call: two functions, and what passes between them."""

from __future__ import annotations

from dataclasses import dataclass

from aclspec.codegen.pages.svg import Picture
from aclspec.codegen.render.manual.words import Lang

WIDTH, BOX, STEP, MARGIN, HEIGHT = 560.0, 330.0, 84.0, 10.0, 52.0


@dataclass(frozen=True, slots=True)
class Step:
    """A box: what is called, what it does, the colour, and what goes on to the next one."""

    call: str
    does: str
    colour: str
    gives: str


_STEPS: dict[Lang, tuple[Step, ...]] = {
    "en": (
        Step("aclCreateTensor(...)", "describe the tensors", "cell", "aclTensor *"),
        Step("aclnnXxxGetWorkspaceSize(...)", "phase one: check the call", "cell c0", "size, executor"),
        Step("aclrtMalloc(&workspace, size, ...)", "only where the size is above 0", "cell", "workspace"),
        Step("aclnnXxx(workspace, size, executor, stream)", "phase two: compute, spend the executor", "cell c1", ""),
        Step("aclrtSynchronizeStream(stream)", "wait; then the outputs may be read", "cell", ""),
    ),
    "zh": (
        Step("aclCreateTensor(...)", "描述各张量", "cell", "aclTensor *"),
        Step("aclnnXxxGetWorkspaceSize(...)", "第一段：检查", "cell c0", "大小与执行器"),
        Step("aclrtMalloc(&workspace, size, ...)", "仅当大小大于 0", "cell", "workspace"),
        Step("aclnnXxx(workspace, size, executor, stream)", "第二段：执行，执行器随之失效", "cell c1", ""),
        Step("aclrtSynchronizeStream(stream)", "等待完成，然后读取输出", "cell", ""),
    ),
}
_FAILS = {"en": ("status is not 0:", "aclGetRecentErrMsg()"), "zh": ("返回码非 0：", "aclGetRecentErrMsg()")}
_TITLE = {"en": "The two phases of a call", "zh": "一次调用的两个阶段"}


def life_cycle(lang: Lang) -> str:
    """The steps from top to bottom; beside phase one, the way out."""
    steps = _STEPS[lang]
    picture = Picture(WIDTH, 2 * MARGIN + STEP * (len(steps) - 1) + HEIGHT, _TITLE[lang])
    for at, step in enumerate(steps):
        y = MARGIN + at * STEP
        picture.box(MARGIN, y, BOX, HEIGHT, step.colour, 4)
        picture.text(MARGIN + BOX / 2, y + 22, step.call, "code")
        picture.text(MARGIN + BOX / 2, y + 41, step.does)
        if at + 1 < len(steps):
            middle = MARGIN + BOX / 2
            picture.arrow([(middle, y + HEIGHT), (middle, y + STEP)])
            picture.text(middle + 10, y + HEIGHT + 20, step.gives, middle=False)
        if step.gives and step.colour == "cell c0":
            right = MARGIN + BOX
            picture.arrow([(right, y + HEIGHT / 2), (right + 46, y + HEIGHT / 2)])
            for line, words in enumerate(_FAILS[lang]):
                picture.text(right + 54, y + HEIGHT / 2 - 2 + 16 * line, words, "code" if line else "", middle=False)
    return str(picture)


PARTS = {"life-cycle": life_cycle}
