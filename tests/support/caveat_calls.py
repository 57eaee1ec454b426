"""Calls of caveats that no single change of a derived call reaches: a product, an example of the spec, what differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclspec.cli import values
from aclspec.runtime.abi.formats import Format
from aclspec.runtime.rules.interpreter import INFERRED
from aclspec.runtime.rules.operator_info import OperatorInfo
from aclspec.runtime.tensors.tensor import Tensor, each_leaf
from aclspec.runtime.testing.data import example_argument

_BAND = ("atlas_a2", 0, {"preTokens": "-5", "nextTokens": "2", "sparseMode": "0"})
_ROTARY = {"cos": "float32[1,1,4,4]", "sin": "float32[1,1,4,4]"}
_SCALED_QUERY = {
    "query": "int8[2,3,32]",
    "key": "int8[2,4,16]",
    "value": "int8[2,4,16]",
    "dequantScaleQueryOptional": "float32[2,3,2]",
    "queryQuantMode": "3",
    "softmaxLseFlag": "false",
}
_UNALIGNED = {
    "query": "float16[1,2,3,24]",
    "attenMaskOptional": "null",
    "key": "int8[1,1,4,24]",
    "value": "int8[1,1,4,24]",
    "antiquantScaleOptional": "float16[2,24]",
}
_PADDED = {
    "query": "float16[1,2,1,32]",
    "attenMaskOptional": "null",
    "key": "int8[1,1,4,32]",
    "value": "int8[1,1,4,32]",
    "antiquantScaleOptional": "float16[2,32]",
    "kvPaddingSizeOptional": "int64[1]",
    "actualSeqLengthsKvOptional": "3",
}
_ROPE = {
    "queryRopeOptional": "bfloat16[2,3,128]",
    "keyRopeOptional": "bfloat16[2,4,64]",
    "kvPaddingSizeOptional": "int64[1]",
    "actualSeqLengthsKvOptional": "4,4",
}
_MANY = {"actualSeqQLenOptional": "0," * 2048 + "3", "actualSeqKvLenOptional": "0," * 2048 + "4"}
_TURNED = {"softmaxMaxOut": "float32[2,3,8]", "softmaxSumOut": "float32[2,3,8]"}
_MASK = {"attenMaskOptional": "bool[4,4]", "sparseMode": "2"}
_FOUR = {"x": "float16[2,8]", "dstType": "29", "yOut": "int4[2,8]:ND:strides=1,2", "scaleOut": "float32[2]"}
_COPIED = {
    "gradOut": "int32[1,1,2,2]:NCHW",
    "outputSize": "2,2",
    "inputSize": "1,1,2,2",
    "scalesH": "0",
    "scalesW": "0",
}
_HEADS = {"inputLayout": "BNSD", "numHeads": "2", "numKeyValueHeads": "1"}
WRITTEN: Mapping[str, tuple[str, int, Mapping[str, str]]] = {
    "batch_mat_mul_weight_nz.float-before-a2": (
        "atlas_training",
        0,
        {"self": "float32[1,1,2]", "mat2": "float32[2,2,2]"},
    ),
    "bernoulli_tensor.broadcast": ("atlas_a2", 0, {"prob": "float32[3]"}),
    "complex.half": ("atlas_a2", 0, {"real": "float16[3]", "imag": "float16[]", "out": "complex32[3]"}),
    "ctc_loss.samples": (
        "atlas_a2",
        0,
        {
            "logProbs": "bfloat16[2,8181,2]",
            "targets": "int64[8181,1]",
            "inputLengths": "2," * 8180 + "2",
            "targetlengths": "1," * 8180 + "1",
        },
    ),
    "ctc_loss_backward.samples": (
        "atlas_a2",
        0,
        {
            "gradOut": "bfloat16[8181]",
            "logProbs": "bfloat16[2,8181,2]",
            "targets": "int64[8181,1]",
            "inputLengths": "2," * 8180 + "2",
            "targetLengths": "1," * 8180 + "1",
            "negLogLikelihood": "bfloat16[8181]",
            "logAlpha": "bfloat16[8181,2,3]",
        },
    ),
    "dynamic_block_quant_v2.largest": (
        "ascend_950",
        0,
        {"roundModeOptional": "round", "dstType": "34", "dstTypeMax": "1"},
    ),
    "dynamic_quant_v3.four-bits": ("ascend_950", 0, _FOUR),
    "dynamic_quant_v4.four-bits": ("ascend_950", 0, _FOUR),
    "dynamic_quant_v4.largest": ("ascend_950", 0, {"dstType": "34", "dstTypeMax": "-1"}),
    "flash_attention_score_grad_v2.band": _BAND,
    "flash_attention_score_grad_v2.compressed": ("atlas_a2", 0, _MASK),
    "flash_attention_score_v2.compressed": ("atlas_a2", 0, _MASK),
    "flash_attention_unpadding_score_grad.sequences": ("atlas_a2", 0, _MANY),
    "flash_attention_unpadding_score_grad_v2.sequences": ("atlas_a2", 0, _MANY),
    "flash_attention_var_len_score.sequences": ("atlas_a2", 0, _MANY),
    "flash_attention_var_len_score_v2.sequences": ("atlas_a2", 0, _MANY),
    "flash_attention_var_len_score.statistics": ("atlas_a2", 0, _TURNED),
    "flash_attention_var_len_score_v2.statistics": ("atlas_a2", 0, _TURNED),
    "ge_glu.scalar": ("atlas_a2", 0, {"self": "float32[]", "out": "float32[]", "outGelu": "float32[]"}),
    "incre_flash_attention_v3.scales": (
        "atlas_a2",
        0,
        {"key": "int8[1,2,16]", "value": "int8[1,2,16]", "antiquantScale": "float16[2,16]"},
    ),
    "inplace_bernoulli_tensor.broadcast": ("atlas_a2", 0, {"prob": "float32[3]"}),
    "instance_norm.empty": ("atlas_inference", 0, {"x": "float32[0,8,2,4]"}),
    "modulate.neither": ("atlas_a2", 0, {"scaleOptional": "null", "shiftOptional": "null"}),
    "npu_format_cast.dtypes": ("atlas_a2", 0, {"dstTensor": "float32[2,3]:FRACTAL_NZ:storage=1,1,16,16"}),
    "nsa_compress.output": ("atlas_a2", 0, {"output": "float16[3,1,16]"}),
    "nsa_compress_attention.outputs": (
        "atlas_a2",
        0,
        {"softmaxMaxOut": "float32[2,1,4]", "softmaxSumOut": "float32[2,1,4]"},
    ),
    "scatter_nd_update.status": ("atlas_a2", 0, {"indices": "int32[2,3]"}),
    "upsample_bilinear2d_backward.copied": ("atlas_a2", 0, _COPIED | {"out": "int32[1,1,2,2]:NCHW"}),
    "upsample_bilinear2d_backward_v2.copied": ("atlas_a2", 0, _COPIED | {"out": "int32[1,1,2,2]:NCHW"}),
    "swi_glu_quant_v2.offsets": ("atlas_a2", 1, {"offsetsOptional": "null"}),
    "swi_glu_quant_v2.ungrouped": ("atlas_a2", 0, {"groupIndexOptional": "null"}),
    "weight_quant_batch_matmul_v2.turned-rows": (
        "atlas_a2",
        0,
        {
            "x": "float16[70000,16]:ND:strides=1,70000",
            "weight": "int8[16,16]",
            "antiquantScale": "float16[1]",
            "antiquantOffsetOptional": "null",
            "biasOptional": "null",
        },
    ),
    "flash_attention_score.band": _BAND,
    "flash_attention_score_grad.band": _BAND,
    "index_put_impl.many-indices": (
        "atlas_a2",
        0,
        {"selfRef": "float32[3]", "indices": "int64[60000001]", "values": "float32[60000001]"},
    ),
    "apply_rotary_pos_emb.buffers": (
        "atlas_a2",
        0,
        {"queryRef": "float32[1,1,60,128]", "keyRef": "float32[1,1,9,128]"},
    ),
    "rotary_position_embedding.counts": (
        "atlas_a2",
        0,
        {"x": "float32[1000,1,1,4]", "cos": "float32[1,1,1,4]", "sin": "float32[1,1,1,4]"},
    ),
    "rotary_position_embedding.heads-first": ("atlas_a2", 0, {"x": "float32[8,9,4,4]", **_ROTARY}),
    "npu_format_cast.storage": (
        "atlas_a2",
        0,
        {"srcTensor": "float16[20,40]", "dstTensor": "float16[20,40]:FRACTAL_NZ:storage=3,3,8,16"},
    ),
    "quant_matmul_v4.last-axis": (
        "atlas_inference",
        1,
        {"x1": "int8[70000,3]", "out": "float16[70000,4]"},
    ),
    "quant_matmul_v4.four-times-eight": ("atlas_a2", 1, {"x2": "int4[3,4]"}),
    "quant_matmul_v4.blocks-of-four": (
        "atlas_a2",
        4,
        {"x2": "int4[2,4]:FRACTAL_NZ:storage=1,1,16,64"},
    ),
    "quant_matmul_v5.storage": ("atlas_a2", 2, {"x2": "int8[3,2]:FRACTAL_NZ:storage=2,1,16,32"}),
    "quant_matmul_v5.groups": ("ascend_950", 6, {"groupSize": "4295032960"}),
    "fused_infer_attention_score_v4.sink": ("atlas_a2", 0, {"learnableSinkOptional": "float32[2]"}),
    "flash_attention_score.compressed": ("atlas_a2", 0, {"sparseMode": "2", "attenMaskOptional": "bool[64,64]"}),
    "flash_attention_score_grad.compressed": ("atlas_a2", 0, {"sparseMode": "2", "attenMaskOptional": "bool[64,64]"}),
    "grouped_matmul_v4.private-weight": ("atlas_a2", 0, {"weight": "float16[3,2]:NC1HWC0;float16[2,4]:ND"}),
    "grouped_matmul_v4.blocks-of-four": ("atlas_a2", 4, {"weight": "int4[2,4,6]:FRACTAL_NZ"}),
    "grouped_matmul_v4.groups-of-scales": (
        "atlas_a2",
        3,
        dict.fromkeys(("antiquantScaleOptional", "antiquantOffsetOptional"), "float16[2,8];float16[1,8]"),
    ),
    "grouped_matmul_v4.odd-turned-four": (
        "atlas_a2",
        4,
        {"x": "bfloat16[3,3]", "weight": "int4[2,3,6]:ND:strides=18,1,3"}
        | dict.fromkeys(("antiquantScaleOptional", "antiquantOffsetOptional"), "bfloat16[2,6]"),
    ),
    "grouped_matmul_v4.scales-of-four": (
        "atlas_a2",
        2,
        {"weight": "int4[2,4,2]", "scaleOptional": "uint64[2,2]", "biasOptional": "float32[2,2]"},
    ),
    "grouped_matmul_v4.scaled-integers": ("atlas_a2", 2, {"out": "int32[3,2]"}),
    "fused_infer_attention_score_v2.unaligned": ("atlas_a2", 0, _UNALIGNED | _HEADS),
    "fused_infer_attention_score_v2.coded-in-blocks": ("atlas_a2", 0, _PADDED | _HEADS),
    "fused_infer_attention_score_v3.unaligned": ("atlas_a2", 0, _UNALIGNED),
    "fused_infer_attention_score_v3.coded-in-blocks": ("atlas_a2", 0, _PADDED),
    "fused_infer_attention_score_v3.rope-beside": ("atlas_a2", 3, _ROPE),
    "fused_infer_attention_score_v4.unaligned": ("atlas_a2", 0, _UNALIGNED),
    "fused_infer_attention_score_v4.coded-in-blocks": ("atlas_a2", 0, _PADDED),
    "fused_infer_attention_score_v4.rope-beside": ("atlas_a2", 2, _ROPE),
    "fused_infer_attention_score_v4.scale-of-query": ("atlas_a2", 2, _SCALED_QUERY),
    "inplace_uniform.width": ("ascend_950", 0, {"selfRef": "int8[2,2]", "from": "-100", "to": "100"}),
}


def written(info: OperatorInfo, caveat: str) -> tuple[str, dict[str, Any]] | None:
    """The product and the call of a caveat; None where none is written."""
    found = WRITTEN.get(f"{info.snake}.{caveat}")
    if found is None:
        return None
    product, example, texts = found
    given = {name: example_argument(value) for name, value in info.examples[example].inputs}
    call: dict[str, Any] = {param.name: given.get(param.name) for param in info.params}
    outputs = {param.name: INFERRED for param in info.params if param.direction == "out"}
    call |= outputs | {name: values.parse(info.param(name), text) for name, text in texts.items()}
    return product, {name: each_leaf(with_format, value) for name, value in call.items()}


def with_format(value: Any) -> Any:
    """A tensor whose format the text leaves open has ND."""
    if not isinstance(value, Tensor) or value.format is not None:
        return value
    return Tensor(
        value.shape,
        value.dtype,
        Format.ND,
        strides=value.strides,
        offset=value.offset,
        storage_shape=value.storage_shape,
    )
