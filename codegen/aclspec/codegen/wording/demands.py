"""What a function that returns bool demands, as the sentence of a failure says it; others are said by their clause."""

from __future__ import annotations

from typing import Final

from aclspec.runtime.language.text import Text

MUST: Final = {
    "is_null": (Text("{0} must be null", "{0} 应为空指针"), Text("{0} must not be null", "{0} 不得为空指针")),
    "is_empty": (
        Text("{0} has shape {shape}; it must be empty", "{0} 的形状为 {shape}；应为空张量"),
        Text("{0} has shape {shape}; it must not be empty", "{0} 的形状为 {shape}；不得为空张量"),
    ),
    "is_contiguous": (
        Text(
            "{0} has shape {shape} and strides {strides}; it must be contiguous",
            "{0} 的形状为 {shape}，步长为 {strides}；应连续",
        ),
        Text(
            "{0} has shape {shape} and strides {strides}; it must not be contiguous",
            "{0} 的形状为 {shape}，步长为 {strides}；不得连续",
        ),
    ),
    "is_transposed": (
        Text(
            "{0} has shape {shape} and strides {strides}; its last two axes must be transposed in memory",
            "{0} 的形状为 {shape}，步长为 {strides}；最后两轴应在内存中转置",
        ),
        Text(
            "{0} has shape {shape} and strides {strides}; its last two axes must not be transposed in memory",
            "{0} 的形状为 {shape}，步长为 {strides}；最后两轴不得在内存中转置",
        ),
    ),
    "is_private": (
        Text("{0} is {value}; it must be private to the hardware", "{0} 为 {value}；应为硬件私有格式"),
        Text("{0} is {value}; it must not be private to the hardware", "{0} 为 {value}；不得为硬件私有格式"),
    ),
    "distinct": (
        Text("{0} is {value}; its elements must differ", "{0} 为 {value}；其元素不得相等"),
        Text("{0} is {value}; it must repeat an element", "{0} 为 {value}；应有相等的元素"),
    ),
    "castable": (
        Text("{0} is {value}; it must be convertible to {1}", "{0} 为 {value}；应可转换为 {1}"),
        Text("{0} is {value}; it must not be convertible to {1}", "{0} 为 {value}；应不可转换为 {1}"),
    ),
    "broadcastable": (
        Text("{0} is {value}; it must broadcast with {1}", "{0} 为 {value}；应可与 {1} 广播"),
        Text("{0} is {value}; it must not broadcast with {1}", "{0} 为 {value}；应不可与 {1} 广播"),
    ),
    "indexable": (
        Text("{0} is {value}; it must be indexable by {1}", "{0} 为 {value}；应可由 {1} 索引"),
        Text("{0} is {value}; it must not be indexable by {1}", "{0} 为 {value}；应不可由 {1} 索引"),
    ),
    "promotable": (
        Text("{0} is {value}; it must promote with {1}", "{0} 为 {value}；应可与 {1} 提升为公共数据类型"),
        Text("{0} is {value}; it must not promote with {1}", "{0} 为 {value}；应不可与 {1} 提升为公共数据类型"),
    ),
    "promotable_all": (
        Text("{0} are {value}; they must have a common dtype", "{0} 为 {value}；应有公共数据类型"),
        Text("{0} are {value}; they must not have a common dtype", "{0} 为 {value}；不得有公共数据类型"),
    ),
}
"""What a function that returns bool demands where it must be true, and where it must be false.

``{0}`` and ``{1}`` are its arguments, ``{value}`` is the value of the first, ``{shape}`` and ``{strides}`` are those of
a tensor.
"""
