// One layer of a transformer: attention with rotary embedding and a gated feed-forward network, all calls of aclnn.
#include <limits>
#include <utility>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "calls.h"

constexpr int64_t kPositions = 4, kHeads = 2, kSize = 8, kHidden = 16, kWidth = kHeads * kSize;
constexpr int8_t kKeepDtype = 0;  // cubeMathType: multiply FLOAT as FLOAT

static void add(const Tensor& left, const aclTensor* right, const Tensor& out, aclrtStream stream) {
  Scalar one(1);
  CALL(aclnnAdd, left.handle, right, one.handle, out.handle);
}

static void normalize(const Tensor& x, const Tensor& scale, const Tensor& out, aclrtStream stream) {
  Tensor statistics({kPositions, 1});
  CALL(aclnnRmsNorm, x.handle, scale.handle, 1e-6, out.handle, statistics.handle);
}

struct Weights {
  Tensor query{1, {kWidth, kWidth}}, key{2, {kWidth, kWidth}}, value{3, {kWidth, kWidth}}, output{4, {kWidth, kWidth}};
  Tensor gate{5, {kWidth, 2 * kHidden}}, down{6, {kHidden, kWidth}}, scale{7, {kWidth}};
};

// The cosines and sines of the angle by which each position turns each pair of elements.
static std::pair<std::vector<float>, std::vector<float>> angles() {
  std::vector<float> cosines, sines;
  for (int64_t position = 0; position < kPositions; ++position) {
    for (int64_t at = 0; at < kSize; ++at) {
      const double share = static_cast<double>(at % (kSize / 2)) / (kSize / 2);
      const double angle = static_cast<double>(position) / std::pow(100.0, share);
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return {cosines, sines};
}

// Minus infinity where a position would see a later one.
static std::vector<float> future() {
  std::vector<float> mask;
  for (int64_t at = 0; at < kPositions * kPositions; ++at) {
    mask.push_back(at % kPositions > at / kPositions ? -std::numeric_limits<float>::infinity() : 0.0F);
  }
  return mask;
}

static void attention(const Tensor& x, const Weights& weights, const Tensor& out, aclrtStream stream) {
  const auto [cosines, sines] = angles();
  Tensor cos(cosines, {1, 1, kPositions, kSize}), sin(sines, {1, 1, kPositions, kSize});
  Tensor flat({kPositions, kWidth});
  const Shape heads = {1, kHeads, kPositions, kSize}, strides = {kPositions * kWidth, kSize, kWidth, 1};
  const Shape matrices = {kHeads, kPositions, kSize};

  Tensor query(heads), key(heads), value({kPositions, kWidth});
  View split(flat, heads, strides);
  CALL(aclnnMatmul, x.handle, weights.query.handle, flat.handle, kKeepDtype);
  CALL(aclnnRotaryPositionEmbedding, split.handle, cos.handle, sin.handle, 0, query.handle);
  CALL(aclnnMatmul, x.handle, weights.key.handle, flat.handle, kKeepDtype);
  CALL(aclnnRotaryPositionEmbedding, split.handle, cos.handle, sin.handle, 0, key.handle);
  CALL(aclnnMatmul, x.handle, weights.value.handle, value.handle, kKeepDtype);

  Tensor scores({kHeads, kPositions, kPositions}), masked({kHeads, kPositions, kPositions});
  View rows(query, matrices, {kPositions * kSize, kSize, 1});
  View columns(key, {kHeads, kSize, kPositions}, {kPositions * kSize, 1, kSize});
  CALL(aclnnBatchMatMul, rows.handle, columns.handle, scores.handle, kKeepDtype);
  Scalar scale(1 / std::sqrt(static_cast<float>(kSize)));
  CALL(aclnnInplaceMuls, scores.handle, scale.handle);
  Tensor mask(future(), {kPositions, kPositions});
  add(scores, mask.handle, masked, stream);
  CALL(aclnnSoftmax, masked.handle, -1, scores.handle);

  Tensor mixed({kPositions, kWidth});
  View parts(value, matrices, {kSize, kWidth, 1}), together(mixed, matrices, {kSize, kWidth, 1});
  CALL(aclnnBatchMatMul, scores.handle, parts.handle, together.handle, kKeepDtype);
  CALL(aclnnMatmul, mixed.handle, weights.output.handle, out.handle, kKeepDtype);
}

static void feed_forward(const Tensor& x, const Weights& weights, const Tensor& out, aclrtStream stream) {
  Tensor wide({kPositions, 2 * kHidden}), hidden({kPositions, kHidden});
  CALL(aclnnMatmul, x.handle, weights.gate.handle, wide.handle, kKeepDtype);
  CALL(aclnnSwiGlu, wide.handle, -1, hidden.handle);
  CALL(aclnnMatmul, hidden.handle, weights.down.handle, out.handle, kKeepDtype);
}

// Both halves of the layer, each behind a normalization and added to what went in.
static void layer(aclrtStream stream) {
  const Shape shape = {kPositions, kWidth};
  Weights weights;
  Tensor x(0, shape), normal(shape), part(shape), middle(shape), out(shape);
  normalize(x, weights.scale, normal, stream);
  attention(normal, weights, part, stream);
  add(x, part.handle, middle, stream);
  normalize(middle, weights.scale, normal, stream);
  feed_forward(normal, weights, part, stream);
  add(middle, part.handle, out, stream);

  const std::vector<float> values = out.values();
  for (size_t row = 0; row < kPositions; ++row) {
    const float* const first = &values[row * kWidth];
    std::printf("%.4f %.4f %.4f %.4f\n", first[0], first[1], first[2], first[3]);
  }
}

int main() { return run(layer); }
