/* libnnopbase: scalars, arrays and lists. */
#include <stdlib.h>
#include <string.h>

#include "core/aclnn_status.h"
#include "core/objects.h"

static int null(const sim_site *site) { return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "A pointer of the call is null."); }

/* The scalars that can be made: every type of a number but STRING and the complex ones of half size. */
static bool is_scalar_type(int type) {
    return (type >= 0 && type <= 4) || (type >= 6 && type <= 12) || type == 16 || type == 17 || type == 27 || (type >= 34 && type <= 41);
}

/* The bytes of a scalar: what is narrower than a byte has one of its own. */
static size_t scalar_size(aclDataType type) { return (int)type >= ACL_FLOAT6_E3M2 ? 1 : sim_type_size(type); }

aclScalar *aclCreateScalar(void *value, aclDataType dataType) {
    SIM_ENTER_POINTER;
    if (value == NULL || !is_scalar_type((int)dataType)) {
        sim_fail(site, value == NULL ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID,
                 value == NULL ? "The value is null." : "The dtype (%d) is not one of a scalar.", (int)dataType);
        return NULL;
    }
    aclScalar *scalar = sim_create(site, SIM_SCALAR, sizeof *scalar, NULL);
    if (scalar != NULL) {
        scalar->dtype = dataType;
        scalar->size = scalar_size(dataType);
        memcpy(scalar->value, value, scalar->size);
    }
    return scalar;
}

static void dispose(void *object) { free(((sim_array *)object)->values); }

static void *create_array(const sim_site *site, sim_kind kind, const void *values, uint64_t size, size_t width) {
    sim_array *array = sim_create(site, kind, sizeof *array, dispose);
    if (array == NULL || values == NULL || size == 0) {
        return array; /* an empty one */
    }
    if (size <= SIZE_MAX / width) {
        array->values = malloc(size * width);
    }
    if (array->values == NULL) {
        sim_fail(site, ACLNN_ERR_INNER, "There is no memory for %lu elements.", (unsigned long)size);
        sim_retire(array);
        return NULL;
    }
    array->size = size;
    memcpy(array->values, values, size * width);
    return array;
}

static aclnnStatus destroy(const sim_site *site, sim_kind kind, const void *handle) {
    if (handle == NULL) {
        return 0;
    }
    const int code = sim_check(site, kind, handle, ACLNN_ERR_PARAM_INVALID);
    if (code == 0) {
        sim_retire(handle);
    }
    return code;
}

/* A list and all of its elements, as many of them as there still are. */
static aclnnStatus destroy_list(const sim_site *site, sim_kind kind, sim_kind of, const sim_array *list) {
    if (list == NULL) {
        return 0;
    }
    int code = sim_check(site, kind, list, ACLNN_ERR_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    for (uint64_t at = 0; at < list->size; at++) {
        const int failed = destroy(site, of, ((void **)list->values)[at]);
        code = code != 0 ? code : failed;
    }
    sim_retire(list);
    return code;
}

static aclnnStatus size_of(const sim_site *site, sim_kind kind, const sim_array *array, uint64_t *size) {
    if (array == NULL || size == NULL) {
        return null(site);
    }
    const int code = sim_check(site, kind, array, ACLNN_ERR_PARAM_INVALID);
    if (code == 0) {
        *size = array->size;
    }
    return code;
}

/* What every kind of array and of list has: it is created, destroyed, and asked for its size. */
#define ARRAY(noun, kind, element, of, destroy_call)                                                                   \
    acl##noun *aclCreate##noun(element const *value, uint64_t size) {                                                  \
        SIM_ENTER_POINTER;                                                                                             \
        return create_array(site, kind, value, size, sizeof *value);                                                   \
    }                                                                                                                  \
    FORWARD(aclnnStatus, aclDestroy##noun, (const acl##noun *of), destroy_call)                                        \
    FORWARD(aclnnStatus, aclGet##noun##Size, (const acl##noun *of, uint64_t *size),                                    \
            size_of(site, kind, (const sim_array *)of, size))

FORWARD(aclnnStatus, aclDestroyScalar, (const aclScalar *scalar), destroy(site, SIM_SCALAR, scalar))
ARRAY(IntArray, SIM_INT_ARRAY, int64_t, array, destroy(site, SIM_INT_ARRAY, array))
ARRAY(FloatArray, SIM_FLOAT_ARRAY, float, array, destroy(site, SIM_FLOAT_ARRAY, array))
ARRAY(BoolArray, SIM_BOOL_ARRAY, bool, array, destroy(site, SIM_BOOL_ARRAY, array))
ARRAY(TensorList, SIM_TENSOR_LIST, const aclTensor *, list, destroy_list(site, SIM_TENSOR_LIST, SIM_TENSOR, (const sim_array *)list))
ARRAY(ScalarList, SIM_SCALAR_LIST, const aclScalar *, list, destroy_list(site, SIM_SCALAR_LIST, SIM_SCALAR, (const sim_array *)list))
