/* Strict mode: what hardware would corrupt silently is reported, once each, and the process ends with a status of its
 * own. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "streams.h"

enum { STATUS = 97, MOST = 4096 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static uint64_t told[MOST];
static size_t reports;

bool sim_strict(void) {
    const char *value = getenv("ACLSPEC_STRICT");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static uint64_t digest(uint64_t hash, const char *text) {
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001B3u;
    }
    return hash;
}

static bool first_time(uint64_t key) {
    for (size_t at = 0; at < reports && at < MOST; at++) {
        if (told[at] == key) {
            return false;
        }
    }
    told[reports++ % MOST] = key;
    return true;
}

void sim_report(const sim_site *site, uint64_t serial, const char *format, ...) {
    if (!sim_strict()) {
        return;
    }
    /* The same thing is the same format about the same object in the same function. */
    const uint64_t key = digest(digest(serial * 0x9E3779B97F4A7C15u, site->function), format);
    char sentence[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&guard);
    if (first_time(key)) {
        fprintf(stderr, "aclspec strict: %s\n - while calling %s\n", sentence, site->function);
    }
    pthread_mutex_unlock(&guard);
}

const char *sim_origin(const sim_site *origin) {
    static __thread char text[512];
    Dl_info info;
    if (dladdr(origin->caller, &info) == 0 || info.dli_fname == NULL) {
        snprintf(text, sizeof text, " (created by %s)", origin->function);
        return text;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const char *file = slash != NULL ? slash + 1 : info.dli_fname;
    /* The call stands before the address that it returns to. */
    const size_t offset = (uintptr_t)origin->caller - (uintptr_t)info.dli_fbase - 1;
    if (info.dli_sname != NULL) {
        snprintf(text, sizeof text, " (created by %s, called in %s at %s+0x%zx)", origin->function, info.dli_sname, file,
                 offset);
    } else {
        snprintf(text, sizeof text, " (created by %s, called at %s+0x%zx)", origin->function, file, offset);
    }
    return text;
}

void sim_strict_end(void) {
    if (reports > 0) {
        fprintf(stderr, "aclspec strict: %zu %s; the exit status is %d.\n", reports, reports == 1 ? "report" : "reports", STATUS);
        fflush(NULL);
        _exit(STATUS);
    }
}
