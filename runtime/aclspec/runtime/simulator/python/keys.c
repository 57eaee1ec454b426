/* What a call is, in bytes: all that its checks depend on but where its tensors are, and where they are. Calls with equal
 * keys take the same parameters of the same operator, so that every part stands at its place by the parts before it. */
#define Py_LIMITED_API 0x030B0000
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

typedef struct key {
    unsigned char *bytes;
    size_t size, room;
    bool full; /* there is no memory for more */
} key;

static void put(key *to, const void *bytes, size_t size) {
    if (to->room - to->size < size && !to->full) {
        const size_t room = 2 * to->room + size;
        unsigned char *grown = realloc(to->bytes, room);
        to->full = grown == NULL;
        to->bytes = grown != NULL ? grown : to->bytes;
        to->room = grown != NULL ? room : to->room;
    }
    if (!to->full && size > 0) {
        memcpy(to->bytes + to->size, bytes, size);
        to->size += size;
    }
}

static void put_number(key *to, uint64_t number) { put(to, &number, sizeof number); }

static void put_text(key *to, const char *text) {
    put_number(to, strlen(text));
    put(to, text, strlen(text));
}

static void put_tensor(key *to, const sim_slot *slot) {
    const sim_view *view = &slot->view;
    put_number(to, slot->tensor != NULL);
    if (slot->tensor != NULL) {
        put_number(to, view->rank);
        put_number(to, view->storage_rank);
        put(to, view->dims, (2 * view->rank + view->storage_rank) * sizeof *view->dims);
        put_number(to, (uint64_t)view->offset);
        put_number(to, (uint64_t)view->dtype);
        put_number(to, (uint64_t)view->format);
    }
}

static void put_scalar(key *to, const aclScalar *scalar) {
    put_number(to, scalar != NULL);
    if (scalar != NULL) {
        put_number(to, (uint64_t)scalar->dtype);
        put_number(to, scalar->size);
        put(to, scalar->value, scalar->size);
    }
}

static void put_array(key *to, sim_type type, const sim_array *array) {
    const size_t each = type == SIM_T_INT_ARRAY ? sizeof(int64_t) : type == SIM_T_FLOAT_ARRAY ? sizeof(float) : sizeof(bool);
    put_number(to, array->size);
    if (type == SIM_T_SCALAR_LIST) {
        for (uint64_t at = 0; at < array->size; at++) {
            put_scalar(to, ((aclScalar **)array->values)[at]);
        }
    } else {
        put(to, array->values, array->size * each);
    }
}

static void put_value(key *to, const sim_param *param, const sim_value *value, const sim_slot *slots, size_t count) {
    if (param->type > SIM_T_BOOL_ARRAY && param->type != SIM_T_STRING) {
        put_number(to, value->natural); /* a double by its bits, which tell -0.0 from 0.0 */
        return;
    }
    put_number(to, value->pointer != NULL);
    if (value->pointer == NULL) {
        return;
    }
    switch (param->type) {
    case SIM_T_TENSOR:
    case SIM_T_TENSOR_LIST:
        put_number(to, count);
        for (size_t at = 0; at < count; at++) {
            put_tensor(to, &slots[at]);
        }
        break;
    case SIM_T_SCALAR:
        put_scalar(to, value->pointer);
        break;
    case SIM_T_STRING:
        put_text(to, value->pointer);
        break;
    default:
        put_array(to, param->type, value->pointer);
    }
}

PyObject *bridge_key(const sim_operator *op, const char *product, const char *mode, const sim_value *values, const sim_slot *slots,
                     const size_t *first) {
    key made = {0};
    put_text(&made, op->name);
    put_text(&made, product);
    put_text(&made, mode);
    for (size_t at = 0; at < op->count; at++) {
        put_value(&made, &op->params[at], &values[at], slots + first[at], first[at + 1] - first[at]);
    }
    PyObject *bytes = made.full ? PyErr_NoMemory() : PyBytes_FromStringAndSize((const char *)made.bytes, (Py_ssize_t)made.size);
    free(made.bytes);
    return bytes;
}

PyObject *bridge_places(const sim_slot *slots, size_t count) {
    key made = {0};
    for (size_t at = 0; at < count; at++) {
        const sim_block *block = slots[at].block;
        const bool there = block != NULL && block->device && block->live && block->bytes != NULL;
        const uintptr_t start = there ? (uintptr_t)slots[at].view.data : 0;
        put_number(&made, start);
        put_number(&made, there ? block->size - (start - block->base) : 0);
        put_number(&made, there ? block->serial : 0);
    }
    PyObject *bytes = made.full ? PyErr_NoMemory() : PyBytes_FromStringAndSize((const char *)made.bytes, (Py_ssize_t)made.size);
    free(made.bytes);
    return bytes;
}
