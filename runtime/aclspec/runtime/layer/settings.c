/* The environment of the layer, its start and its end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static const uint64_t DATA_LIMIT = 1 << 30;

layer_settings layer_is = {.mode = LAYER_EXPLAIN, .language = ACLSPEC_EN};

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
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

static void read_settings(void) {
    static const char *const modes[] = {"explain", "portability", "enforce", "off"};
    static const char *const languages[] = {"en", "zh"};
    const char *language = variable("ACLSPEC_LANG"), *mode = variable("ACLSPEC_LAYER"), *where = variable("ACLSPEC_LAYER_BACKTRACE");
    const char *data = variable("ACLSPEC_RECORD_DATA"), *limit = variable("ACLSPEC_RECORD_DATA_LIMIT");
    const char *calls = variable("ACLSPEC_RECORD_CALLS");
    int found = ACLSPEC_EN;
    layer_is.log = layer_absolute(variable("ACLSPEC_LAYER_LOG"));
    layer_is.record = layer_absolute(variable("ACLSPEC_RECORD"));
    layer_is.record_data = layer_is.record != NULL && data != NULL && strcmp(data, "0") != 0;
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
    if (mode != NULL && !one_of(mode, modes, 4, &found)) {
        layer_say_line(LAYER_TEXT("The value of ACLSPEC_LAYER (%s) is neither explain, portability, enforce nor off; explain is used.",
                                  "ACLSPEC_LAYER 的值（%s）不是 explain、portability、enforce 或 off；按 explain 处理。"), mode);
    }
    layer_is.mode = (layer_mode)found;
}

static void before_fork(void) { layer_lock_table(true); }

static void in_parent(void) { layer_lock_table(false); }

static void in_child(void) {
    layer_lock_table(false);
    layer_files_in_child();
    layer_in_child();
    layer_record_in_child();
    layer_refused_in_child();
}

__attribute__((constructor)) static void start(void) {
    layer_files_start();
    layer_start_saying();
    read_settings();
    layer_is.started = true;
    layer_start_resolving();
    if (layer_is_second()) {
        layer_is.mode = LAYER_OFF; /* the first copy does the work */
    }
    if (layer_is.mode != LAYER_OFF) {
        pthread_atfork(before_fork, in_parent, in_child);
        layer_diagnose(); /* and again at the end, which some programs do not have */
    }
}

__attribute__((destructor)) static void end(void) {
    if (layer_is.mode != LAYER_OFF) {
        layer_say_end();
        layer_diagnose();
    }
}
