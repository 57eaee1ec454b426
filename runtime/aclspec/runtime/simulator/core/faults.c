/* Faults on demand. ACLSPEC_FAULT="aclrtMalloc:3,aclnn*GetWorkspaceSize:1=561003": the third call of one function and
 * the first of any that fits a pattern fail, with the code given or the one that the function is known for. The variable
 * is looked at in every call; a new value starts the counts anew. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnn_status.h"
#include "internal.h"

enum { MOST = 32, LONGEST = 128 };

typedef struct fault {
    char pattern[LONGEST];
    unsigned long at;
    unsigned long calls;
    int code;
} fault;

static const struct {
    const char *pattern;
    int code;
} usual[] = {
    {"aclInit", ACL_ERROR_INTERNAL_ERROR},
    {"aclrtSetDevice", ACL_ERROR_RT_INVALID_DEVICEID},
    {"aclrtMallocHost", ACL_ERROR_RT_MEMORY_ALLOCATION},
    {"aclrtMalloc*", ACL_ERROR_RT_MEMORY_ALLOCATION},
    {"aclrtFree*", ACL_ERROR_RT_MEMORY_FREE},
    {"aclrtCreateStream*", ACL_ERROR_RT_NO_STREAM_RESOURCE},
    {"aclrtSynchronize*", ACL_ERROR_RT_AICORE_EXCEPTION},
    {"aclrtMem*", ACL_ERROR_RT_DRV_INTERNAL_ERROR},
    {"aclrt*", ACL_ERROR_RT_INTERNAL_ERROR},
    {"aclnnInit", ACLNN_ERR_INNER},
    {"aclnnFinalize", ACLNN_ERR_INNER},
    {"aclnn*GetWorkspaceSize", ACLNN_ERR_INNER_FIND_KERNEL_ERROR},
    {"aclnn*", ACLNN_ERR_RUNTIME_ERROR},
    {"aclGetDeviceCapability", ACL_ERROR_INTERNAL_ERROR},
    {"aclGetCannAttribute", ACL_ERROR_INTERNAL_ERROR},
    {"acl[DGSI]*", ACLNN_ERR_INNER},
    {"AclSet*", ACLNN_ERR_INNER},
    {"*", ACL_ERROR_INTERNAL_ERROR},
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char *known; /* the value that the table was made of */
static bool asked;  /* whether there was ever one; read without the guard */
static fault faults[MOST];
static size_t count;

static int usual_code(const char *function) {
    size_t at = 0;
    while (fnmatch(usual[at].pattern, function, 0) != 0) {
        at++;
    }
    return usual[at].code;
}

/* One entry: function:number or function:number=code. */
static bool read_entry(const char *text, size_t length, fault *out) {
    const char *colon = memchr(text, ':', length);
    if (colon == NULL || colon == text || (size_t)(colon - text) >= LONGEST) {
        return false;
    }
    char number[LONGEST];
    char *end;
    snprintf(number, sizeof number, "%.*s", (int)(text + length - colon - 1), colon + 1);
    *out = (fault){0};
    memcpy(out->pattern, text, (size_t)(colon - text));
    out->at = strtoul(number, &end, 10);
    if (end == number || out->at == 0) {
        return false;
    }
    if (*end == '=') {
        char *rest;
        out->code = (int)strtol(end + 1, &rest, 10);
        return rest != end + 1 && *rest == '\0' && out->code != 0;
    }
    return *end == '\0';
}

static void read_all(const char *value) {
    free(known);
    known = strdup(value);
    __atomic_store_n(&asked, true, __ATOMIC_RELEASE);
    count = 0;
    for (const char *at = value; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        if (count < MOST && read_entry(at, length, &faults[count])) {
            count++;
        } else if (length > 0) {
            sim_say("The entry (%.*s) of ACLSPEC_FAULT is not a C function, a colon and the number of the call that fails.",
                    (int)length, at);
        }
        at += length + (at[length] == ',');
    }
}

static int due(const char *function) {
    int code = 0;
    for (size_t at = 0; at < count; at++) {
        fault *one = &faults[at];
        if (fnmatch(one->pattern, function, 0) == 0 && ++one->calls == one->at && code == 0) {
            code = one->code != 0 ? one->code : usual_code(function);
        }
    }
    return code;
}

int sim_fault(const sim_site *site) {
    const char *value = getenv("ACLSPEC_FAULT");
    if (value == NULL && !__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    pthread_mutex_lock(&guard);
    if (value == NULL) {
        value = "";
    }
    if (known == NULL || strcmp(value, known) != 0) {
        read_all(value);
    }
    const int code = due(site->function);
    pthread_mutex_unlock(&guard);
    if (code != 0) {
        sim_fail(site, code, "The environment variable ACLSPEC_FAULT makes this call fail with %d.", code);
    }
    return code;
}

/* At the end of the process: a misspelt function would otherwise look like a program that survives its fault. */
__attribute__((destructor)) static void forget(void) {
    for (size_t at = 0; at < count; at++) {
        if (faults[at].calls == 0) {
            sim_say("No function that was called has the name (%s) of ACLSPEC_FAULT.", faults[at].pattern);
        }
    }
    free(known);
}
