/* From the arguments of C to those of the checks: what the tracker knows of a handle, else what CANN's getters tell. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

typedef int32_t (*get_numbers)(const void *, int64_t **, uint64_t *);
typedef int32_t (*get_offset)(const void *, int64_t *);
typedef int32_t (*get_enum)(const void *, int32_t *);
typedef int32_t (*get_size)(const void *, uint64_t *);

#define GETTER(type, name) ((type)layer_getter(LAYER_##name))

/* What a getter of a shape answers was made by operator new[], and is the caller's. */
static void delete_array(int64_t *numbers) {
    static _Atomic(void *) found;
    void (*operator_delete)(void *) = (void (*)(void *))found;
    if (operator_delete == NULL) {
        found = dlsym(RTLD_DEFAULT, "_ZdaPv");
        operator_delete = (void (*)(void *))found;
    }
    (operator_delete != NULL ? operator_delete : free)(numbers);
}

/* Whether the three facts of a tensor that a getter tells without an allocation are those that the tracker knows. */
static bool agrees(const void *handle, const aclspec_tensor *tensor) {
    get_enum dtype = GETTER(get_enum, aclGetDataType), format = GETTER(get_enum, aclGetFormat);
    get_offset offset = GETTER(get_offset, aclGetViewOffset);
    int32_t number = 0;
    int64_t elements = 0;
    return (dtype == NULL || (dtype(handle, &number) == 0 && number == tensor->dtype)) &&
           (format == NULL || (format(handle, &number) == 0 && number == tensor->format)) &&
           (offset == NULL || (offset(handle, &elements) == 0 && elements == tensor->offset));
}

/* A tensor that the tracker does not know, as the getters tell; NULL where they tell nothing. */
static layer_object *ask_tensor(const void *handle) {
    get_numbers shape = GETTER(get_numbers, aclGetViewShape), strides = GETTER(get_numbers, aclGetViewStrides);
    get_numbers storage = GETTER(get_numbers, aclGetStorageShape);
    get_enum dtype = GETTER(get_enum, aclGetDataType), format = GETTER(get_enum, aclGetFormat);
    get_offset offset = GETTER(get_offset, aclGetViewOffset);
    if (shape == NULL || strides == NULL || storage == NULL || dtype == NULL || format == NULL || offset == NULL) {
        return NULL;
    }
    int64_t *dims = NULL, *steps = NULL, *stored = NULL, start = 0;
    uint64_t rank = 0, step_count = 0, stored_rank = 0;
    int32_t kind = 0, order = 0;
    layer_object *object = NULL;
    if (shape(handle, &dims, &rank) == 0 && strides(handle, &steps, &step_count) == 0 && step_count == rank &&
        storage(handle, &stored, &stored_rank) == 0 && dtype(handle, &kind) == 0 && format(handle, &order) == 0 &&
        offset(handle, &start) == 0) {
        object = layer_tensor_object(handle, dims, rank, steps, start, stored, stored_rank, kind, order);
    }
    delete_array(dims);
    delete_array(steps);
    delete_array(stored);
    return object;
}

/* An array that tells its length alone. */
static layer_object *ask_length(const void *handle, layer_kind kind) {
    static const int getters[LAYER_KINDS] = {
        [LAYER_INTS] = LAYER_aclGetIntArraySize,        [LAYER_FLOATS] = LAYER_aclGetFloatArraySize,
        [LAYER_BOOLS] = LAYER_aclGetBoolArraySize,      [LAYER_TENSORS] = LAYER_aclGetTensorListSize,
        [LAYER_SCALARS] = LAYER_aclGetScalarListSize,
    };
    layer_object *object = layer_new(handle, kind, 0);
    get_size size = kind != LAYER_SCALAR ? (get_size)layer_getter(getters[kind]) : NULL;
    uint64_t length = 0;
    if (object == NULL) {
        return NULL;
    }
    if (kind == LAYER_SCALAR) {
        object->is.scalar = (aclspec_scalar){.dtype = -1, .known = false};
    } else if (size != NULL && size(handle, &length) == 0) {
        object->is.ints.length = object->is.tensors.length = length; /* all arrays begin alike: items, length, known */
    }
    return object;
}

/* What a handle holds, held; NULL where nothing is known of it. The getters read whatever address they are given, so they are
 * asked only of what CANN accepted, or of what was created where the layer does not look. */
static layer_object *look_at(const void *handle, layer_kind kind, bool accepted, bool *spent) {
    layer_object *object = layer_hold(handle);
    if (object != NULL && object->destroyed) {
        *spent = true;
        return object;
    }
    const bool other = object != NULL && object->kind != kind;
    if (other || (object != NULL && kind == LAYER_TENSOR && !agrees(handle, &object->is.tensor))) {
        layer_release(object); /* a handle of another kind, or a new one at the address of one whose end was not seen */
        object = NULL;
    }
    if (object == NULL && (accepted || (!other && !layer_is_preloaded()))) {
        object = kind == LAYER_TENSOR ? ask_tensor(handle) : ask_length(handle, kind);
    }
    return object;
}

static void decode(layer_decoded *decoded, int at, layer_kind kind, const layer_value *value, bool accepted) {
    aclspec_argument *argument = &decoded->arguments[at];
    bool spent = false;
    argument->tensor = NULL;
    if (value->pointer == NULL) {
        return;
    }
    layer_object *object = decoded->held[at] = look_at(value->pointer, kind, accepted, &spent);
    if (spent) {
        decoded->spent = decoded->spent != NULL ? decoded->spent : decoded->op->params[at].name;
        return;
    }
    if (object == NULL) {
        decoded->unseen = decoded->unseen != NULL ? decoded->unseen : decoded->op->params[at].name;
        return;
    }
    switch (kind) {
    case LAYER_TENSOR: argument->tensor = &object->is.tensor; break;
    case LAYER_SCALAR: argument->scalar = &object->is.scalar; break;
    case LAYER_INTS: argument->ints = &object->is.ints; break;
    case LAYER_FLOATS: argument->floats = &object->is.floats; break;
    case LAYER_BOOLS: argument->bools = &object->is.bools; break;
    default: argument->tensors = &object->is.tensors; break;
    }
}

void layer_decode(layer_decoded *decoded, int operator_index, const layer_value *values, bool accepted) {
    const aclspec_operator *op = &aclspec_operators[operator_index];
    const unsigned char *kinds = layer_param_kinds[operator_index];
    decoded->op = op;
    decoded->values = values;
    decoded->spent = decoded->unseen = NULL;
    for (int at = 0; at < op->param_count; at++) {
        decoded->held[at] = NULL;
        switch (kinds[at]) {
        case LAYER_P_TEXT: decoded->arguments[at].text = values[at].pointer; break;
        case LAYER_P_INTEGER:
        case LAYER_P_NATURAL:
        case LAYER_P_DTYPE: decoded->arguments[at].integer = values[at].integer; break;
        case LAYER_P_REAL: decoded->arguments[at].real = values[at].real; break;
        case LAYER_P_BOOL: decoded->arguments[at].boolean = values[at].boolean; break;
        default: decode(decoded, at, (layer_kind)kinds[at], &values[at], accepted); break;
        }
    }
}

void layer_let_go(layer_decoded *decoded) {
    for (int at = 0; at < decoded->op->param_count; at++) {
        layer_release(decoded->held[at]);
    }
}
