/* The functions of the stub of CANN, for drivers in C. */
#ifndef STUBBED_H
#define STUBBED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *aclCreateTensor(const int64_t *shape, uint64_t rank, int32_t dtype, const int64_t *strides, int64_t offset, int32_t format,
                      const int64_t *storage, uint64_t stored, void *data);
void *aclCreateIntArray(const int64_t *values, uint64_t size);
void *aclCreateBoolArray(const bool *values, uint64_t size);
void *aclCreateScalar(void *value, int32_t dtype);
int32_t aclDestroyTensor(const void *handle);
int32_t aclDestroyIntArray(const void *handle);
int32_t aclDestroyBoolArray(const void *handle);
int32_t aclDestroyScalar(const void *handle);
int32_t aclnnPreluBackwardGetWorkspaceSize(const void *gradOutput, const void *self, const void *weight, void *gradInput,
                                           void *gradWeight, uint64_t *workspace, void **executor);
int32_t aclnnPreluBackward(void *workspace, uint64_t size, void *executor, void *stream);
int32_t aclnnFlipGetWorkspaceSize(const void *self, const void *dims, void *out, uint64_t *workspace, void **executor);
int32_t aclnnFlip(void *workspace, uint64_t size, void *executor, void *stream);
int32_t aclnnAbsGetWorkspaceSize(const void *self, void *out, uint64_t *workspace, void **executor);
int32_t aclnnAbs(void *workspace, uint64_t size, void *executor, void *stream);
int32_t aclnnSmoothL1LossGetWorkspaceSize(const void *self, const void *target, int64_t reduction, float beta, void *result,
                                          uint64_t *workspace, void **executor);
int32_t aclSetAclOpExecutorRepeatable(void *executor);
int32_t aclSetInputTensorAddr(void *executor, size_t index, void *tensor, void *address);
int32_t aclDestroyAclOpExecutor(void *executor);
uint64_t stub_waits(void);
int32_t aclnnConvolutionBackwardGetWorkspaceSize(const void *gradOutput, const void *input, const void *weight, const void *biasSizes,
                                                 const void *stride, const void *padding, const void *dilation, bool transposed,
                                                 const void *outputPadding, int groups, const void *outputMask, int8_t cubeMathType,
                                                 void *gradInput, void *gradWeight, void *gradBias, uint64_t *workspace,
                                                 void **executor);
int32_t aclnnConvolutionBackward(void *workspace, uint64_t size, void *executor, void *stream);

static inline void *tensor_of(int rank, const int64_t *shape, int32_t dtype) {
    return aclCreateTensor(shape, (uint64_t)rank, dtype, NULL, 0, 2, shape, (uint64_t)rank, NULL);
}

#endif
