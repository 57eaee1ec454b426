/* For `aclspec layer doctor`: by which way the layer was loaded, and which functions it found behind itself, as one JSON object. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer.h"

/* The file's name, with `ending` behind it; false where none is asked for. */
static bool find_name(char name[PATH_MAX], const char *ending) {
    const char *pattern = getenv("ACLSPEC_LAYER_DOCTOR");
    if (pattern == NULL || pattern[0] == '\0' || layer_is_second()) {
        return false;
    }
    layer_file_name(pattern, name, PATH_MAX - strlen(ending));
    strcat(name, ending);
    return true;
}

static void write_text(const char *name, const layer_text *text) {
    layer_file file = layer_file_of(layer_open(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC));
    if (file.number >= 0 && !text->failed) {
        layer_write(&file, text->at, text->length);
    }
    layer_close(&file);
}

void layer_diagnose(void) {
    char name[PATH_MAX];
    layer_text text = {0};
    Dl_info library;
    if (!find_name(name, "")) {
        return;
    }
    layer_add(&text, "{\"process\": %ld, \"preloaded\": %s, \"functions\": {", (long)getpid(), layer_is_preloaded() ? "true" : "false");
    bool any = false;
    for (int function = 0; function < LAYER_FUNCTIONS; function++) {
        void *known = layer_known(function);
        if (known != NULL && dladdr(known, &library) != 0) {
            layer_add(&text, any ? ", " : "");
            layer_add_json(&text, layer_name_of(function));
            layer_add(&text, ": ");
            layer_add_json(&text, library.dli_fname);
            any = true;
        }
    }
    layer_add(&text, "}, \"lost_reports\": %llu}\n", (unsigned long long)layer_lost_reports());
    write_text(name, &text);
    layer_free(&text);
}

void layer_diagnose_stop(const char *why) {
    char name[PATH_MAX];
    if (find_name(name, ".stopped")) {
        write_text(name, &(layer_text){.at = (char *)why, .length = strlen(why)});
    }
}
