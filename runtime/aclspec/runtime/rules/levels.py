"""How much a spec says of its operator, what follows from that, and what a call is told where it says too little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from aclspec.runtime.abi.errors import AclnnError, while_calling
from aclspec.runtime.abi.status import Status

Level: TypeAlias = Literal["declared", "checked", "computed"]


@dataclass(frozen=True, slots=True)
class LevelFacts:
    """What is there at a level: the rules of phase one, a kernel; and a sentence for it in each language."""

    has_rules: bool
    has_kernel: bool
    en: str
    zh: str


LEVELS: Final[dict[Level, LevelFacts]] = {
    "declared": LevelFacts(
        has_rules=False,
        has_kernel=False,
        en="Only the signature is known: neither that a call works nor that it fails.",
        zh="仅知其签名：既不知调用可行，也不知调用不可行。",
    ),
    "checked": LevelFacts(
        has_rules=True,
        has_kernel=False,
        en="The rules of phase one are known, but no kernel computes it without an NPU.",
        zh="已知第一段接口的规则，但没有内核，无 NPU 时不能计算。",
    ),
    "computed": LevelFacts(
        has_rules=True,
        has_kernel=True,
        en="The rules of phase one are known, and a kernel computes it without an NPU.",
        zh="已知第一段接口的规则，且有内核，无 NPU 时也能计算。",
    ),
}
"""The levels from the lowest to the highest; nothing else says what follows from a level."""

UNKNOWN_STATUS: Final = Status(200001)
"""ACL_ERROR_API_NOT_SUPPORT: what phase one answers where no rule is known; the library gives it for no call."""
NO_KERNEL_STATUS: Final = Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR
"""What a call is answered that passes its checks and has no kernel."""


def unknown(name: str, lang: Literal["en", "zh"] = "en") -> str:
    """What there is to say about a call of an operator without a known rule."""
    if lang == "zh":
        return f"{name} 的规则未知：既不知该调用可行，也不知其不可行。"
    return f"No rule of {name} is known: neither that the call works nor that it fails."


def unknown_error(name: str, function: str) -> AclnnError:
    """The refusal to answer a call of an operator without a known rule."""
    return AclnnError(while_calling(f"{unknown(name)} Its spec only declares it.", function), UNKNOWN_STATUS)


def no_kernel_error(name: str, function: str) -> AclnnError:
    """The refusal to compute a call that passed its checks."""
    sentence = f"The call passes the checks of {name}, but {name} has no kernel to compute it: its level is checked."
    return AclnnError(while_calling(sentence, function), NO_KERNEL_STATUS)
