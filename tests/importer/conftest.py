"""A made-up page about two made-up functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from aclspec.codegen.importer.model import Function
from aclspec.codegen.importer.page import Page, read_text

PAGE = """\
# aclnnToyBlend

## 产品支持情况

<!-- npu="A3" id1 -->
- <term>Atlas A3 训练系列产品/Atlas A3 推理系列产品</term>：支持
<!-- end id1 -->
<!-- npu="910b" id2 -->
- <term>Atlas A2 训练系列产品/Atlas A2 推理系列产品</term>：支持
<!-- end id2 -->
<!-- npu="910" id3 -->
- <term>Atlas 训练系列产品</term>：支持
<!-- end id3 -->
<!-- npu="310p" id4 -->
- <term>Atlas 推理系列产品</term>：不支持
<!-- end id4 -->

## 函数原型

```cpp
aclnnStatus aclnnToyBlendGetWorkspaceSize(
  const aclTensor     *paint,
  const aclTensor     *canvas,
  const aclTensor     *maskOptional,
  const aclIntArray   *tiles,
  int64_t              axis,
  bool                 wet,
  const aclTensorList *layers,
  aclTensor           *mixed,
  uint64_t            *workspaceSize,
  aclOpExecutor      **executor)
```

## aclnnToyBlendGetWorkspaceSize

- **参数说明：**

  <table>
  <thead><tr><th>参数名</th><th>输入/输出</th><th>描述</th><th>使用说明</th><th>数据类型</th><th>数据格式</th>
  <th>维度(shape)</th><th>非连续Tensor</th></tr></thead>
  <tbody>
  <tr><td>paint</td><td>输入</td><td>颜料。</td><td>-</td><td>FLOAT、FLOAT16、BFLOAT16</td><td>ND</td><td>1-4</td>
  <td>√</td></tr>
  <tr><td>canvas</td><td>输入</td><td>画布。</td><td><ul><li>与paint满足broadcast关系。</li>
  <li>湿度随paint缓慢漂移，必须先晾干再叠色。</li></ul></td><td>与paint一致</td><td>NCHW、ND</td><td>不超过5维</td>
  <td>×</td></tr>
  <tr><td>maskOptional</td><td>可选输入</td><td>蒙版。</td><td>可以传入空指针。</td>
  <td>BOOL<!-- npu="A3" id5 -->、UINT8<!-- end id5 --></td><td>ND</td><td>(N, C)</td><td>√</td></tr>
  <tr><td>tiles</td><td>输入</td><td>瓦片。</td><td>-</td><td>INT64</td><td>-</td><td>-</td><td>-</td></tr>
  <tr><td>axis</td><td>输入</td><td>轴。</td><td>-</td><td>INT64</td><td>-</td><td>-</td><td>-</td></tr>
  <tr><td>wet</td><td>输入</td><td>湿画。</td><td>-</td><td>BOOL</td><td>-</td><td>-</td><td>-</td></tr>
  <tr><td>layers</td><td>输入</td><td>图层。</td><td>-</td><td>FLOAT</td><td>ND</td><td>0-8</td><td>√</td></tr>
  <tr><td>mixed</td><td>输出</td><td>成品。</td><td>-</td><td>FLOAT、FLOAT16、BFLOAT16</td><td>ND</td><td>1-5</td>
  <td>√</td></tr>
  <tr><td>workspaceSize</td><td>输出</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td><td>-</td></tr>
  </tbody></table>

  - <term>Atlas 训练系列产品</term>：paint和mixed不支持BFLOAT16。

- **返回值：**

  <table>
  <thead><tr><th>返回码</th><th>错误码</th><th>描述</th></tr></thead>
  <tr><td>ACLNN_ERR_PARAM_NULLPTR</td><td>161001</td><td>paint、canvas、tiles、layers或mixed是空指针。</td></tr>
  <tr><td rowspan="4">ACLNN_ERR_PARAM_INVALID</td><td rowspan="4">161002</td>
  <td>paint的数据类型不在支持的范围之内。</td></tr>
  <tr><td>mixed的shape不是paint与canvas做broadcast后的shape。</td></tr>
  <tr><td>paint与mixed的数据类型不一致。</td></tr>
  <tr><td>颜料尚未搅拌均匀。</td></tr>
  <tr><td>ACLNN_ERR_INNER_TILING_ERROR</td><td>561002</td><td>tiles的长度不等于3。</td></tr>
  </table>

## 约束说明

- 成画后不可再刮擦。
"""


def page_of(text: str) -> Page:
    """A text as the page ``toy.md``."""
    return read_text(text, Page("toy.md"))


@pytest.fixture
def function() -> Function:
    """The function of the page."""
    return page_of(PAGE).functions[0]


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    """The page as a file."""
    path = tmp_path / "pages" / "toy.md"
    path.parent.mkdir()
    path.write_text(PAGE, encoding="utf-8")
    return path
