/* The Python frame that a call comes from. Only where this thread holds the GIL anyway: the layer never acquires it. What is
 * asked here changes nothing of the interpreter's state: an exception that is on its way stays so. */
#include <dlfcn.h>

#include "layer.h"

typedef void object;

typedef struct {
    int (*is_initialized)(void), (*holds_gil)(void);
    object *(*frame)(void);
    object *(*code)(object *frame);
    int (*line)(object *frame);
    object *(*attribute)(object *of, const char *name);
    const char *(*text)(object *of);
    void (*fetch)(object **type, object **value, object **trace), (*restore)(object *type, object *value, object *trace);
    void (*release)(object *of);
} interpreter;

/* The interpreter's own functions, found where there is one in the process; false where one is missing. */
static bool find(interpreter *python) {
    static const char *const names[] = {"Py_IsInitialized",  "PyGILState_Check",    "PyEval_GetFrame",        "PyFrame_GetCode",
                                        "PyFrame_GetLineNumber", "PyObject_GetAttrString", "PyUnicode_AsUTF8", "PyErr_Fetch",
                                        "PyErr_Restore",     "Py_DecRef"};
    void *const places[] = {&python->is_initialized, &python->holds_gil, &python->frame, &python->code,    &python->line,
                            &python->attribute,      &python->text,      &python->fetch, &python->restore, &python->release};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        void *found = dlsym(RTLD_DEFAULT, names[at]);
        memcpy(places[at], &found, sizeof found);
        if (found == NULL) {
            return false;
        }
    }
    return true;
}

/* An attribute of a code object as text, and the object that holds the text, to be released. */
static const char *read(const interpreter *python, object *code, const char *name, object **holder) {
    *holder = python->attribute(code, name);
    return *holder != NULL ? python->text(*holder) : NULL;
}

static void add_frame(layer_text *text, const interpreter *python, object *frame) {
    object *file_holder = NULL, *name_holder = NULL, *code = python->code(frame);
    const char *file = read(python, code, "co_filename", &file_holder), *name = read(python, code, "co_name", &name_holder);
    if (file != NULL && name != NULL) {
        layer_add(text, LAYER_TEXT(" - called from %s:%d in %s\n", " - 调用处 %s:%d，%s\n"), file, python->line(frame), name);
    }
    if (file_holder != NULL) {
        python->release(file_holder);
    }
    if (name_holder != NULL) {
        python->release(name_holder);
    }
    python->release(code);
}

void layer_add_python(layer_text *text) {
    interpreter python;
    if (!find(&python) || !python.is_initialized()) {
        return;
    }
    if (!python.holds_gil()) {
        layer_add(text, "%s", LAYER_TEXT(" - the Python frame is not known: this thread does not hold the GIL\n",
                                         " - 无法得知 Python 调用处：本线程未持有 GIL\n"));
        return;
    }
    object *frame = python.frame(), *type, *value, *trace;
    if (frame == NULL) {
        layer_add(text, "%s", LAYER_TEXT(" - the Python frame is not known: this thread runs no Python code\n",
                                         " - 无法得知 Python 调用处：本线程没有在执行 Python 代码\n"));
        return;
    }
    python.fetch(&type, &value, &trace);
    add_frame(text, &python, frame);
    object *own_type, *own_value, *own_trace;
    python.fetch(&own_type, &own_value, &own_trace); /* a failure of what was asked here is dropped */
    object *const own[] = {own_type, own_value, own_trace};
    for (size_t at = 0; at < 3; at++) {
        if (own[at] != NULL) {
            python.release(own[at]);
        }
    }
    python.restore(type, value, trace);
}
