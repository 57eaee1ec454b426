/* The values of a call: kept by its executor, since a program may destroy what it gave to phase one, and as the checks take
 * them. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "layer/scalars.h"

enum { ALIGNMENT = 16 };

/* Memory that is handed out in pieces; `at` NULL: only how much is wanted. */
typedef struct room {
    unsigned char *at;
    size_t used;
} room;

static void *take(room *from, size_t bytes) {
    void *piece = from->at != NULL ? from->at + from->used : NULL;
    from->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

static size_t element_size(sim_type type) {
    return type == SIM_T_INT_ARRAY ? sizeof(int64_t) : type == SIM_T_FLOAT_ARRAY ? sizeof(float) : sizeof(bool);
}

/* ---- kept values --------------------------------------------------------------------------------------------------- */

static const void *keep_bytes(room *from, const void *bytes, size_t size) {
    void *copy = take(from, size);
    return copy != NULL && size > 0 ? memcpy(copy, bytes, size) : copy;
}

static const void *keep_scalars(room *from, const sim_array *list) {
    sim_array *copy = take(from, sizeof *copy);
    const aclScalar **items = take(from, sizeof *items * list->size);
    for (uint64_t at = 0; at < list->size; at++) {
        const aclScalar *one = ((aclScalar **)list->values)[at];
        const void *kept = one != NULL ? keep_bytes(from, one, sizeof *one) : NULL;
        if (items != NULL) {
            items[at] = kept;
        }
    }
    if (copy != NULL) {
        *copy = (sim_array){.size = list->size, .values = items};
    }
    return copy;
}

static const void *keep_array(room *from, sim_type type, const sim_array *array) {
    sim_array *copy = take(from, sizeof *copy);
    const void *values = keep_bytes(from, array->values, element_size(type) * array->size);
    if (copy != NULL) {
        *copy = (sim_array){.size = array->size, .values = (void *)values};
    }
    return copy;
}

/* Tensors and lists of them stand in the slots: of these the pointer says whether it is null. */
static const void *keep(room *from, sim_type type, const void *pointer) {
    switch (type) {
    case SIM_T_SCALAR:
        return keep_bytes(from, pointer, sizeof(aclScalar));
    case SIM_T_SCALAR_LIST:
        return keep_scalars(from, pointer);
    case SIM_T_INT_ARRAY:
    case SIM_T_FLOAT_ARRAY:
    case SIM_T_BOOL_ARRAY:
        return keep_array(from, type, pointer);
    case SIM_T_STRING:
        return keep_bytes(from, pointer, strlen(pointer) + 1);
    default:
        return pointer;
    }
}

static bool is_pointer(sim_type type) { return type <= SIM_T_BOOL_ARRAY || type == SIM_T_STRING; }

static sim_value *keep_all(room *from, const sim_operator *op, const sim_value *values) {
    sim_value *kept = take(from, sizeof *kept * op->count);
    for (size_t at = 0; at < op->count; at++) {
        sim_value value = values[at];
        if (is_pointer(op->params[at].type) && value.pointer != NULL) {
            value.pointer = keep(from, op->params[at].type, value.pointer);
        }
        if (kept != NULL) {
            kept[at] = value;
        }
    }
    return kept;
}

sim_value *sim_keep(const sim_operator *op, const sim_value *values) {
    room wanted = {0}, found = {0};
    keep_all(&wanted, op, values);
    found.at = malloc(wanted.used + 1);
    return found.at != NULL ? keep_all(&found, op, values) : NULL;
}

/* ---- as the checks take them --------------------------------------------------------------------------------------- */

static const aclspec_tensor *tensor_of(room *from, const sim_slot *slot) {
    aclspec_tensor *made = slot->tensor != NULL ? take(from, sizeof *made) : NULL;
    if (made != NULL) {
        const sim_view *view = &slot->view;
        *made = (aclspec_tensor){view->dims, view->rank,         sim_view_strides(view), view->offset, sim_view_storage(view),
                                 view->storage_rank, (int32_t)view->dtype, (int32_t)view->format};
    }
    return made;
}

static const aclspec_scalar *scalar_of(room *from, const aclScalar *scalar) {
    aclspec_scalar *made = scalar != NULL ? take(from, sizeof *made) : NULL;
    if (made != NULL) {
        *made = layer_scalar_of(scalar->value, (int32_t)scalar->dtype);
    }
    return made;
}

static const aclspec_tensor_list *tensors_of(room *from, const sim_slot *slots, size_t count) {
    aclspec_tensor_list *list = take(from, sizeof *list);
    const aclspec_tensor **items = take(from, sizeof *items * count);
    for (size_t at = 0; at < count; at++) {
        const aclspec_tensor *one = tensor_of(from, &slots[at]);
        if (items != NULL) {
            items[at] = one;
        }
    }
    if (list != NULL) {
        *list = (aclspec_tensor_list){items, count, true};
    }
    return list;
}

static const aclspec_scalar_list *scalars_of(room *from, const sim_array *array) {
    aclspec_scalar_list *list = take(from, sizeof *list);
    const aclspec_scalar **items = take(from, sizeof *items * array->size);
    for (uint64_t at = 0; at < array->size; at++) {
        const aclspec_scalar *one = scalar_of(from, ((aclScalar **)array->values)[at]);
        if (items != NULL) {
            items[at] = one;
        }
    }
    if (list != NULL) {
        *list = (aclspec_scalar_list){items, array->size, true};
    }
    return list;
}

/* Where a pointer is null, so is the argument. */
static aclspec_argument argument_of(room *from, const aclOpExecutor *call, size_t at) {
    const sim_value *value = &call->values[at];
    const sim_array *array = value->pointer;
    aclspec_argument made = {0};
    switch (call->op->params[at].type) {
    case SIM_T_BOOL: return (aclspec_argument){.boolean = value->integer != 0};
    case SIM_T_INT:
    case SIM_T_UINT64:
    case SIM_T_DTYPE: return (aclspec_argument){.integer = value->integer};
    case SIM_T_FLOAT: return (aclspec_argument){.real = value->number};
    case SIM_T_STRING: return (aclspec_argument){.text = value->pointer};
    case SIM_T_TENSOR: return (aclspec_argument){.tensor = tensor_of(from, &call->slots[call->first[at]])};
    default: break;
    }
    if (value->pointer == NULL) {
        return made;
    }
    switch (call->op->params[at].type) {
    case SIM_T_SCALAR: made.scalar = scalar_of(from, value->pointer); break;
    case SIM_T_SCALAR_LIST: made.scalars = scalars_of(from, array); break;
    case SIM_T_TENSOR_LIST:
        made.tensors = tensors_of(from, &call->slots[call->first[at]], call->first[at + 1] - call->first[at]);
        break;
    default: {
        aclspec_int_array *list = take(from, sizeof *list); /* all arrays begin alike: items, length, known */
        if (list != NULL) {
            *list = (aclspec_int_array){array->values, array->size, true};
        }
        made.ints = list;
    }
    }
    return made;
}

static aclspec_argument *arguments_of(room *from, const aclOpExecutor *call) {
    aclspec_argument *made = take(from, sizeof *made * call->op->count);
    for (size_t at = 0; at < call->op->count; at++) {
        const aclspec_argument one = argument_of(from, call, at);
        if (made != NULL) {
            made[at] = one;
        }
    }
    return made;
}

aclspec_argument *sim_arguments(const aclOpExecutor *call) {
    room wanted = {0}, found = {0};
    arguments_of(&wanted, call);
    found.at = malloc(wanted.used + 1);
    return found.at != NULL ? arguments_of(&found, call) : NULL;
}
