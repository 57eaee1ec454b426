/* What the environment says, and whether a call is the program's own: nothing here needs another file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

static const uint64_t DATA_LIMIT = 1 << 30;

layer_settings layer_is = {.mode = LAYER_EXPLAIN, .language = ACLSPEC_EN};
_Thread_local int layer_depth;

bool layer_watches(void) { return layer_depth == 0 && layer_is.mode != LAYER_OFF && layer_is.started; }

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The name from the root, to be kept for ever; the working directory may change. NULL stays NULL. */
static const char *absolute(const char *name) {
    char *folder = name != NULL && name[0] != '/' ? getcwd(NULL, 0) : NULL, *path = NULL;
    if (folder != NULL && asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
    }
    free(folder);
    return path != NULL ? path : name;
}

static bool one_of(const char *value, const char *const *words, int count, int *found) {
    for (int at = 0; at < count; at++) {
        if (strcmp(value, words[at]) == 0) {
            *found = at;
            return true;
        }
    }
    return false;
}

const char *layer_read_settings(void) {
    static const char *const modes[] = {"explain", "portability", "enforce", "off"};
    static const char *const languages[] = {"en", "zh"};
    const char *language = variable("ACLSPEC_LANG"), *mode = variable("ACLSPEC_LAYER"), *where = variable("ACLSPEC_LAYER_BACKTRACE");
    const char *data = variable("ACLSPEC_RECORD_DATA"), *limit = variable("ACLSPEC_RECORD_DATA_LIMIT");
    const char *calls = variable("ACLSPEC_RECORD_CALLS"), *places = variable("ACLSPEC_RECORD_PLACES");
    int found = ACLSPEC_EN;
    layer_is.log = absolute(variable("ACLSPEC_LAYER_LOG"));
    layer_is.record = absolute(variable("ACLSPEC_RECORD"));
    layer_is.record_data = layer_is.record != NULL && data != NULL && strcmp(data, "0") != 0;
    layer_is.record_places = places != NULL && strcmp(places, "0") != 0;
    layer_is.record_refused = calls != NULL && strcmp(calls, "refused") == 0;
    layer_is.record_data_limit = limit != NULL ? strtoull(limit, NULL, 10) : DATA_LIMIT;
    layer_is.product = variable("ACLSPEC_PRODUCT");
    layer_is.rank = variable("RANK");
    layer_is.mute = variable("ACLSPEC_LAYER_MUTE");
    layer_is.where = where != NULL && strcmp(where, "0") != 0;
    if (language != NULL && one_of(language, languages, 2, &found)) {
        layer_is.language = (aclspec_language)found;
    }
    found = LAYER_EXPLAIN;
    const bool known = mode == NULL || one_of(mode, modes, 4, &found);
    layer_is.mode = (layer_mode)found;
    return known ? NULL : mode;
}
