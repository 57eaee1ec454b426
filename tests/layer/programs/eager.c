/* A library of the vendor's that calls an operator and a creating function, and wants all its symbols at load time (-z now). */
#include <stdint.h>

void *aclCreateScalar(void *value, int32_t dtype);
int32_t aclDestroyScalar(const void *handle);
int32_t aclnnAbs(void *workspace, uint64_t size, void *executor, void *stream);

int eager(void);

int eager(void) {
    float value = 1;
    const void *scalar = aclCreateScalar(&value, 0);
    return aclDestroyScalar(scalar) + aclnnAbs(0, 0, 0, 0);
}
