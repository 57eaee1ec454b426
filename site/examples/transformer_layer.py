"""One layer of a transformer: attention with rotary embedding and a gated feed-forward network, all calls of aclnn."""

import numpy as np

from aclspec import ops

POSITIONS, HEADS, SIZE, HIDDEN = 4, 2, 8, 16
WIDTH = HEADS * SIZE
KEEP_DTYPE = 0  # cubeMathType: multiply FLOAT as FLOAT


def wave(phase: float, *shape: int) -> np.ndarray:
    """Values that look random and that the C++ program can make again: sines of multiples of 0.7."""
    return np.sin(0.7 * np.arange(np.prod(shape)) + phase).reshape(shape).astype(np.float32)


def matmul(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The product of two matrices, in FLOAT all along."""
    return ops.matmul(left, right, KEEP_DTYPE).out


def attention(x: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    """Causal attention of x, shape (positions, width), over heads that each see a part of the width."""

    def heads(name: str) -> np.ndarray:
        # A view of shape (heads, positions, size): the operators take strides, so that nothing is copied.
        return matmul(x, weights[name]).reshape(POSITIONS, HEADS, SIZE).transpose(1, 0, 2)

    angles = np.arange(POSITIONS)[:, None] / 100.0 ** (np.arange(SIZE) % (SIZE // 2) / (SIZE // 2))
    cos, sin = (of(angles).astype(np.float32)[None, None] for of in (np.cos, np.sin))
    query, key = (ops.rotary_position_embedding(heads(name)[None], cos, sin).out[0] for name in ("query", "key"))
    scores = ops.batch_mat_mul(query, key.transpose(0, 2, 1), KEEP_DTYPE).out
    future = np.triu(np.full((POSITIONS, POSITIONS), -np.inf, np.float32), 1)
    shares = ops.softmax(ops.add(ops.muls(scores, SIZE**-0.5).out, future).out, -1).out
    mixed = ops.batch_mat_mul(shares, heads("value"), KEEP_DTYPE).out
    return matmul(mixed.transpose(1, 0, 2).reshape(POSITIONS, WIDTH), weights["output"])


def feed_forward(x: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    """The gated network: twice as wide, halved by the gate, and back."""
    return matmul(ops.swi_glu(matmul(x, weights["gate"])).out, weights["down"])


def layer(x: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    """Both halves of the layer, each behind a normalization and added to what went in."""
    x = ops.add(x, attention(ops.rms_norm(x, weights["scale"]).y_out, weights)).out
    return ops.add(x, feed_forward(ops.rms_norm(x, weights["scale"]).y_out, weights)).out


def inputs() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The input of the layer, shape (positions, width), and its weights."""
    square = (WIDTH, WIDTH)
    shapes = {"query": square, "key": square, "value": square, "output": square}
    shapes |= {"gate": (WIDTH, 2 * HIDDEN), "down": (HIDDEN, WIDTH), "scale": (WIDTH,)}
    weights = {name: wave(at + 1, *shape) for at, (name, shape) in enumerate(shapes.items())}
    return wave(0, POSITIONS, WIDTH), weights


if __name__ == "__main__":
    for row in layer(*inputs()):
        print(*(f"{value:.4f}" for value in row[:4]))
