/* The keys of plans, for aclspec.runtime.plan_key: the values of a call in bytes, but for the elements of its arrays.
 *
 * Every part begins with a word that says what it is and how long, so that equal bytes mean equal values of equal types.
 * An array is told by the address of its dtype: plans are kept only for the dtypes that live as long as the process. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 2048, LONGEST_ELEMENT = 32, MOST_ARRAYS = 32 };
enum { NOTHING, NONE, NO, YES, INT, FLOAT, TEXT, LIST, TUPLE, ARRAY, KIND, OUT_BY_NAME, OUT_IN_ORDER, OUT_ALONE };
enum { IN_C_ORDER = 1, OWNS_DATA = 4 }; /* flags of an array */

/* What every NumPy of the versions 1 and 2 begins an array with. */
typedef struct array {
    PyObject_HEAD
    char *data;
    int rank;
    Py_ssize_t *shape, *strides;
    PyObject *base, *dtype;
    int flags;
} array;

typedef struct key {
    unsigned char bytes[LONGEST];
    size_t size;
} key;

static PyTypeObject *ndarray;
static PyObject *environment, *names; /* a dict of bytes, and those of its keys that count */
static PyTypeObject *kindred;         /* the type of arrays that say themselves what kind they are */
static PyObject *made_kind, *kind;    /* the names of the attribute that has it once it is made, and of the one that makes it */

static bool put(key *to, const void *bytes, size_t size)
{
    if (size > LONGEST - to->size) return false;
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

static bool put_word(key *to, uint64_t word) { return put(to, &word, sizeof word); }

static bool put_head(key *to, int what, uint64_t length) { return put_word(to, (uint64_t)what | length << 8); }

static bool put_sized(key *to, int what, const void *bytes, Py_ssize_t size)
{
    return bytes != NULL && put_head(to, what, (uint64_t)size) && put(to, bytes, (size_t)size);
}

static bool put_array(key *to, const array *value)
{
    return put_head(to, ARRAY, (uint64_t)value->rank) && put_word(to, (uint64_t)(unsigned)value->flags) &&
           put_word(to, (uintptr_t)value->dtype) && put(to, value->shape, (size_t)value->rank * sizeof *value->shape);
}

static bool put_int(key *to, PyObject *value)
{
    int beyond;
    const long long number = PyLong_AsLongLongAndOverflow(value, &beyond);
    return !beyond && put_head(to, INT, 0) && put_word(to, (uint64_t)number);
}

/* False for what goes the long way: something of another type, or too much. */
static bool put_plain(key *to, PyObject *value)
{
    const PyTypeObject *type = Py_TYPE(value);
    if (value == Py_None) return put_head(to, NONE, 0);
    if (type == &PyBool_Type) return put_head(to, value == Py_True ? YES : NO, 0);
    if (type == &PyLong_Type) return put_int(to, value);
    if (type == &PyFloat_Type) {
        const double number = PyFloat_AS_DOUBLE(value);
        return put_sized(to, FLOAT, &number, sizeof number);
    }
    if (type == &PyUnicode_Type) {
        Py_ssize_t size = 0;
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        if (text == NULL) PyErr_Clear();
        return put_sized(to, TEXT, text, size);
    }
    return false;
}

static bool put_kind(key *to, PyObject *value)
{
    PyObject *said = PyObject_GetAttr(value, made_kind);
    if (said == NULL) {
        PyErr_Clear();
        said = PyObject_GetAttr(value, kind);
    }
    Py_ssize_t size = 0;
    const char *text = said != NULL && PyUnicode_Check(said) ? PyUnicode_AsUTF8AndSize(said, &size) : NULL;
    const bool fits = put_sized(to, KIND, text, size);
    if (text == NULL) PyErr_Clear();
    Py_XDECREF(said);
    return fits;
}

static bool put_value(key *to, PyObject *value)
{
    const PyTypeObject *type = Py_TYPE(value);
    if (type == ndarray) return put_array(to, (const array *)value);
    if (type == kindred) return put_kind(to, value);
    if (type != &PyList_Type && type != &PyTuple_Type) return put_plain(to, value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    bool fits = put_head(to, type == &PyList_Type ? LIST : TUPLE, (uint64_t)count);
    for (Py_ssize_t at = 0; fits && at < count; at++) fits = put_plain(to, PySequence_Fast_GET_ITEM(value, at));
    return fits;
}

static bool put_environment(key *to)
{
    bool fits = true;
    for (Py_ssize_t at = 0; fits && at < PyTuple_GET_SIZE(names); at++) {
        PyObject *value = PyDict_GetItemWithError(environment, PyTuple_GET_ITEM(names, at));
        if (value == NULL)
            fits = !PyErr_Occurred() && put_head(to, NOTHING, 0);
        else
            fits = PyBytes_Check(value) && put_sized(to, TEXT, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
    }
    PyErr_Clear();
    return fits;
}

static bool is_sequence(PyObject *values) { return PyTuple_CheckExact(values) || PyList_CheckExact(values); }

static bool put_call(key *to, PyObject *values)
{
    bool fits = is_sequence(values) && put_environment(to);
    for (Py_ssize_t at = 0; fits && at < PySequence_Fast_GET_SIZE(values); at++)
        fits = put_value(to, PySequence_Fast_GET_ITEM(values, at));
    return fits;
}

static PyObject *bytes_of(const key *made)
{
    return PyBytes_FromStringAndSize((const char *)made->bytes, (Py_ssize_t)made->size);
}

/* key(values) -> bytes, or None for a call that goes the long way */
static PyObject *key_of(PyObject *module, PyObject *values)
{
    (void)module;
    key made;
    made.size = 0;
    if (!put_call(&made, values)) Py_RETURN_NONE;
    return bytes_of(&made);
}

/* The arrays of `out` in a tuple; how they are told apart goes into the key, or else `fits` is false. NULL: an error. */
static PyObject *arrays_of_out(key *to, PyObject *out, bool *fits)
{
    if (is_sequence(out)) {
        *fits = put_head(to, OUT_IN_ORDER, (uint64_t)PySequence_Fast_GET_SIZE(out));
        return PySequence_Tuple(out);
    }
    if (!PyDict_CheckExact(out)) {
        *fits = put_head(to, OUT_ALONE, 1);
        return PyTuple_Pack(1, out);
    }
    PyObject *arrays = PyTuple_New(PyDict_GET_SIZE(out)), *name, *value;
    if (arrays == NULL) return NULL;
    *fits = put_head(to, OUT_BY_NAME, (uint64_t)PyDict_GET_SIZE(out));
    for (Py_ssize_t next = 0, at = 0; PyDict_Next(out, &next, &name, &value); at++) {
        *fits = *fits && PyUnicode_CheckExact(name) && put_plain(to, name);
        Py_INCREF(value);
        PyTuple_SET_ITEM(arrays, at, value);
    }
    return arrays;
}

/* call_key(values, out) -> the key of a call to which outputs are given, and these in a tuple; or None as above */
static PyObject *call_key(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "call_key takes the values and what is given as out");
    key made;
    made.size = 0;
    bool fits;
    if (!put_call(&made, arguments[0])) Py_RETURN_NONE;
    PyObject *given = arrays_of_out(&made, arguments[1], &fits), *bytes = NULL;
    if (given == NULL) return NULL;
    for (Py_ssize_t at = 0; fits && at < PyTuple_GET_SIZE(given); at++) fits = put_value(&made, PyTuple_GET_ITEM(given, at));
    PyObject *answer = !fits ? Py_NewRef(Py_None) : (bytes = bytes_of(&made)) == NULL ? NULL : PyTuple_Pack(2, bytes, given);
    Py_XDECREF(bytes);
    Py_DECREF(given);
    return answer;
}

/* address(array) -> where its first element is, or None for what is no array */
static PyObject *address_of(PyObject *module, PyObject *value)
{
    (void)module;
    if (Py_TYPE(value) != ndarray) Py_RETURN_NONE;
    return PyLong_FromVoidPtr(((const array *)value)->data);
}

static bool has_shape(const array *value, PyObject *shape)
{
    bool same = Py_TYPE(value) == ndarray && value->rank == PyTuple_GET_SIZE(shape);
    for (int axis = 0; same && axis < value->rank; axis++)
        same = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis)) == value->shape[axis];
    return same;
}

/* have_shapes(values, shapes) -> whether each value for which there is a shape is an array of it; both are lists */
static PyObject *have_shapes(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *values, *shapes;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyList_Type, &values, &PyList_Type, &shapes)) return NULL;
    bool same = PyList_GET_SIZE(values) == PyList_GET_SIZE(shapes);
    for (Py_ssize_t at = 0; same && at < PyList_GET_SIZE(shapes); at++) {
        PyObject *shape = PyList_GET_ITEM(shapes, at);
        same = !PyTuple_CheckExact(shape) || has_shape((const array *)PyList_GET_ITEM(values, at), shape);
    }
    return PyBool_FromLong(same);
}

/* watch(ndarray, environment, names): before anything else */
static PyObject *watch(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *type, *mapping, *wanted;
    if (!PyArg_ParseTuple(arguments, "O!O!O!", &PyType_Type, &type, &PyDict_Type, &mapping, &PyTuple_Type, &wanted)) return NULL;
    Py_INCREF(type);
    Py_INCREF(mapping);
    Py_INCREF(wanted);
    ndarray = (PyTypeObject *)type;
    environment = mapping;
    names = wanted;
    Py_RETURN_NONE;
}

/* know(type, made, make): values of this type are arrays of the kind that their attribute `made` says, or else `make` */
static PyObject *know(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *type, *made, *make;
    if (!PyArg_ParseTuple(arguments, "O!UU", &PyType_Type, &type, &made, &make)) return NULL;
    Py_INCREF(type);
    Py_INCREF(made);
    Py_INCREF(make);
    made_kind = made;
    kind = make;
    kindred = (PyTypeObject *)type;
    Py_RETURN_NONE;
}

#include "apart.inc"
#include "bind.inc"

static PyMethodDef functions[] = {{"key", key_of, METH_O, NULL},
                                  {"call_key", (PyCFunction)(void (*)(void))call_key, METH_FASTCALL, NULL},
                                  {"are_own", (PyCFunction)(void (*)(void))are_own, METH_FASTCALL, NULL},
                                  {"are_apart", (PyCFunction)(void (*)(void))are_apart, METH_FASTCALL, NULL},
                                  {"bind", bind, METH_VARARGS, NULL},
                                  {"address", address_of, METH_O, NULL},
                                  {"have_shapes", have_shapes, METH_VARARGS, NULL},
                                  {"watch", watch, METH_VARARGS, NULL},
                                  {"know", know, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_aclspec_keys", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__aclspec_keys(void);
PyMODINIT_FUNC PyInit__aclspec_keys(void) { return PyModule_Create(&definition); }
