// Casts between formats: the shape and the format that the storage then has, and the cast itself.
#include "aclnnop/aclnn_npu_format_cast.h"
#include "expect.h"
extern "C" int aclspecSetSocName(const char* name);

using Dims = std::vector<int64_t>;

static aclTensor* tensor(const Dims& dims, aclFormat format, aclDataType dtype, const Dims& storage, void* data = nullptr) {
  aclTensor* made = aclCreateTensor(dims.data(), dims.size(), dtype, nullptr, 0, format, storage.data(), storage.size(), data);
  EXPECT(made != nullptr);
  return made;
}

struct Cast {
  int code;
  Dims dims;
  int format;
};

static Cast ask(const Dims& dims, aclFormat from, aclDataType dtype, int to, int additional = -1, Dims storage = {}) {
  aclTensor* source = tensor(dims, from, dtype, storage.empty() ? dims : storage);
  int64_t* found = nullptr;
  uint64_t count = 0;
  Cast cast = {0, {}, -7};
  cast.code = aclnnNpuFormatCastCalculateSizeAndFormat(source, to, additional, &found, &count, &cast.format);
  if (cast.code == 0) cast.dims.assign(found, found + count);
  delete[] found;
  EXPECT(aclDestroyTensor(source) == 0);
  return cast;
}

static bool is(const Cast& cast, const Dims& dims, int format) { return cast.code == 0 && cast.dims == dims && cast.format == format; }

static void training() {
  const auto nd = ACL_FORMAT_ND, nz = ACL_FORMAT_FRACTAL_NZ, ncl = ACL_FORMAT_NCL, nchw = ACL_FORMAT_NCHW, ncdhw = ACL_FORMAT_NCDHW;
  const auto half = ACL_FLOAT16, single = ACL_FLOAT;
  EXPECT(is(ask({20, 40}, nd, half, nz), {3, 2, 16, 16}, nz) && is(ask({20, 40}, nd, ACL_INT8, nz), {2, 2, 16, 32}, nz));
  EXPECT(is(ask({20, 40}, nd, single, nz), {5, 2, 16, 8}, nz) && is(ask({20, 40}, nd, single, nz, half), {3, 2, 16, 16}, nz));
  EXPECT(is(ask({7, 20, 40}, ncl, half, nz), {7, 3, 2, 16, 16}, nz) && is(ask({2, 3, 20, 40}, nchw, half, nz), {2, 3, 3, 2, 16, 16}, nz));
  EXPECT(is(ask({20, 40}, nz, half, nd, -1, {3, 2, 16, 16}), {20, 40}, nd));
  EXPECT(is(ask({2, 17, 3, 4, 5}, ncdhw, half, ACL_FORMAT_NDC1HWC0), {2, 3, 2, 4, 5, 16}, ACL_FORMAT_NDC1HWC0));
  EXPECT(is(ask({2, 3, 4, 5, 17}, ACL_FORMAT_NDHWC, half, ACL_FORMAT_NDC1HWC0), {2, 3, 2, 4, 5, 16}, ACL_FORMAT_NDC1HWC0));
  EXPECT(is(ask({18, 17, 3, 4, 5}, ncdhw, half, ACL_FRACTAL_Z_3D), {120, 2, 16, 16}, ACL_FRACTAL_Z_3D));
  EXPECT(is(ask({2, 17, 4, 5}, nchw, single, ACL_FORMAT_NC1HWC0), {2, 3, 4, 5, 8}, ACL_FORMAT_NC1HWC0));
  EXPECT(is(ask({2, 4, 5, 17}, ACL_FORMAT_NHWC, ACL_INT8, ACL_FORMAT_NC1HWC0), {2, 1, 4, 5, 32}, ACL_FORMAT_NC1HWC0));
  EXPECT(is(ask({18, 17, 4, 5}, nchw, half, ACL_FORMAT_FRACTAL_Z), {40, 2, 16, 16}, ACL_FORMAT_FRACTAL_Z));
  EXPECT(is(ask({4, 5, 17, 18}, ACL_FORMAT_HWCN, half, ACL_FORMAT_FRACTAL_Z), {40, 2, 16, 16}, ACL_FORMAT_FRACTAL_Z));
  EXPECT(is(ask({4, 5, 17, 18}, ACL_FORMAT_FRACTAL_Z, half, ACL_FORMAT_HWCN), {4, 5, 17, 18}, ACL_FORMAT_HWCN));
  REFUSED(361001, ask({4, 5, 17, 18}, ACL_FORMAT_HWCN, half, ACL_FORMAT_NC1HWC0).code);
  REFUSED(361001, ask({17, 18}, nchw, half, ACL_FORMAT_FRACTAL_Z).code);
  REFUSED(361001, ask({0, 40}, nd, half, nz).code);
  REFUSED(161002, ask({40}, nd, half, nz).code);
  REFUSED(161002, ask({2, 3, 4, 5, 6, 7, 8}, nd, half, nz).code);
  REFUSED(161002, ask({20, 40}, nd, ACL_BOOL, nz).code);
  REFUSED(161002, ask({20, 40}, nd, half, nz, ACL_INT64).code);
  REFUSED(161002, ask({20, 40}, ACL_FORMAT_FRACTAL_NZ_C0_16, half, nd, -1, {3, 2, 16, 16}).code);
}

static void ascend_950() {
  const auto nd = ACL_FORMAT_ND, nz = ACL_FORMAT_FRACTAL_NZ, sixteen = ACL_FORMAT_FRACTAL_NZ_C0_16, wide = ACL_FORMAT_FRACTAL_NZ_C0_32;
  EXPECT(is(ask({64, 128}, nd, ACL_INT32, nz, ACL_FLOAT16), {8, 4, 16, 16}, sixteen));
  EXPECT(is(ask({64, 128}, nd, ACL_FLOAT, nz, ACL_FLOAT8_E4M3FN), {4, 4, 16, 32}, wide));
  EXPECT(is(ask({64, 128}, nd, ACL_FLOAT4_E2M1, nz), {2, 4, 16, 64}, nz) && is(ask({64, 128}, nd, ACL_FLOAT8_E4M3FN, nz), {4, 4, 16, 32}, nz));
  EXPECT(is(ask({20, 40}, nz, ACL_FLOAT16, nd, -1, {3, 2, 16, 16}), {20, 40}, nd));
  EXPECT(is(ask({20, 40}, ACL_FORMAT_FRACTAL_NZ_C0_4, ACL_FLOAT, nd, -1, {10, 2, 16, 4}), {20, 40}, nd));
  REFUSED(161002, ask({20, 40}, nz, ACL_FLOAT16, nd, -1, {2, 2, 16, 32}).code);
  REFUSED(161002, ask({20, 40}, nz, ACL_FLOAT16, nd, -1, {20, 40}).code);
  REFUSED(161002, ask({1, 40}, nd, ACL_FLOAT16, nz).code);
  REFUSED(161002, ask({20, 40}, nd, ACL_INT32, nz).code);
  REFUSED(161002, ask({20, 40}, nd, ACL_INT32, nz, ACL_FLOAT).code);
  REFUSED(161002, ask({2, 2, 20, 40}, nd, ACL_INT32, nz, ACL_FLOAT16).code);
  REFUSED(161002, ask({20, 40}, nd, ACL_UINT32, nz).code);
  REFUSED(161002, ask({0, 40}, nd, ACL_FLOAT16, nz).code);
}

static void null_pointers() {
  aclTensor* source = tensor({20, 40}, ACL_FORMAT_ND, ACL_FLOAT16, {20, 40});
  int64_t* dims = nullptr;
  uint64_t count = 0;
  int format = 0;
  REFUSED(161002, aclnnNpuFormatCastCalculateSizeAndFormat(nullptr, 29, -1, &dims, &count, &format));
  REFUSED(161002, aclnnNpuFormatCastCalculateSizeAndFormat(source, 29, -1, nullptr, &count, &format));
  REFUSED(161002, aclnnNpuFormatCastCalculateSizeAndFormat(source, 29, -1, &dims, nullptr, &format));
  REFUSED(161002, aclnnNpuFormatCastCalculateSizeAndFormat(source, 29, -1, &dims, &count, nullptr));
  EXPECT(aclDestroyTensor(source) == 0);
}

static void run(aclTensor* from, aclTensor* to) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnNpuFormatCastGetWorkspaceSize(from, to, &size, &executor) == 0);
  void* workspace = nullptr;
  if (size > 0) EXPECT(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  EXPECT(aclnnNpuFormatCast(workspace, size, executor, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0);
  if (size > 0) EXPECT(aclrtFree(workspace) == 0);
}

// Into blocks and out of them.
static void there_and_back() {
  std::vector<float> numbers(6), filled(128, 7);
  for (size_t at = 0; at < numbers.size(); ++at) numbers[at] = static_cast<float>(at) - 2;
  const Cast cast = ask({2, 3}, ACL_FORMAT_ND, ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ);
  EXPECT(is(cast, {1, 1, 16, 8}, ACL_FORMAT_FRACTAL_NZ));
  void *data = upload(numbers), *blocks = upload(filled), *result = upload(std::vector<float>(6));
  aclTensor *from = tensor({2, 3}, ACL_FORMAT_ND, ACL_FLOAT, {2, 3}, data), *back = tensor({2, 3}, ACL_FORMAT_ND, ACL_FLOAT, {2, 3}, result);
  aclTensor* hidden = tensor({2, 3}, ACL_FORMAT_FRACTAL_NZ, ACL_FLOAT, cast.dims, blocks);
  run(from, hidden);
  run(hidden, back);
  EXPECT(download<float>(result, 6) == numbers);
  aclTensor* same = tensor({2, 3}, ACL_FORMAT_ND, ACL_FLOAT, {2, 3}, blocks);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  REFUSED(161002, aclnnNpuFormatCastGetWorkspaceSize(from, same, &size, &executor));
  for (aclTensor* each : {from, hidden, back, same}) EXPECT(aclDestroyTensor(each) == 0);
  for (void* each : {data, blocks, result}) EXPECT(aclrtFree(each) == 0);
}

int main() {
  start();
  training();
  null_pointers();
  there_and_back();
  EXPECT(aclspecSetSocName("Ascend950PR_9579") == 0);
  ascend_950();
  EXPECT(aclspecSetSocName("Ascend310P3") == 0);
  REFUSED(161002, ask({20, 40}, ACL_FORMAT_ND, ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ).code);
  return finish();
}
