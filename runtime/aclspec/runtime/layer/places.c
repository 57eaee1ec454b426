/* Where a call comes from: the frame of Python, else the place in a program or library of C, which a tool that reads debug
 * information turns into a line. */
#include "places.h"

#include <dlfcn.h>
#include <link.h>

#include "frames.h"

enum { LONGEST = 4096 }; /* names that code made up are longer */

static void add_names(layer_text *text, const char *kind, const char *file, const char *number, int64_t value, const char *function) {
    layer_add(text, ", \"%s\": {\"file\": ", kind);
    layer_add_json(text, file);
    layer_add(text, ", \"%s\": %lld, \"function\": ", number, (long long)value);
    layer_add_json(text, function);
    layer_put(text, "}");
}

static void add_python(void *text, const char *file, int line, const char *function) {
    if (strlen(file) <= LONGEST && strlen(function) <= LONGEST) {
        add_names(text, "python", file, "line", line, function);
    }
}

void layer_add_place(layer_text *text, const void *caller, bool own) {
    Dl_info info;
    struct link_map *map = NULL;
    if (layer_python_frame(add_python, text, own) == LAYER_FRAME || caller == NULL ||
        dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == NULL || map == NULL) {
        return;
    }
    /* The call stands before the address that it returns to. */
    add_names(text, "caller", info.dli_fname, "offset", (int64_t)((uintptr_t)caller - (uintptr_t)map->l_addr - 1),
              info.dli_sname != NULL ? info.dli_sname : "");
}
