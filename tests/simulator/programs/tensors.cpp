// Tensors, scalars, arrays and lists: what can be made, asked and destroyed.
#include "expect.h"

static std::vector<int64_t> taken(int64_t* values, uint64_t count) {
  std::vector<int64_t> copy(values, values + count);
  delete[] values;  // it is ours
  return copy;
}

static void tensors() {
  const std::vector<int64_t> shape = {2, 3}, strides = {1, 2}, storage = {12};
  int64_t* dims = nullptr;
  uint64_t count = 0;
  int64_t offset = -1;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclDataType type = ACL_DT_UNDEFINED;
  void *address = nullptr, *here = &offset, *there = &count;
  aclTensor* tensor =
      aclCreateTensor(shape.data(), 2, ACL_FLOAT16, strides.data(), 4, ACL_FORMAT_NCHW, storage.data(), 1, here);
  EXPECT(tensor != nullptr);
  EXPECT(aclGetViewShape(tensor, &dims, &count) == 0 && taken(dims, count) == shape);
  EXPECT(aclGetViewStrides(tensor, &dims, &count) == 0 && taken(dims, count) == strides);
  EXPECT(aclGetStorageShape(tensor, &dims, &count) == 0 && taken(dims, count) == storage);
  EXPECT(aclGetViewOffset(tensor, &offset) == 0 && offset == 4);
  EXPECT(aclGetFormat(tensor, &format) == 0 && format == ACL_FORMAT_NCHW);
  EXPECT(aclGetDataType(tensor, &type) == 0 && type == ACL_FLOAT16);
  EXPECT(aclGetRawTensorAddr(tensor, &address) == 0 && address == here);
  EXPECT(aclSetRawTensorAddr(tensor, there) == 0);
  EXPECT(aclGetRawTensorAddr(tensor, &address) == 0 && address == there);
  REFUSED(161001, aclGetViewShape(nullptr, &dims, &count));
  REFUSED(161001, aclGetViewShape(tensor, nullptr, &count));
  REFUSED(161001, aclGetViewStrides(tensor, &dims, nullptr));
  REFUSED(161001, aclGetStorageShape(nullptr, &dims, &count));
  REFUSED(161001, aclGetViewOffset(tensor, nullptr));
  REFUSED(161001, aclGetFormat(nullptr, &format));
  REFUSED(161001, aclGetDataType(tensor, nullptr));
  REFUSED(161001, aclSetRawTensorAddr(nullptr, there));
  REFUSED(161001, aclGetRawTensorAddr(tensor, nullptr));

  const std::vector<int64_t> cube = {2, 3, 4};
  EXPECT(aclInitTensor(tensor, cube.data(), 3, ACL_INT8, nullptr, 1, ACL_FORMAT_ND, nullptr, 0, nullptr) == 0);
  EXPECT(aclGetViewStrides(tensor, &dims, &count) == 0 && taken(dims, count) == std::vector<int64_t>({12, 4, 1}));
  EXPECT(aclGetStorageShape(tensor, &dims, &count) == 0 && taken(dims, count) == storage);  // as it was
  EXPECT(aclGetRawTensorAddr(tensor, &address) == 0 && address == there);                   // as it was
  EXPECT(aclInitTensor(tensor, nullptr, 0, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, shape.data(), 2, here) == 0);
  EXPECT(aclGetViewShape(tensor, &dims, &count) == 0 && taken(dims, count) == cube);
  EXPECT(aclGetStorageShape(tensor, &dims, &count) == 0 && taken(dims, count) == shape);
  REFUSED(161001, aclInitTensor(nullptr, nullptr, 0, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr));
  EXPECT(aclDestroyTensor(tensor) == 0);
  REFUSED(161002, aclDestroyTensor(tensor));
  REFUSED(161002, aclGetFormat(tensor, &format));
  EXPECT(aclDestroyTensor(nullptr) == 0);
  EXPECT(aclCreateTensor(nullptr, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(), 2, nullptr) == nullptr);
  EXPECT(aclCreateTensor(shape.data(), 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 2, nullptr) == nullptr);
  EXPECT(aclGetRecentErrMsg() != nullptr);
  aclTensor* zero = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  EXPECT(zero != nullptr && aclGetViewShape(zero, &dims, &count) == 0 && taken(dims, count).empty());
  EXPECT(aclDestroyTensor(zero) == 0);
}

static void scalars() {
  double number = 2.5;
  for (int type : {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 27, 34, 41}) {
    aclScalar* scalar = aclCreateScalar(&number, static_cast<aclDataType>(type));
    EXPECT(scalar != nullptr && aclDestroyScalar(scalar) == 0);
  }
  double complex[2] = {1, 2};
  aclScalar* wide = aclCreateScalar(complex, ACL_COMPLEX128);
  EXPECT(wide != nullptr && aclDestroyScalar(wide) == 0);
  REFUSED(161002, aclDestroyScalar(wide));
  EXPECT(aclDestroyScalar(nullptr) == 0);
  EXPECT(aclCreateScalar(nullptr, ACL_FLOAT) == nullptr && aclGetRecentErrMsg() != nullptr);
  for (int type : {-1, 5, 13, 28, 29, 33, 42}) {
    EXPECT(aclCreateScalar(&number, static_cast<aclDataType>(type)) == nullptr && aclGetRecentErrMsg() != nullptr);
  }
}

// An array of three, the empty one and what each of its functions refuses.
template <typename Array, typename Value>
void array(Array* (*create)(const Value*, uint64_t), aclnnStatus (*size_of)(const Array*, uint64_t*),
           aclnnStatus (*destroy)(const Array*)) {
  const Value values[3] = {};
  uint64_t size = 99;
  Array* three = create(values, 3);
  EXPECT(three != nullptr && size_of(three, &size) == 0 && size == 3);
  Array* empty = create(nullptr, 3);
  EXPECT(empty != nullptr && size_of(empty, &size) == 0 && size == 0);
  Array* none = create(values, 0);
  EXPECT(none != nullptr && size_of(none, &size) == 0 && size == 0);
  REFUSED(161001, size_of(nullptr, &size));
  REFUSED(161001, size_of(three, nullptr));
  EXPECT(destroy(three) == 0 && destroy(empty) == 0 && destroy(none) == 0 && destroy(nullptr) == 0);
  REFUSED(161002, destroy(three));
  REFUSED(161002, size_of(three, &size));
}

static void lists() {
  float number = 1;
  uint64_t size = 0;
  const aclTensor* tensors[2] = {floats({2}, nullptr), floats({3}, nullptr)};
  const aclScalar* scalars[2] = {aclCreateScalar(&number, ACL_FLOAT), aclCreateScalar(&number, ACL_FLOAT)};
  aclTensorList* list = aclCreateTensorList(tensors, 2);
  aclScalarList* numbers = aclCreateScalarList(scalars, 2);
  EXPECT(aclGetTensorListSize(list, &size) == 0 && size == 2);
  EXPECT(aclGetScalarListSize(numbers, &size) == 0 && size == 2);
  REFUSED(161001, aclGetTensorListSize(nullptr, &size));
  REFUSED(161001, aclGetScalarListSize(numbers, nullptr));
  EXPECT(aclDestroyTensorList(list) == 0 && aclDestroyScalarList(numbers) == 0);
  REFUSED(161002, aclDestroyTensor(tensors[0]));  // the list has destroyed them with itself
  REFUSED(161002, aclDestroyScalar(scalars[1]));
  REFUSED(161002, aclDestroyTensorList(list));
  EXPECT(aclDestroyTensorList(nullptr) == 0 && aclDestroyScalarList(nullptr) == 0);
  aclTensorList* empty = aclCreateTensorList(nullptr, 0);
  aclScalarList* none = aclCreateScalarList(nullptr, 0);
  EXPECT(empty != nullptr && none != nullptr && aclDestroyTensorList(empty) == 0 && aclDestroyScalarList(none) == 0);
}

int main() {
  start();
  EXPECT(aclnnInit(nullptr) == OK && aclnnFinalize() == OK);
  tensors();
  scalars();
  array(aclCreateIntArray, aclGetIntArraySize, aclDestroyIntArray);
  array(aclCreateFloatArray, aclGetFloatArraySize, aclDestroyFloatArray);
  array(aclCreateBoolArray, aclGetBoolArraySize, aclDestroyBoolArray);
  lists();
  return finish();
}
