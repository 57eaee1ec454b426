/* Strict mode looks at what is left at the end. A handle, and whatever the program itself has created, is a leak. Streams,
 * events and memory that a shared library has created and keeps to the end may be its pool, of which nobody outside of it
 * can tell: they are counted in a line that is no report, unless ACLSPEC_STRICT is "pools". So are the handles of a library
 * that keeps repeatable executors, for these hold them. ACLSPEC_STRICT_SUPPRESSIONS names a file whose lines, leak:pattern,
 * say what is not told. */
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "memory.h"

enum { MOST = 64, LONGEST = 512 };

/* What a library holds of one kind. */
typedef struct pool {
    char library[128];
    const char *noun;
    size_t count, bytes;
} pool;

typedef struct search {
    const sim_site *site;
    pool pools[MOST];
    size_t pool_count;
    char patterns[MOST][LONGEST]; /* suppressed */
    size_t pattern_count;
    bool pools_too; /* each is reported */
    const void *caches[MOST]; /* libraries that keep executors */
    size_t cache_count;
} search;

static void *program_base(void) {
    Dl_info info;
    return dladdr((void *)getauxval(AT_ENTRY), &info) != 0 ? info.dli_fbase : NULL;
}

/* Lines of the file: leak:pattern, or a comment behind a #. */
static void read_suppressions(search *one) {
    const char *path = getenv("ACLSPEC_STRICT_SUPPRESSIONS");
    FILE *file = path != NULL && path[0] != '\0' ? fopen(path, "r") : NULL;
    char line[LONGEST];
    if (file == NULL) {
        if (path != NULL && path[0] != '\0') {
            sim_say("The file of the environment variable ACLSPEC_STRICT_SUPPRESSIONS (%s) cannot be read.", path);
        }
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\r\n")] = '\0';
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ') {
            line[--length] = '\0';
        }
        if (length == 0) {
            continue;
        }
        if (strncmp(line, "leak:", 5) != 0 || length == 5 || length > LONGEST - 3 || one->pattern_count == MOST) {
            sim_say("The line (%s) of ACLSPEC_STRICT_SUPPRESSIONS is not leak: and a pattern.", line);
            continue;
        }
        snprintf(one->patterns[one->pattern_count++], LONGEST, "*%.*s*", LONGEST - 3, line + 5);
    }
    fclose(file);
}

/* Whether a pattern is in the category, the function that created it, or the function or the library that called that one. */
static bool is_suppressed(const search *one, const char *category, const sim_site *origin, const Dl_info *info) {
    const char *texts[] = {category, origin->function, info->dli_sname, info->dli_fname};
    for (size_t at = 0; at < one->pattern_count; at++) {
        for (size_t text = 0; text < sizeof texts / sizeof *texts; text++) {
            if (texts[text] != NULL && fnmatch(one->patterns[at], texts[text], 0) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void count(search *one, const char *noun, const Dl_info *info, size_t bytes) {
    const char *slash = strrchr(info->dli_fname, '/');
    const char *library = slash != NULL ? slash + 1 : info->dli_fname;
    size_t at = 0;
    while (at < one->pool_count && (strcmp(one->pools[at].library, library) != 0 || one->pools[at].noun != noun)) {
        at++;
    }
    if (at == MOST) {
        return;
    }
    if (at == one->pool_count) {
        one->pool_count++;
        one->pools[at] = (pool){.noun = noun};
        snprintf(one->pools[at].library, sizeof one->pools[at].library, "%s", library);
    }
    one->pools[at].count++;
    one->pools[at].bytes += bytes;
}

/* The library that has created something, by where it is loaded; NULL of the program itself. */
static const void *library_of(const sim_site *origin) {
    Dl_info info;
    const bool known = dladdr(origin->caller, &info) != 0 && info.dli_fname != NULL;
    return known && info.dli_fbase != program_base() ? info.dli_fbase : NULL;
}

static bool is_cache(const search *one, const void *library) {
    for (size_t at = 0; at < one->cache_count; at++) {
        if (one->caches[at] == library) {
            return true;
        }
    }
    return false;
}

static void note_cache(const sim_handle *handle, void *given) {
    search *one = given;
    const void *library = handle->kind == SIM_EXECUTOR && ((const aclOpExecutor *)handle)->repeatable ? library_of(&handle->origin) : NULL;
    if (library != NULL && one->cache_count < MOST && !is_cache(one, library)) {
        one->caches[one->cache_count++] = library;
    }
}

/* Whether what was created there is to be reported: neither suppressed nor, where it may be, of a pool. */
static bool is_leak(search *one, const char *category, const char *noun, bool pooled, const sim_site *origin, size_t bytes) {
    Dl_info info = {0};
    const bool known = dladdr(origin->caller, &info) != 0 && info.dli_fname != NULL;
    if (is_suppressed(one, category, origin, &info)) {
        return false;
    }
    const void *library = known ? library_of(origin) : NULL;
    if (library == NULL || one->pools_too || !(pooled || is_cache(one, library))) {
        return true;
    }
    count(one, noun, &info, bytes);
    return false;
}

static void leaked_handle(const sim_handle *handle, void *given) {
    search *one = given;
    const char *category = "handle";
    bool pooled = true;
    switch (handle->kind) {
    case SIM_STREAM:
        category = "stream";
        break;
    case SIM_EVENT:
        category = "event";
        break;
    case SIM_PHYSICAL:
        category = "memory";
        break;
    case SIM_CONTEXT:
        if (((const sim_context *)handle)->primary) {
            return; /* the context of the device itself is aclrtResetDevice's */
        }
        category = "context";
        break;
    default:
        pooled = false;
    }
    if (is_leak(one, category, sim_kind_name(handle->kind), pooled, &handle->origin, 0)) {
        sim_report(one->site, handle->serial, "The %s (%p)%s is not destroyed.", sim_kind_name(handle->kind), (const void *)handle,
                   sim_origin(&handle->origin));
    }
}

static void leaked_block(const sim_block *block, void *given) {
    static const char *const categories[] = {"host-memory", "memory", "address"};
    static const char *const nouns[] = {"host memory", "device memory", "reserved memory"};
    search *one = given;
    const sim_block_kind kind = sim_block_kind_of(block);
    if (is_leak(one, categories[kind], nouns[kind], true, &block->origin, block->size)) {
        sim_report(one->site, block->serial, "The %s (0x%zx, of %zu bytes)%s is not freed.", nouns[kind], (size_t)block->base,
                   block->size, sim_origin(&block->origin));
    }
}

static void tell(const pool *one) {
    if (one->bytes > 0) {
        fprintf(stderr, "aclspec strict: %s keeps %zu of %s, of %zu bytes, to the end: a pool or a leak.\n", one->library, one->count,
                one->noun, one->bytes);
    } else {
        fprintf(stderr, "aclspec strict: %s keeps %zu of %s to the end: a pool or a leak.\n", one->library, one->count, one->noun);
    }
}

void sim_report_leaks(const sim_site *site) {
    search *one = sim_strict() ? calloc(1, sizeof *one) : NULL;
    if (one == NULL) {
        return;
    }
    one->site = site;
    one->pools_too = strcmp(getenv("ACLSPEC_STRICT"), "pools") == 0;
    read_suppressions(one);
    sim_lock();
    sim_each_handle(note_cache, one);
    sim_each_handle(leaked_handle, one);
    sim_each_block(leaked_block, one);
    sim_unlock();
    for (size_t at = 0; at < one->pool_count; at++) {
        tell(&one->pools[at]);
    }
    free(one);
}
