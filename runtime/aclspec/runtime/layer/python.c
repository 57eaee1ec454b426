/* The Python frame that a call comes from, as a report says it. The layer never waits for the GIL to say it. */
#include "layer.h"
#include "places.h"

static void add_line(void *text, const char *file, int line, const char *function) {
    layer_add(text, LAYER_TEXT(" - called from %s:%d in %s\n", " - 调用处 %s:%d，%s\n"), file, line, function);
}

void layer_add_python(layer_text *text) {
    switch (layer_python_frame(add_line, text, false)) {
    case LAYER_NO_GIL:
        layer_put(text, LAYER_TEXT(" - the Python frame is not known: this thread does not hold the GIL\n",
                                   " - 无法得知 Python 调用处：本线程未持有 GIL\n"));
        break;
    case LAYER_NO_CODE:
        layer_put(text, LAYER_TEXT(" - the Python frame is not known: this thread runs no Python code\n",
                                   " - 无法得知 Python 调用处：本线程没有在执行 Python 代码\n"));
        break;
    default: break;
    }
}

void layer_add_place_json(layer_text *text, const void *caller) {
    layer_add_place(text, layer_is.record_places ? caller : NULL, layer_is.record_places);
}
