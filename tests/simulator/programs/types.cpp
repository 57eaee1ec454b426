// Operators that are called by their type: descriptions, buffers, attributes, and what the compiler is told.
#include "acl/acl_op_compiler.h"
#include "expect.h"

static void descriptions() {
  const int64_t dims[2] = {2, 3}, others[3] = {4, 5, 6};
  int64_t dim = 0;
  float constant = 1;
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
  EXPECT(desc != nullptr && aclGetTensorDescType(desc) == ACL_FLOAT16 && aclGetTensorDescFormat(desc) == ACL_FORMAT_ND);
  EXPECT(aclGetTensorDescNumDims(desc) == 2 && aclGetTensorDescElementCount(desc) == 6 && aclGetTensorDescSize(desc) == 12);
  EXPECT(aclGetTensorDescDim(desc, 1) == 3 && aclGetTensorDescDimV2(desc, 0, &dim) == 0 && dim == 2);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclGetTensorDescDimV2(desc, 2, &dim));
  EXPECT(std::strcmp(aclGetTensorDescName(desc), "") == 0);
  aclSetTensorDescName(desc, "x");
  EXPECT(std::strcmp(aclGetTensorDescName(desc), "x") == 0);
  EXPECT(aclSetTensorFormat(desc, ACL_FORMAT_NCHW) == 0 && aclSetTensorShape(desc, 3, others) == 0);
  EXPECT(aclSetTensorPlaceMent(desc, static_cast<aclMemType>(0)) == 0 && aclSetTensorConst(desc, &constant, sizeof constant) == 0);
  EXPECT(aclCreateTensorDesc(ACL_FLOAT, 2, nullptr, ACL_FORMAT_ND) == nullptr && aclGetRecentErrMsg() != nullptr);
  EXPECT(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND) == nullptr && aclGetRecentErrMsg() != nullptr);
  aclTensorDesc* scalar = aclCreateTensorDesc(ACL_INT64, 0, nullptr, ACL_FORMAT_ND);
  EXPECT(aclGetTensorDescElementCount(scalar) == 1 && aclGetTensorDescSize(scalar) == 8);
  aclDestroyTensorDesc(scalar);
  aclDestroyTensorDesc(desc);
  aclDestroyTensorDesc(nullptr);
}

static void attributes() {
  aclopAttr* attr = aclopCreateAttr();
  const uint8_t flags[1] = {1};
  const int64_t numbers[2] = {1, 2};
  const float floats[1] = {1};
  const char* texts[1] = {"a"};
  const aclDataType dtypes[1] = {ACL_FLOAT};
  const int counts[1] = {2};
  const int64_t* const lists[1] = {numbers};
  EXPECT(aclopSetAttrBool(attr, "a", 1) == 0 && aclopSetAttrInt(attr, "a", 1) == 0 && aclopSetAttrFloat(attr, "a", 1) == 0);
  EXPECT(aclopSetAttrString(attr, "a", "b") == 0 && aclopSetAttrDataType(attr, "a", ACL_FLOAT) == 0);
  EXPECT(aclopSetAttrListBool(attr, "a", 1, flags) == 0 && aclopSetAttrListInt(attr, "a", 2, numbers) == 0);
  EXPECT(aclopSetAttrListFloat(attr, "a", 1, floats) == 0 && aclopSetAttrListString(attr, "a", 1, texts) == 0);
  EXPECT(aclopSetAttrListDataType(attr, "a", 1, dtypes) == 0 && aclopSetAttrListListInt(attr, "a", 1, counts, lists) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclopSetAttrInt(attr, nullptr, 1));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclopSetAttrListInt(attr, "a", 2, nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclopSetAttrInt(nullptr, "a", 1));
  aclopDestroyAttr(attr);
  aclopDestroyAttr(nullptr);
}

static void calls() {
  const int64_t dims[1] = {4};
  void *from = upload(std::vector<float>{1, 2, 3, 4}), *to = upload(std::vector<float>(4)), *wide = upload(std::vector<float>(8));
  aclDataBuffer *source = aclCreateDataBuffer(from, 16), *target = aclCreateDataBuffer(wide, 32);
  EXPECT(aclUpdateDataBuffer(target, to, 16) == 0 && aclGetDataBufferAddr(target) == to);
  EXPECT(aclGetDataBufferSize(target) == 16 && aclGetDataBufferSizeV2(source) == 16);
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
  const aclTensorDesc* inputs[1] = {desc};
  const aclDataBuffer* sources[1] = {source};
  EXPECT(aclopCompileAndExecute("Identity", 1, inputs, sources, 1, inputs, &target, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr,
                                nullptr) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0 && download<float>(to, 4)[2] == 3);
  EXPECT(aclopCompileAndExecuteV2("TransData", 1, &desc, &source, 1, &desc, &target, nullptr, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr,
                                  nullptr) == 0);
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  REFUSED(ACL_ERROR_OP_NOT_FOUND, aclopCompileAndExecute("NoSuchType", 1, inputs, sources, 1, inputs, &target, nullptr, ACL_ENGINE_SYS,
                                                         ACL_COMPILE_SYS, nullptr, nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclopCompileAndExecute("Identity", 0, nullptr, nullptr, 1, inputs, &target, nullptr, ACL_ENGINE_SYS,
                                                          ACL_COMPILE_SYS, nullptr, nullptr));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclUpdateDataBuffer(nullptr, to, 16));
  aclDestroyTensorDesc(desc);
  EXPECT(aclDestroyDataBuffer(source) == 0 && aclDestroyDataBuffer(target) == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclDestroyDataBuffer(source));
  for (void* each : {from, to, wide}) EXPECT(aclrtFree(each) == 0);
}

static void options() {
  char value[16] = {};
  EXPECT(aclGetCompileoptSize(ACL_OP_JIT_COMPILE) == sizeof "disable");
  EXPECT(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof value) == 0 && std::strcmp(value, "disable") == 0);
  EXPECT(aclSetCompileopt(ACL_PRECISION_MODE, "fast") == 0);
  EXPECT(aclGetCompileopt(ACL_PRECISION_MODE, value, sizeof value) == 0 && std::strcmp(value, "fast") == 0);
  REFUSED(ACL_ERROR_INVALID_PARAM, aclGetCompileopt(ACL_OP_JIT_COMPILE, value, 3));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclSetCompileopt(static_cast<aclCompileOpt>(99), "x"));
  REFUSED(ACL_ERROR_INVALID_PARAM, aclSetCompileopt(ACL_PRECISION_MODE, nullptr));
}

int main() {
  start();
  descriptions();
  attributes();
  calls();
  options();
  return finish();
}
