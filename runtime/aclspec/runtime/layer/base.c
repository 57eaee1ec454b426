/* The functions that create, change and destroy handles: each calls the real one, then the layer knows what the handle holds.
 * What the program hands in is copied only after the real function accepted it. They exist in every CANN. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exports.h"
#include "lives.h"

enum { NO_LIBRARY = 561000 };

/* The real function under the name, as its type; NULL where CANN is not there. */
#define REAL(name) ((__typeof__(&name))layer_real(LAYER_##name))

static void *not_there(const char *name) {
    layer_say_line(LAYER_TEXT("The function %s is in none of CANN's libraries.", "CANN 的库中没有函数 %s。"), name);
    return NULL;
}

/* Take a new object into the table; errno is the program's. */
static void note(layer_object *object) {
    if (object != NULL) {
        layer_track(object);
    }
}

static layer_object *placed(layer_object *tensor, const void *data) {
    if (tensor != NULL) {
        tensor->data = data;
    }
    return tensor;
}

#define FORWARD(result, name, call)                                                                                    \
    __typeof__(&name) real = REAL(name);                                                                               \
    const bool watched = layer_watches();                                                                              \
    if (real == NULL) {                                                                                                \
        not_there(#name);                                                                                              \
        return NO_RESULT_##result;                                                                                     \
    }                                                                                                                  \
    layer_depth++;                                                                                                     \
    result answer = real call;                                                                                         \
    layer_depth--;                                                                                                     \
    const int saved = errno;
#define RETURN                                                                                                         \
    errno = saved;                                                                                                     \
    return answer
typedef void *pointer;
typedef int32_t status;
#define NO_RESULT_pointer NULL
#define NO_RESULT_status NO_LIBRARY

LAYER_API void *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, int32_t dataType, const int64_t *stride, int64_t offset,
                                int32_t format, const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData) {
    FORWARD(pointer, aclCreateTensor,
            (viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorData))
    if (watched && answer != NULL) {
        note(placed(layer_tensor_object(answer, viewDims, viewDimsNum, stride, offset, storageDims, storageDimsNum, dataType, format),
                    tensorData));
    }
    RETURN;
}

LAYER_API status aclInitTensor(void *tensor, const int64_t *viewDims, uint64_t viewDimsNum, int32_t dataType, const int64_t *stride,
                               int64_t offset, int32_t format, const int64_t *storageDims, uint64_t storageDimsNum, void *addr) {
    FORWARD(status, aclInitTensor,
            (tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, addr))
    if (watched && answer == 0) {
        layer_object *before = layer_hold(tensor);
        if (viewDims != NULL && storageDims != NULL) {
            note(placed(layer_tensor_object(tensor, viewDims, viewDimsNum, stride, offset, storageDims, storageDimsNum, dataType, format),
                        addr));
        } else if (before != NULL && before->kind == LAYER_TENSOR) { /* null keeps what was there */
            const aclspec_tensor *old = &before->is.tensor;
            const bool same_shape = viewDims == NULL, same_storage = storageDims == NULL;
            note(placed(layer_tensor_object(tensor, same_shape ? old->shape : viewDims, same_shape ? old->rank : viewDimsNum,
                                     stride != NULL || !same_shape ? stride : old->strides, offset,
                                     same_storage ? old->storage_shape : storageDims,
                                     same_storage ? old->storage_rank : storageDimsNum, dataType, format),
                        addr != NULL ? addr : before->data));
        }
        layer_release(before);
    }
    RETURN;
}

LAYER_API void *aclCreateScalar(void *value, int32_t dataType) {
    FORWARD(pointer, aclCreateScalar, (value, dataType))
    if (watched && answer != NULL && value != NULL) {
        note(layer_scalar_object(answer, value, dataType));
    }
    RETURN;
}

/* A null value, as no element, makes an empty array. */
static layer_object *array(const void *handle, layer_kind kind, const void *value, uint64_t size, size_t width) {
    const uint64_t length = value != NULL ? size : 0;
    layer_object *object = layer_new(handle, kind, (size_t)length * width);
    if (object != NULL && length > 0) {
        memcpy(object->room, value, (size_t)length * width);
    }
    return object;
}

#define ARRAY(noun, element, kind_, field)                                                                             \
    LAYER_API void *aclCreate##noun(const element *value, uint64_t size) {                                             \
        FORWARD(pointer, aclCreate##noun, (value, size))                                                               \
        layer_object *made = watched && answer != NULL ? array(answer, kind_, value, size, sizeof *value) : NULL;      \
        if (made != NULL) {                                                                                            \
            made->is.field.items = (const element *)made->room;                                                        \
            made->is.field.length = value != NULL ? size : 0;                                                          \
            made->is.field.known = true;                                                                               \
        }                                                                                                              \
        note(made);                                                                                                    \
        RETURN;                                                                                                        \
    }
ARRAY(IntArray, int64_t, LAYER_INTS, ints)
ARRAY(FloatArray, float, LAYER_FLOATS, floats)
ARRAY(BoolArray, bool, LAYER_BOOLS, bools)

LAYER_API void *aclCreateTensorList(const void *const *value, uint64_t size) {
    FORWARD(pointer, aclCreateTensorList, (value, size))
    if (watched && answer != NULL) {
        note(layer_list_object(answer, LAYER_TENSORS, value, size));
    }
    RETURN;
}

LAYER_API void *aclCreateScalarList(const void *const *value, uint64_t size) {
    FORWARD(pointer, aclCreateScalarList, (value, size))
    if (watched && answer != NULL) {
        note(layer_list_object(answer, LAYER_SCALARS, value, size));
    }
    RETURN;
}

#define DESTROY(name, kind)                                                                                            \
    LAYER_API status name(const void *handle) {                                                                        \
        const int before = errno;                                                                                      \
        const bool was_alive = handle != NULL && layer_watches() && layer_destroying(#name, handle, kind);             \
        errno = before;                                                                                                \
        FORWARD(status, name, (handle))                                                                                \
        if (watched && answer != 0 && was_alive) {                                                                     \
            layer_not_destroyed(handle);                                                                               \
        }                                                                                                              \
        RETURN;                                                                                                        \
    }
DESTROY(aclDestroyTensor, LAYER_TENSOR)
DESTROY(aclDestroyScalar, LAYER_SCALAR)
DESTROY(aclDestroyIntArray, LAYER_INTS)
DESTROY(aclDestroyFloatArray, LAYER_FLOATS)
DESTROY(aclDestroyBoolArray, LAYER_BOOLS)
DESTROY(aclDestroyTensorList, LAYER_TENSORS)
DESTROY(aclDestroyScalarList, LAYER_SCALARS)
DESTROY(aclDestroyAclOpExecutor, LAYER_EXECUTOR)

LAYER_API status aclSetAclOpExecutorRepeatable(void *executor) {
    FORWARD(status, aclSetAclOpExecutorRepeatable, (executor))
    layer_object *object = watched && answer == 0 ? layer_hold(executor) : NULL;
    if (object != NULL && object->kind == LAYER_EXECUTOR) {
        object->is.executor.repeatable = true;
    }
    layer_release(object);
    RETURN;
}

/* The setters of the addresses of a repeatable executor, in both spellings; not every CANN has all. */
#define SETTER(name)                                                                                                   \
    static status set_##name(void *executor, size_t index, void *tensor, void *address) {                              \
        __typeof__(&set_##name) real = (__typeof__(&set_##name))layer_real(LAYER_##name);                              \
        const bool watched = layer_watches();                                                                          \
        layer_depth++;                                                                                                 \
        const status answer = real(executor, index, tensor, address);                                                  \
        layer_depth--;                                                                                                 \
        const int saved = errno;                                                                                       \
        if (watched && answer == 0) {                                                                                  \
            layer_executor_moves(executor, tensor, address);                                                           \
        }                                                                                                              \
        RETURN;                                                                                                        \
    }                                                                                                                  \
    RESOLVED(name, LAYER_##name, set_##name)
SETTER(aclSetInputTensorAddr)
SETTER(AclSetInputTensorAddr)
SETTER(aclSetOutputTensorAddr)
SETTER(AclSetOutputTensorAddr)
SETTER(aclSetTensorAddr)
SETTER(AclSetTensorAddr)

/* The handle of an element of a list; NULL where it is not known. */
static const void *element_of(const void *list, size_t at) {
    layer_object *object = layer_hold(list);
    const layer_object *member = object != NULL ? layer_member(object, at, LAYER_TENSOR) : NULL;
    const void *handle = member != NULL ? member->handle : NULL;
    layer_release(object);
    return handle;
}

#define LIST_SETTER(name)                                                                                              \
    static status set_##name(void *executor, size_t index, size_t relative, void *list, void *address) {               \
        __typeof__(&set_##name) real = (__typeof__(&set_##name))layer_real(LAYER_##name);                              \
        const bool watched = layer_watches();                                                                          \
        layer_depth++;                                                                                                 \
        const status answer = real(executor, index, relative, list, address);                                          \
        layer_depth--;                                                                                                 \
        const int saved = errno;                                                                                       \
        if (watched && answer == 0) {                                                                                  \
            layer_executor_moves(executor, element_of(list, relative), address);                                       \
        }                                                                                                              \
        RETURN;                                                                                                        \
    }                                                                                                                  \
    RESOLVED(name, LAYER_##name, set_##name)
LIST_SETTER(aclSetDynamicInputTensorAddr)
LIST_SETTER(AclSetDynamicInputTensorAddr)
LIST_SETTER(aclSetDynamicOutputTensorAddr)
LIST_SETTER(AclSetDynamicOutputTensorAddr)
LIST_SETTER(aclSetDynamicTensorAddr)
LIST_SETTER(AclSetDynamicTensorAddr)
