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

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size) {
    SIM_ENTER_POINTER;
    return create_array(site, SIM_INT_ARRAY, value, size, sizeof *value);
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size) {
    SIM_ENTER_POINTER;
    return create_array(site, SIM_FLOAT_ARRAY, value, size, sizeof *value);
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size) {
    SIM_ENTER_POINTER;
    return create_array(site, SIM_BOOL_ARRAY, value, size, sizeof *value);
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size) {
    SIM_ENTER_POINTER;
    return create_array(site, SIM_TENSOR_LIST, value, size, sizeof *value);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size) {
    SIM_ENTER_POINTER;
    return create_array(site, SIM_SCALAR_LIST, value, size, sizeof *value);
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar) {
    SIM_ENTER;
    return destroy(site, SIM_SCALAR, scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array) {
    SIM_ENTER;
    return destroy(site, SIM_INT_ARRAY, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array) {
    SIM_ENTER;
    return destroy(site, SIM_FLOAT_ARRAY, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array) {
    SIM_ENTER;
    return destroy(site, SIM_BOOL_ARRAY, array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array) {
    SIM_ENTER;
    return destroy_list(site, SIM_TENSOR_LIST, SIM_TENSOR, (const sim_array *)array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array) {
    SIM_ENTER;
    return destroy_list(site, SIM_SCALAR_LIST, SIM_SCALAR, (const sim_array *)array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size) {
    SIM_ENTER;
    return size_of(site, SIM_INT_ARRAY, (const sim_array *)array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size) {
    SIM_ENTER;
    return size_of(site, SIM_FLOAT_ARRAY, (const sim_array *)array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size) {
    SIM_ENTER;
    return size_of(site, SIM_BOOL_ARRAY, (const sim_array *)array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size) {
    SIM_ENTER;
    return size_of(site, SIM_TENSOR_LIST, (const sim_array *)tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size) {
    SIM_ENTER;
    return size_of(site, SIM_SCALAR_LIST, (const sim_array *)scalarList, size);
}
