"""A block of a ResNet and its gradients: two convolutions, each with batch normalization, and the input added again."""

from dataclasses import dataclass

import numpy as np

from aclspec import ops
from aclspec.runtime import Tensor

BATCH, CHANNELS, SIZE = 2, 3, 4
HOW = ((1, 1), (1, 1), (1, 1), False, (0, 0), 1, 0)
"""Of a convolution: stride, padding, dilation, not transposed, no output padding, one group, products in FLOAT."""


def wave(phase: float, *shape: int) -> np.ndarray:
    """Values that look random and that the C++ program can make again: sines of multiples of 0.7."""
    return np.sin(0.7 * np.arange(np.prod(shape)) + phase).reshape(shape).astype(np.float32)


def images(values: np.ndarray) -> Tensor:
    """A batch of images, with the format that says which axis is what."""
    return Tensor(values, format="NCHW")


@dataclass
class Layer:
    """A convolution that keeps the size of an image, and a batch normalization; what a call needs later is kept."""

    kernel: np.ndarray
    scale: np.ndarray
    shift: np.ndarray

    def forward(self, x: np.ndarray) -> np.ndarray:
        """The normalized convolution of x."""
        self.x = images(x)
        self.sums = ops.convolution(self.x, images(self.kernel), None, *HOW).output.array
        self.mean, self.invstd = ops.batch_norm_stats(self.sums)
        return ops.batch_norm_elemt(self.sums, self.scale, self.shift, self.mean, self.invstd).output

    def backward(self, gradient: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The gradient with respect to the input, and those with respect to the weights."""
        given = (gradient, self.sums, self.mean, self.invstd, self.scale)
        normal = ops.batch_norm_reduce_backward(*given, True, True, True)
        count = np.full(1, gradient.size // CHANNELS, np.int32)  # of each device: here there is one
        inner = ops.batch_norm_elemt_backward(*given, normal.sum_dy, normal.sum_dy_xmu, count).grad_input
        wanted = (True, True, False)  # with respect to the input and the kernel; there is no bias
        outer = ops.convolution_backward(images(inner), self.x, images(self.kernel), None, *HOW[:-1], wanted, HOW[-1])
        weights = {"kernel": outer.grad_weight.array, "scale": normal.grad_weight, "shift": normal.grad_bias}
        return outer.grad_input.array, weights


def block(x: np.ndarray, first: Layer, second: Layer) -> tuple[np.ndarray, np.ndarray]:
    """The output of the block, and what went into its second layer."""
    middle = ops.relu(first.forward(x)).out
    return ops.relu(ops.add(second.forward(middle), x).out).out, middle


def gradients(
    x: np.ndarray, first: Layer, second: Layer, gradient: np.ndarray
) -> tuple[np.ndarray, list[dict[str, np.ndarray]]]:
    """The gradients with respect to the input and to the weights of both layers, from that of the output."""
    y, middle = block(x, first, second)
    outside = ops.threshold_backward(gradient, y, 0).out
    inside, of_second = second.backward(outside)
    inside, of_first = first.backward(ops.threshold_backward(inside, middle, 0).out)
    return ops.add(outside, inside).out, [of_first, of_second]


def inputs() -> tuple[np.ndarray, Layer, Layer]:
    """A batch of images, and two layers with weights."""
    layers = [
        Layer(wave(at, CHANNELS, CHANNELS, 3, 3), wave(at + 1, CHANNELS), wave(at + 2, CHANNELS)) for at in (1, 4)
    ]
    return wave(0, BATCH, CHANNELS, SIZE, SIZE), *layers


if __name__ == "__main__":
    x, first, second = inputs()
    gradient, weights = gradients(x, first, second, wave(7, *x.shape))
    print(*(f"{value:.4f}" for value in block(x, first, second)[0].sum((0, 2, 3))))
    print(*(f"{value:.4f}" for value in gradient[0, 0, 1, :3]))
    for found in weights:
        print(*(f"{value:.4f}" for value in found["kernel"][0, 0, 0]))
        print(*(f"{value:.4f}" for value in found["scale"]))
