/* The Python frame that a call comes from. Only where Python runs the program, which libraries of CANN may embed for themselves.
 * What is asked here changes nothing of the interpreter's state: an exception that is on its way stays so. */
#include "frames.h"

#include <dlfcn.h>
#include <string.h>
#include <wchar.h>

typedef void object;

typedef struct {
    int (*is_initialized)(void);
    void *(*current)(void), *(*own)(void);
    void (*command_line)(int *count, wchar_t ***words);
    object *(*frame)(void);
    object *(*back)(object *frame);
    object *(*code)(object *frame);
    int (*line)(object *frame);
    object *(*attribute)(object *of, const char *name);
    const char *(*text)(object *of);
    void (*fetch)(object **type, object **value, object **trace), (*restore)(object *type, object *value, object *trace);
    void (*release)(object *of);
    int (*ensure)(void);
    void (*let_go)(int state);
} interpreter;

/* The interpreter's own functions, found where there is one in the process; false where one is missing. */
static bool find(interpreter *python) {
    static const char *const names[] = {"Py_IsInitialized",      "_PyThreadState_UncheckedGet", "PyGILState_GetThisThreadState",
                                        "PyEval_GetFrame",       "PyFrame_GetBack", "PyFrame_GetCode",             "PyFrame_GetLineNumber",
                                        "PyObject_GetAttrString", "PyUnicode_AsUTF8",           "PyErr_Fetch",
                                        "PyErr_Restore",         "Py_DecRef",                   "Py_GetArgcArgv",
                                        "PyGILState_Ensure",      "PyGILState_Release"};
    void *const places[] = {&python->is_initialized, &python->current, &python->own,     &python->frame,   &python->back,
                            &python->code,           &python->line,    &python->attribute, &python->text,
                            &python->fetch,          &python->restore, &python->release, &python->command_line,
                            &python->ensure, &python->let_go};
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

/* Whether this thread holds the GIL, as its state is the current one; PyGILState_Check says so of all where there are subinterpreters. */
static bool holds_gil(const interpreter *python) {
    void *current = python->current();
    return current != NULL && current == python->own();
}

/* Whether the interpreter runs the program: then it was given the command line. */
static bool is_own(const interpreter *python) {
    int count = 0;
    wchar_t **words = NULL;
    if (python->is_initialized()) {
        python->command_line(&count, &words);
    }
    return count > 0;
}

static void add_frame(const interpreter *python, object *frame, layer_add_frame add, void *state) {
    object *file_holder = NULL, *name_holder = NULL, *code = python->code(frame);
    const char *file = read(python, code, "co_filename", &file_holder), *name = read(python, code, "co_name", &name_holder);
    if (file != NULL && name != NULL) {
        add(state, file, python->line(frame), name);
    }
    object *const held[] = {file_holder, name_holder, code};
    for (size_t at = 0; at < sizeof held / sizeof *held; at++) {
        if (held[at] != NULL) {
            python->release(held[at]);
        }
    }
}

static bool is_installed(const interpreter *python, object *frame) {
    object *holder = NULL, *code = python->code(frame);
    const char *file = read(python, code, "co_filename", &holder);
    const bool found = file == NULL || strstr(file, "/site-packages/") != NULL || strstr(file, "/dist-packages/") != NULL;
    if (holder != NULL) {
        python->release(holder);
    }
    python->release(code);
    return found;
}

/* The frame of the program's own that is nearest to the call, a new reference; NULL where all are of packages. */
static object *own_frame(const interpreter *python, object *frame) {
    object *at = frame, *held = NULL;
    while (at != NULL && is_installed(python, at)) {
        at = python->back(at);
        if (held != NULL) {
            python->release(held);
        }
        held = at;
    }
    return held;
}

/* With the GIL. `own`: of the program rather than of an installed package, where there is one. */
static layer_frame look(const interpreter *python, layer_add_frame add, void *state, bool own) {
    object *frame = python->frame(), *type, *value, *trace;
    if (frame == NULL) {
        return LAYER_NO_CODE;
    }
    python->fetch(&type, &value, &trace);
    object *nearest = own ? own_frame(python, frame) : NULL;
    add_frame(python, nearest != NULL ? nearest : frame, add, state);
    if (nearest != NULL) {
        python->release(nearest);
    }
    object *own_type, *own_value, *own_trace;
    python->fetch(&own_type, &own_value, &own_trace); /* a failure of what was asked here is dropped */
    object *const left[] = {own_type, own_value, own_trace};
    for (size_t at = 0; at < 3; at++) {
        if (left[at] != NULL) {
            python->release(left[at]);
        }
    }
    python->restore(type, value, trace);
    return LAYER_FRAME;
}

layer_frame layer_python_frame(layer_add_frame add, void *state, bool own) {
    interpreter python;
    if (!find(&python) || !is_own(&python)) {
        return LAYER_NO_PYTHON;
    }
    if (holds_gil(&python)) {
        return look(&python, add, state, own);
    }
    if (!own || python.own() == NULL) {
        return LAYER_NO_GIL;
    }
    const int before = python.ensure();
    const layer_frame found = look(&python, add, state, own);
    python.let_go(before);
    return found;
}
