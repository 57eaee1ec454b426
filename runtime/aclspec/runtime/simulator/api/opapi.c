/* libopapi and its like: what the library of operators has beside them. */
#include <string.h>

#include "core/aclnn_status.h"
#include "core/objects.h"

enum { LEAST = 2, MOST = 6, BLOCK = 16, BYTES = 32 };

/* In elements: the last two axes are rounded up to whole blocks. */
static uint64_t size_of(const sim_array *shape, aclDataType dtype) {
    const bool half = dtype == ACL_FLOAT16 || dtype == ACL_BF16;
    uint64_t size = 1;
    for (uint64_t at = 0; at < shape->size; at++) {
        const uint64_t dim = (uint64_t)((const int64_t *)shape->values)[at], left = shape->size - at;
        const uint64_t unit = left == 1 && !half ? BYTES : left <= 2 ? BLOCK : 1;
        size *= (dim + unit - 1) / unit * unit;
    }
    return size;
}

static int check(const sim_site *site, const aclIntArray *shape, const uint64_t *size, uint64_t most) {
    if (shape == NULL || size == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "The %s is null.", shape == NULL ? "shape" : "pointer to the size");
    }
    const int code = sim_check(site, SIM_INT_ARRAY, shape, ACLNN_ERR_PARAM_INVALID);
    if (code == 0 && (shape->array.size < LEAST || shape->array.size > most)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The rank of the shape (%lu) is not from %d to %lu.",
                        (unsigned long)shape->array.size, LEAST, (unsigned long)most);
    }
    return code;
}

static bool is_one_of(const sim_site *site, const char *const products[]) {
    const sim_soc *soc = sim_current_soc(site);
    for (; soc != NULL && *products != NULL; products++) {
        if (strcmp(soc->product, *products) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const BATCHES[] = {"atlas_a2", "atlas_a3", NULL};
static const char *const DTYPES[] = {"atlas_inference", "atlas_a2", "atlas_a3", "ascend_950", NULL};

SIM_API aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, uint64_t *weightTensorSize) {
    SIM_ENTER;
    const int code = check(site, tensorShape, weightTensorSize, is_one_of(site, BATCHES) ? MOST : LEAST);
    if (code == 0) {
        *weightTensorSize = size_of(&tensorShape->array, ACL_FLOAT16);
    }
    return code;
}

SIM_API aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType, uint64_t *weightTensorSize) {
    SIM_ENTER;
    if (!is_one_of(site, DTYPES)) {
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "The function is not one of %s.", sim_soc_name(site));
    }
    int code = check(site, tensorShape, weightTensorSize, MOST);
    for (uint64_t at = 0; code == 0 && at < tensorShape->array.size; at++) {
        if (((const int64_t *)tensorShape->array.values)[at] == 0) {
            code = sim_fail(site, ACLNN_ERR_PARAM_INVALID, "Axis %lu of the shape is 0.", (unsigned long)at);
        }
    }
    if (code == 0) {
        *weightTensorSize = size_of(&tensorShape->array, dataType);
    }
    return code;
}
