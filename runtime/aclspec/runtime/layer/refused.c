/* The refused calls of this process, for who asks within it: a plugin of a test runner, which knows whose calls they are. */
#include <pthread.h>
#include <string.h>

#include "layer.h"

enum { ROOM = 1 << 22 }; /* bytes of lines that nobody took; more are dropped */

static layer_text kept;
static atomic_bool keeps;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

bool layer_keeps_refused(void) { return keeps; }

void layer_keep_refused(const layer_text *line) {
    pthread_mutex_lock(&guard);
    if (keeps && !line->failed && kept.length + line->length <= ROOM) {
        layer_put_bytes(&kept, line->at, line->length);
    }
    pthread_mutex_unlock(&guard);
}

/* The lines of a recording of the calls that were refused since they were last taken; the first time begins to keep them. The
 * result is their bytes: the lines are taken if they fit into room, else they stay. SIZE_MAX: the layer is off. */
LAYER_API size_t aclspec_layer_refused(char *out, size_t room) {
    if (layer_is.mode == LAYER_OFF) {
        return SIZE_MAX;
    }
    pthread_mutex_lock(&guard);
    keeps = true;
    const size_t length = kept.length;
    if (length > 0 && length <= room) {
        memcpy(out, kept.at, length);
        layer_free(&kept);
    }
    pthread_mutex_unlock(&guard);
    return length;
}

void layer_refused_in_child(void) {
    pthread_mutex_init(&guard, NULL);
    kept = (layer_text){0}; /* it may have been growing */
}
