/* The Python frame that a call comes from. Only where Python runs the program, which libraries of CANN may embed for themselves,
 * and where this thread holds the GIL anyway: the layer never acquires it. What is asked here changes nothing of the
 * interpreter's state: an exception that is on its way stays so. */
#include <dlfcn.h>
#include <wchar.h>

#include "layer.h"

typedef void object;

typedef struct {
    int (*is_initialized)(void);
    void *(*current)(void), *(*own)(void);
    void (*command_line)(int *count, wchar_t ***words);
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
    static const char *const names[] = {"Py_IsInitialized",      "_PyThreadState_UncheckedGet", "PyGILState_GetThisThreadState",
                                        "PyEval_GetFrame",       "PyFrame_GetCode",             "PyFrame_GetLineNumber",
                                        "PyObject_GetAttrString", "PyUnicode_AsUTF8",           "PyErr_Fetch",
                                        "PyErr_Restore",         "Py_DecRef",                   "Py_GetArgcArgv"};
    void *const places[] = {&python->is_initialized, &python->current, &python->own,     &python->frame,
                            &python->code,           &python->line,    &python->attribute, &python->text,
                            &python->fetch,          &python->restore, &python->release, &python->command_line};
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

typedef void (*add_place)(layer_text *text, const char *file, int line, const char *function);

static void add_frame(layer_text *text, const interpreter *python, object *frame, add_place add) {
    object *file_holder = NULL, *name_holder = NULL, *code = python->code(frame);
    const char *file = read(python, code, "co_filename", &file_holder), *name = read(python, code, "co_name", &name_holder);
    if (file != NULL && name != NULL) {
        add(text, file, python->line(frame), name);
    }
    object *const held[] = {file_holder, name_holder, code};
    for (size_t at = 0; at < sizeof held / sizeof *held; at++) {
        if (held[at] != NULL) {
            python->release(held[at]);
        }
    }
}

/* The frame by `add`; why there is none, NULL where there is nothing to say. */
static const char *look(layer_text *text, add_place add) {
    interpreter python;
    if (!find(&python) || !is_own(&python)) {
        return NULL;
    }
    if (!holds_gil(&python)) {
        return LAYER_TEXT(" - the Python frame is not known: this thread does not hold the GIL\n",
                          " - 无法得知 Python 调用处：本线程未持有 GIL\n");
    }
    object *frame = python.frame(), *type, *value, *trace;
    if (frame == NULL) {
        return LAYER_TEXT(" - the Python frame is not known: this thread runs no Python code\n",
                          " - 无法得知 Python 调用处：本线程没有在执行 Python 代码\n");
    }
    python.fetch(&type, &value, &trace);
    add_frame(text, &python, frame, add);
    object *own_type, *own_value, *own_trace;
    python.fetch(&own_type, &own_value, &own_trace); /* a failure of what was asked here is dropped */
    object *const own[] = {own_type, own_value, own_trace};
    for (size_t at = 0; at < 3; at++) {
        if (own[at] != NULL) {
            python.release(own[at]);
        }
    }
    python.restore(type, value, trace);
    return NULL;
}

static void add_line(layer_text *text, const char *file, int line, const char *function) {
    layer_add(text, LAYER_TEXT(" - called from %s:%d in %s\n", " - 调用处 %s:%d，%s\n"), file, line, function);
}

void layer_add_python(layer_text *text) {
    const char *why = look(text, add_line);
    layer_add(text, "%s", why != NULL ? why : "");
}

static void add_member(layer_text *text, const char *file, int line, const char *function) {
    if (strlen(file) > LAYER_LONGEST || strlen(function) > LAYER_LONGEST) {
        return; /* names that code made up */
    }
    layer_put(text, ", \"python\": {\"file\": ");
    layer_add_json(text, file);
    layer_put(text, ", \"line\": ");
    layer_put_integer(text, line);
    layer_put(text, ", \"function\": ");
    layer_add_json(text, function);
    layer_put(text, "}");
}

void layer_add_python_json(layer_text *text) { (void)look(text, add_member); }
