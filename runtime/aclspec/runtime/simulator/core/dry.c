/* What the dry device saw, written at once, since a program may end without a word. */
#include "dry.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"
#include "layer/places.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static size_t peaks[SIM_DEVICES];

static const char *variable(void) {
    const char *value = getenv("ACLSPEC_DRY");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0 ? value : NULL;
}

bool sim_dry(void) { return variable() != NULL; }

static void put(layer_text *line) {
    const char *path = variable();
    layer_add(line, ", \"process\": %ld}\n", (long)getpid());
    const int file = line->failed || strcmp(path, "1") == 0 ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        const ssize_t written = write(file, line->at, line->length); /* as one piece */
        if (written != (ssize_t)line->length) {
            sim_say("What the dry device sees cannot be written to %s.", path);
        }
        close(file);
    }
    layer_free(line);
}

void sim_dry_peak(int32_t device, size_t bytes) {
    pthread_mutex_lock(&guard);
    const bool more = bytes > peaks[device];
    peaks[device] = more ? bytes : peaks[device];
    pthread_mutex_unlock(&guard);
    if (more) {
        layer_text line = {0};
        layer_add(&line, "{\"device\": %d, \"peak\": %zu", (int)device, bytes);
        put(&line);
    }
}

static bool is_layer(const void *caller) {
    static const char name[] = "/libcust_opapi.so";
    Dl_info info;
    const size_t length = dladdr(caller, &info) != 0 && info.dli_fname != NULL ? strlen(info.dli_fname) : 0;
    return length >= sizeof name && strcmp(info.dli_fname + length - (sizeof name - 1), name) == 0;
}

void sim_dry_call(const sim_site *site) {
    if (!is_layer(site->caller)) {
        layer_text line = {0};
        layer_add(&line, "{\"unseen\": \"%s\"", site->function);
        put(&line);
    }
}

void sim_dry_copy(const sim_site *site, size_t bytes) {
    layer_text line = {0};
    layer_add(&line, "{\"copied\": %zu, \"function\": \"%s\"", bytes, site->function);
    layer_add_place(&line, site->caller, true); /* as phase two of another simulator, which computes in Python */
    put(&line);
}
