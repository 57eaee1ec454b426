/* The calls from C to aclspec.runtime.simulator.calls, and the answers back. */
#define Py_LIMITED_API 0x030B0000
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "build.h"
#include "core/aclnn_status.h"

static PyObject *phase_one_function, *accept_function, *phase_two_function;

/* An object as text from malloc; NULL where even that fails. */
static char *text_of(PyObject *object) {
    PyObject *string = object != NULL ? PyObject_Str(object) : NULL;
    const char *text = string != NULL ? PyUnicode_AsUTF8AndSize(string, NULL) : NULL;
    char *copy = text != NULL ? strdup(text) : NULL;
    PyErr_Clear();
    Py_DecRef(string);
    return copy;
}

char *bridge_exception(void) {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    PyObject *type_name = kind != NULL ? PyObject_GetAttrString(kind, "__name__") : NULL;
    char *name = text_of(type_name), *sentence = text_of(value), *both = NULL;
    if (asprintf(&both, "%s: %s", name != NULL ? name : "an error", sentence != NULL ? sentence : "") < 0) {
        both = NULL;
    }
    free(name);
    free(sentence);
    Py_DecRef(type_name);
    Py_DecRef(kind);
    Py_DecRef(value);
    Py_DecRef(trace);
    return both;
}

static int load(char *why, size_t size) {
    PyObject *module = PyImport_ImportModule("aclspec.runtime.simulator.calls");
    phase_one_function = module != NULL ? PyObject_GetAttrString(module, "phase_one") : NULL;
    accept_function = module != NULL ? PyObject_GetAttrString(module, "accept") : NULL;
    phase_two_function = module != NULL ? PyObject_GetAttrString(module, "phase_two") : NULL;
    PyObject *done = module != NULL ? PyObject_CallMethod(module, "register", "s", SIM_PACKAGES) : NULL;
    Py_DecRef(done);
    Py_DecRef(module);
    if (phase_one_function != NULL && accept_function != NULL && phase_two_function != NULL && done != NULL) {
        return 0;
    }
    char *reason = bridge_exception();
    snprintf(why, size, "%s", reason != NULL ? reason : "no reason given");
    free(reason);
    return -1;
}

static int start(char *why, size_t size) {
    if (Py_IsInitialized()) {
        const PyGILState_STATE state = PyGILState_Ensure();
        const int code = load(why, size);
        PyGILState_Release(state);
        return code;
    }
    if (bridge_start_interpreter(why, size) != 0) {
        return -1;
    }
    const int code = load(why, size);
    PyEval_SaveThread();
    return code;
}

/* Nobody foresaw this: never a success, and one sentence for whoever reads the terminal. */
static void broken(const sim_operator *op, sim_answer *answer) {
    char *reason = bridge_exception();
    answer->status = ACLNN_ERR_INNER;
    if (asprintf(&answer->message, "The simulator itself fails (%s).\n - while calling %s",
                 reason != NULL ? reason : "no reason given", op->name) < 0) {
        answer->message = NULL;
    }
    fprintf(stderr, "aclspec simulator: The simulator itself fails in %s (%s).\n", op->name,
            reason != NULL ? reason : "no reason given");
    free(reason);
}

/* Take (status, workspace size, result or None, message or None) apart: a new reference to the result, or NULL. */
static PyObject *read_answer(const sim_operator *op, PyObject *answered, sim_answer *answer) {
    PyObject *result = NULL, *message = NULL;
    int status;
    unsigned long long workspace;
    if (answered == NULL || !PyArg_ParseTuple(answered, "iKOO", &status, &workspace, &result, &message)) {
        broken(op, answer);
        return NULL;
    }
    answer->status = status;
    answer->workspace = workspace;
    if (message != Py_None) {
        answer->message = text_of(message);
    }
    if (result == Py_None) {
        return NULL;
    }
    Py_IncRef(result);
    return result;
}

/* For each parameter whether it is about the last axis, and a length. */
static void read_lengths(PyObject *pairs, sim_answer *answer) {
    const Py_ssize_t count = pairs != NULL ? PyTuple_Size(pairs) : 0;
    answer->lengths = count > 0 ? calloc((size_t)count, sizeof *answer->lengths) : NULL;
    for (Py_ssize_t at = 0; answer->lengths != NULL && at < count; at++) {
        PyObject *pair = PyTuple_GetItem(pairs, at);
        answer->lengths[at].param = PyLong_AsSize_t(PyTuple_GetItem(pair, 0));
        answer->lengths[at].is_last = PyLong_AsLongLong(PyTuple_GetItem(pair, 1)) != 0;
        answer->lengths[at].length = PyLong_AsLongLong(PyTuple_GetItem(pair, 2));
        answer->length_count++;
    }
}

/* The values of a call, or only the memories of its tensors. */
static PyObject *values_of(const aclOpExecutor *call, bool memories) {
    const sim_operator *op = call->op;
    PyObject *tuple = PyTuple_New((Py_ssize_t)op->count);
    for (size_t at = 0; tuple != NULL && at < op->count; at++) {
        const sim_slot *mine = call->slots + call->first[at];
        const size_t count = call->first[at + 1] - call->first[at];
        PyObject *value = memories ? bridge_memory(&op->params[at], mine, count)
                                   : bridge_value(&op->params[at], &call->values[at], mine, count);
        if (value == NULL) {
            Py_DecRef(tuple);
            return NULL;
        }
        PyTuple_SetItem(tuple, (Py_ssize_t)at, value);
    }
    return tuple;
}

static void phase_one(aclOpExecutor *call, const char *product, const char *mode, sim_answer *answer) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *values = values_of(call, false);
    PyObject *result =
        values != NULL ? PyObject_CallFunction(phase_one_function, "sssN", call->op->name, product, mode, values) : NULL;
    call->token = read_answer(call->op, result, answer);
    Py_DecRef(result);
    PyGILState_Release(state);
}

/* What Python needs of a call that C accepted, made once. */
static bool has_token(aclOpExecutor *call, sim_answer *answer) {
    if (call->token == NULL) {
        PyObject *values = values_of(call, false);
        PyObject *result = values != NULL ? PyObject_CallFunction(accept_function, "sszN", call->op->name, call->product,
                                                                  call->effect, values)
                                          : NULL;
        PyObject *made = read_answer(call->op, result, answer);
        Py_DecRef(result);
        if (call->token == NULL) {
            call->token = made;
        } else {
            Py_DecRef(made); /* another thread launched it meanwhile */
        }
    }
    return call->token != NULL;
}

static void phase_two(aclOpExecutor *call, bool later, sim_answer *answer) {
    const PyGILState_STATE state = PyGILState_Ensure();
    /* A destructor that called the simulator from here would find the stream in the middle of a task. */
    const int collects = PyGC_Disable();
    if (has_token(call, answer)) {
        PyObject *memories = values_of(call, true);
        PyObject *result =
            memories != NULL ? PyObject_CallFunction(phase_two_function, "ONi", (PyObject *)call->token, memories, (int)later) : NULL;
        PyObject *lengths = read_answer(call->op, result, answer);
        read_lengths(lengths, answer);
        Py_DecRef(lengths);
        Py_DecRef(result);
    }
    if (collects != 0) {
        PyGC_Enable();
    }
    PyGILState_Release(state);
}

static void drop(void *token) {
    if (!Py_IsInitialized()) {
        return; /* the host's interpreter is over, and everything in it with it */
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DecRef(token);
    PyGILState_Release(state);
}

static void keep(void *token) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_IncRef(token);
    PyGILState_Release(state);
}

/* Not of the stable part of Python's interface, and in every Python. */
extern int PyGILState_Check(void);

static void *leave(void) { return Py_IsInitialized() && PyGILState_Check() != 0 ? PyEval_SaveThread() : NULL; }

static void enter(void *state) { PyEval_RestoreThread(state); }

const sim_python sim_python_table = {start, phase_one, phase_two, keep, drop, leave, enter};
