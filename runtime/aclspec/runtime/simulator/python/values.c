/* The values of a call, from C to Python. Only the stable part of Python's interface is used here, so that the library
 * also runs in a Python that is younger than the one it was built with. */
#define Py_LIMITED_API 0x030B0000
#include <string.h>

#include "bridge.h"

/* Why a tensor has no memory; the numbers that aclspec.runtime.simulator.calls knows. */
enum { NO_ADDRESS = 1, NOT_OF_DEVICE = 2, FREED = 3, NOT_MAPPED = 4 };

static PyObject *dims(const int64_t *values, uint64_t count) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (uint64_t at = 0; tuple != NULL && at < count; at++) {
        PyObject *number = PyLong_FromLongLong(values[at]);
        if (number == NULL) {
            Py_DecRef(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, (Py_ssize_t)at, number);
    }
    return tuple;
}

/* (memory of all that can be used with it, the byte in it where the storage starts), or (why there is none, 0). */
static PyObject *memory(const sim_slot *slot) {
    const sim_block *block = slot->block;
    if (slot->view.data == NULL) {
        return Py_BuildValue("(ii)", NO_ADDRESS, 0);
    }
    if (block == NULL || !block->device) {
        return Py_BuildValue("(ii)", NOT_OF_DEVICE, 0);
    }
    if (slot->span.bytes == NULL || !block->live) {
        return Py_BuildValue("(ii)", block->live && block->pieces != NULL ? NOT_MAPPED : FREED, 0);
    }
    PyObject *view = PyMemoryView_FromMemory((char *)slot->span.bytes, (Py_ssize_t)slot->span.size, PyBUF_WRITE);
    return view == NULL ? NULL : Py_BuildValue("(Nn)", view, (Py_ssize_t)slot->span.at);
}

static PyObject *none(void) {
    Py_IncRef(Py_None);
    return Py_None;
}

static PyObject *tensor(const sim_slot *slot) {
    if (slot->tensor == NULL) {
        return none();
    }
    const sim_view *view = &slot->view;
    PyObject *shape = dims(view->dims, view->rank);
    PyObject *strides = dims(sim_view_strides(view), view->rank);
    PyObject *storage = dims(sim_view_storage(view), view->storage_rank);
    if (shape == NULL || strides == NULL || storage == NULL) {
        Py_DecRef(shape);
        Py_DecRef(strides);
        Py_DecRef(storage);
        return NULL;
    }
    return Py_BuildValue("(iiNNLN)", (int)view->dtype, (int)view->format, shape, strides, (long long)view->offset, storage);
}

static PyObject *of_slots(const sim_slot *slots, size_t count, PyObject *(*make)(const sim_slot *slot)) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t at = 0; tuple != NULL && at < count; at++) {
        PyObject *item = make(&slots[at]);
        if (item == NULL) {
            Py_DecRef(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, (Py_ssize_t)at, item);
    }
    return tuple;
}

static PyObject *scalar(const aclScalar *value) {
    return value == NULL ? none() : Py_BuildValue("(iy#)", (int)value->dtype, (const char *)value->value, (Py_ssize_t)value->size);
}

static PyObject *element(sim_type type, const sim_array *array, uint64_t at) {
    switch (type) {
    case SIM_T_SCALAR_LIST:
        return scalar(((aclScalar **)array->values)[at]);
    case SIM_T_INT_ARRAY:
        return PyLong_FromLongLong(((int64_t *)array->values)[at]);
    case SIM_T_FLOAT_ARRAY:
        return PyFloat_FromDouble((double)((float *)array->values)[at]);
    default:
        return PyBool_FromLong(((bool *)array->values)[at]);
    }
}

static PyObject *elements(sim_type type, const sim_array *array) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)array->size);
    for (uint64_t at = 0; tuple != NULL && at < array->size; at++) {
        PyObject *item = element(type, array, at);
        if (item == NULL) {
            Py_DecRef(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, (Py_ssize_t)at, item);
    }
    return tuple;
}

PyObject *bridge_value(const sim_param *param, const sim_value *value, const sim_slot *slots, size_t count) {
    switch (param->type) {
    case SIM_T_TENSOR:
        return tensor(slots);
    case SIM_T_BOOL:
        return PyBool_FromLong((long)value->integer);
    case SIM_T_INT:
    case SIM_T_DTYPE:
        return PyLong_FromLongLong(value->integer);
    case SIM_T_UINT64:
        return PyLong_FromUnsignedLongLong(value->natural);
    case SIM_T_FLOAT:
        return PyFloat_FromDouble(value->number);
    default:
        break;
    }
    if (value->pointer == NULL) {
        return none();
    }
    switch (param->type) {
    case SIM_T_TENSOR_LIST:
        return of_slots(slots, count, tensor);
    case SIM_T_SCALAR:
        return scalar(value->pointer);
    case SIM_T_STRING:
        return PyUnicode_DecodeUTF8(value->pointer, (Py_ssize_t)strlen(value->pointer), "replace");
    default:
        return elements(param->type, value->pointer);
    }
}

PyObject *bridge_memory(const sim_param *param, const sim_slot *slots, size_t count) {
    if (param->type == SIM_T_TENSOR) {
        return slots->tensor == NULL ? none() : memory(slots);
    }
    return param->type == SIM_T_TENSOR_LIST ? of_slots(slots, count, memory) : none();
}
