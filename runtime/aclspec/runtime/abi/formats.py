"""Formats: the numbers of aclFormat."""

from __future__ import annotations

from enum import IntEnum


class Format(IntEnum):
    """An aclFormat by its number, without the prefix ACL_FORMAT_."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54

    __hash__ = int.__hash__

    @property
    def is_private(self) -> bool:
        """Whether only the hardware's own kernels lay out memory this way."""
        return self in _PRIVATE

    @classmethod
    def parse(cls, text: str) -> Format:
        """A format by name, with or without ACL_FORMAT_; ValueError for another."""
        name = text.strip().upper().removeprefix("ACL_").removeprefix("FORMAT_")
        found = cls.__members__.get(name)
        if found is None:
            from aclspec.runtime.abi.suggest import did_you_mean

            raise ValueError(f"The format ({text}) is unknown{did_you_mean(name, cls.__members__)}.")
        return found


_PRIVATE: frozenset[Format] = frozenset(
    {
        Format.NC1HWC0,
        Format.FRACTAL_Z,
        Format.NC1HWC0_C04,
        Format.FRACTAL_NZ,
        Format.NDC1HWC0,
        Format.FRACTAL_Z_3D,
        Format.FRACTAL_NZ_C0_16,
        Format.FRACTAL_NZ_C0_32,
        Format.FRACTAL_NZ_C0_2,
        Format.FRACTAL_NZ_C0_4,
        Format.FRACTAL_NZ_C0_8,
    }
)
