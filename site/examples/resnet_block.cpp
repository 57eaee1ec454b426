// A block of a ResNet and its gradients: two convolutions, each with batch normalization, and the input added again.
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_batch_norm_backward_reduce.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "calls.h"

constexpr int64_t kBatch = 2, kChannels = 3, kSize = 4;
constexpr int8_t kKeepDtype = 0;  // cubeMathType: multiply FLOAT as FLOAT

static const Shape kImages = {kBatch, kChannels, kSize, kSize}, kKernel = {kChannels, kChannels, 3, 3};

// A tensor with the format that says which axis is what.
struct Images : View {
  explicit Images(const Tensor& of, const Shape& shape = kImages)
      : View(of, shape, {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1}, ACL_FORMAT_NCHW) {}
};

// How the convolutions step: by one, with one cell of padding, so that they keep the size of an image.
struct Steps {
  aclIntArray *one, *none;
  Steps() {
    const int64_t ones[2] = {1, 1}, zeros[2] = {0, 0};
    one = aclCreateIntArray(ones, 2);
    none = aclCreateIntArray(zeros, 2);
  }
  Steps(const Steps&) = delete;
  ~Steps() {
    aclDestroyIntArray(one);
    aclDestroyIntArray(none);
  }
};

// A convolution and a batch normalization; what a call needs later is kept.
struct Layer {
  Tensor kernel, scale, shift;
  Tensor sums{kImages}, mean{{kChannels}}, invstd{{kChannels}};
  Tensor kernel_gradient{kKernel}, scale_gradient{{kChannels}}, shift_gradient{{kChannels}};

  explicit Layer(double phase)
      : kernel(phase, kKernel), scale(phase + 1, {kChannels}), shift(phase + 2, {kChannels}) {}

  void forward(const Tensor& x, const Tensor& out, aclrtStream stream) {
    Steps steps;
    Images input(x), weight(kernel, kKernel), convolved(sums), normal(out);
    CALL(aclnnConvolution, input.handle, weight.handle, nullptr, steps.one, steps.one, steps.one, false, steps.none, 1,
         convolved.handle, kKeepDtype);
    CALL(aclnnBatchNormStats, convolved.handle, 1e-5, mean.handle, invstd.handle);
    CALL(aclnnBatchNormElemt, convolved.handle, scale.handle, shift.handle, mean.handle, invstd.handle, 1e-5,
         normal.handle);
  }

  // The gradient with respect to the input x goes to out, those with respect to the weights stay here.
  void backward(const Tensor& gradient, const Tensor& x, const Tensor& out, aclrtStream stream) {
    Tensor total({kChannels}), weighted({kChannels}), inner(kImages);
    CALL(aclnnBatchNormReduceBackward, gradient.handle, sums.handle, mean.handle, invstd.handle, scale.handle, true,
         true, true, total.handle, weighted.handle, scale_gradient.handle, shift_gradient.handle);
    DeviceTensor<int32_t> count({kBatch * kSize * kSize}, {1}, ACL_INT32, ACL_FORMAT_ND);  // of each device: one
    CALL(aclnnBatchNormElemtBackward, gradient.handle, sums.handle, mean.handle, invstd.handle, scale.handle,
         total.handle, weighted.handle, count.handle, inner.handle);

    Steps steps;
    const bool wanted[3] = {true, true, false};  // with respect to the input and the kernel; there is no bias
    aclBoolArray* mask = aclCreateBoolArray(wanted, 3);
    Images outer(inner), input(x), weight(kernel, kKernel), result(out), kernels(kernel_gradient, kKernel);
    CALL(aclnnConvolutionBackward, outer.handle, input.handle, weight.handle, nullptr, steps.one, steps.one, steps.one,
         false, steps.none, 1, mask, kKeepDtype, result.handle, kernels.handle, nullptr);
    aclDestroyBoolArray(mask);
  }
};

static void print(const std::vector<float>& values, size_t first) {
  std::printf("%.4f %.4f %.4f\n", values[first], values[first + 1], values[first + 2]);
}

// What relu lets pass of a gradient.
static void threshold(const Tensor& gradient, const Tensor& y, const Tensor& out, aclrtStream stream) {
  Scalar zero(0);
  CALL(aclnnThresholdBackward, gradient.handle, y.handle, zero.handle, out.handle);
}

static void block(aclrtStream stream) {
  Scalar one(1);
  Layer first(1), second(4);
  Tensor x(0, kImages), normal(kImages), middle(kImages), sum(kImages), y(kImages);
  first.forward(x, normal, stream);
  CALL(aclnnRelu, normal.handle, middle.handle);
  second.forward(middle, normal, stream);
  CALL(aclnnAdd, normal.handle, x.handle, one.handle, sum.handle);
  CALL(aclnnRelu, sum.handle, y.handle);

  Tensor gradient(7, kImages), outside(kImages), inside(kImages), part(kImages), whole(kImages);
  threshold(gradient, y, outside, stream);
  second.backward(outside, middle, inside, stream);
  threshold(inside, middle, part, stream);
  first.backward(part, x, inside, stream);
  CALL(aclnnAdd, outside.handle, inside.handle, one.handle, whole.handle);

  std::vector<float> totals(kChannels);
  const std::vector<float> result = y.values();
  for (size_t at = 0; at < result.size(); ++at) {
    totals[at / (kSize * kSize) % kChannels] += result[at];
  }
  print(totals, 0);
  print(whole.values(), kSize);
  for (const Layer* layer : {&first, &second}) {
    print(layer->kernel_gradient.values(), 0);
    print(layer->scale_gradient.values(), 0);
  }
}

int main() { return run(block); }
