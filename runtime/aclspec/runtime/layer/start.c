/* The start of the layer and its end, and a fork between them. */
#include <pthread.h>

#include "layer.h"
#include "lives.h"

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
    const char *unknown = layer_read_settings();
    if (unknown != NULL) {
        layer_say_line(LAYER_TEXT("The value of ACLSPEC_LAYER (%s) is neither explain, portability, enforce nor off; explain is used.",
                                  "ACLSPEC_LAYER 的值（%s）不是 explain、portability、enforce 或 off；按 explain 处理。"), unknown);
    }
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
        layer_say_left();
        layer_say_end();
        layer_diagnose();
    }
}
