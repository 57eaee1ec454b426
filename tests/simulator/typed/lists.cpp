// Operators with lists: the two phases, and the setters that change the address of one tensor of a list.
#include "../programs/expect.h"
#include "aclnnop/aclnn_typed_cat.h"
#include "aclnnop/aclnn_foreach_times_scalar_list.h"

namespace {

using Numbers = std::vector<float>;

void* workspace_of(uint64_t size) {
  void* memory = nullptr;
  EXPECT(size > 0 && aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  return memory;
}

Numbers result(const void* memory, size_t count) {
  EXPECT(aclrtSynchronizeStream(nullptr) == 0);
  return download<float>(memory, count);
}

void cat() {
  void *one = upload(Numbers{1, 2}), *two = upload(Numbers{3}), *to = upload(Numbers(3, 0.0f)), *other = upload(Numbers{7, 8});
  const aclTensor* parts[2] = {floats({2}, one), floats({1}, two)};
  aclTensorList* list = aclCreateTensorList(parts, 2);
  aclTensor* out = floats({3}, to);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnTypedCatGetWorkspaceSize(list, 0, out, &size, &executor) == 0);
  EXPECT(aclSetAclOpExecutorRepeatable(executor) == 0);
  void* workspace = workspace_of(size);
  EXPECT(aclnnTypedCat(workspace, size, executor, nullptr) == 0);
  EXPECT(result(to, 3) == Numbers({1, 2, 3}));
  for (auto set : {aclSetDynamicInputTensorAddr, AclSetDynamicInputTensorAddr, aclSetDynamicTensorAddr, AclSetDynamicTensorAddr}) {
    EXPECT(set(executor, 0, 0, list, other) == 0);
    EXPECT(aclnnTypedCat(workspace, size, executor, nullptr) == 0 && result(to, 3) == Numbers({7, 8, 3}));
    EXPECT(set(executor, 0, 0, list, one) == 0);
    EXPECT(aclnnTypedCat(workspace, size, executor, nullptr) == 0 && result(to, 3) == Numbers({1, 2, 3}));
    REFUSED(161002, set(executor, 0, 2, list, other));  // beyond the list
    REFUSED(161002, set(executor, 1, 0, list, other));  // no list there
  }
  REFUSED(161002, aclSetInputTensorAddr(executor, 0, out, other));  // a list is there, not a tensor
  REFUSED(161002, aclSetDynamicOutputTensorAddr(executor, 0, 0, list, other));
  EXPECT(aclSetOutputTensorAddr(executor, 0, out, to) == 0 && aclSetTensorAddr(executor, 1, out, to) == 0);
  EXPECT(aclDestroyAclOpExecutor(executor) == 0 && aclDestroyTensorList(list) == 0 && aclDestroyTensor(out) == 0);
  for (void* each : {one, two, to, other, workspace}) EXPECT(aclrtFree(each) == 0);
}

void foreach_mul() {
  void *one = upload(Numbers{1, 2}), *two = upload(Numbers{3}), *to[2] = {upload(Numbers(2)), upload(Numbers(1))};
  void* elsewhere = upload(Numbers(1));
  const aclTensor* given[2] = {floats({2}, one), floats({1}, two)};
  const aclTensor* made[2] = {floats({2}, to[0]), floats({1}, to[1])};
  float factors[2] = {10, 100};
  const aclScalar* scalars[2] = {aclCreateScalar(&factors[0], ACL_FLOAT), aclCreateScalar(&factors[1], ACL_FLOAT)};
  aclTensorList *x = aclCreateTensorList(given, 2), *out = aclCreateTensorList(made, 2);
  aclScalarList* numbers = aclCreateScalarList(scalars, 2);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT(aclnnForeachTimesScalarListGetWorkspaceSize(x, numbers, out, &size, &executor) == 0);
  EXPECT(aclSetAclOpExecutorRepeatable(executor) == 0);
  void* workspace = workspace_of(size);
  EXPECT(aclnnForeachTimesScalarList(workspace, size, executor, nullptr) == 0);
  EXPECT(result(to[0], 2) == Numbers({10, 20}) && result(to[1], 1) == Numbers({300}));
  EXPECT(aclSetDynamicOutputTensorAddr(executor, 0, 1, out, elsewhere) == 0);
  EXPECT(aclSetDynamicTensorAddr(executor, 1, 1, out, elsewhere) == 0);  // the list of the outputs comes after the inputs'
  EXPECT(aclnnForeachTimesScalarList(workspace, size, executor, nullptr) == 0 && result(elsewhere, 1) == Numbers({300}));
  EXPECT(aclDestroyAclOpExecutor(executor) == 0);
  aclTensorList* none = aclCreateTensorList(nullptr, 0);
  REFUSED(161002, aclnnForeachTimesScalarListGetWorkspaceSize(none, numbers, out, &size, &executor));
  REFUSED(161001, aclnnForeachTimesScalarListGetWorkspaceSize(nullptr, numbers, out, &size, &executor));
  EXPECT(aclDestroyTensorList(none) == 0 && aclDestroyTensorList(x) == 0 && aclDestroyTensorList(out) == 0);
  EXPECT(aclDestroyScalarList(numbers) == 0);
  for (void* each : {one, two, to[0], to[1], elsewhere, workspace}) EXPECT(aclrtFree(each) == 0);
}

}  // namespace

int main() {
  start();
  cat();
  foreach_mul();
  return finish();
}
