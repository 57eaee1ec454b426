/* The real functions: what the program would have found without the layer.
 *
 * A resolver of an export runs early (while libraries are being relocated) or inside of dlsym, which holds the loader's lock.
 * So nothing here takes a lock: an answer is kept in one atomic pointer, and asking twice does no harm. */
#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layer.h"

#define EARLY __attribute__((no_sanitize("address", "thread", "undefined")))
#define LIBRARY "libcust_opapi.so"

/* By this symbol a copy of the layer knows another one. */
typedef struct {
    uint32_t version;
    atomic_int asking;            /* more than 0 while it looks behind itself: then other copies do so too */
    void *(*find)(const char *name); /* the function that this copy exports under a name */
    void *(*next)(const char *name); /* and the one behind it */
} identity;

static void *own_export(const char *name);
static void *behind(const char *name);
static identity self = {1, 0, own_export, behind};
/* Another copy's symbol of this name may stand in front of this one's, so that here only `self` is used. */
extern LAYER_API identity aclspec_layer __attribute__((alias("self")));

#define NAME(name) #name,
static const char *const base_names[] = {LAYER_BASE_FUNCTIONS(NAME)};
static _Atomic(void *) answers[LAYER_FUNCTIONS];
static identity *first; /* the copy that came before this one; NULL: this is the first */
static bool preloaded = true;
static bool found_place;

static const char anchor;
static const void *const volatile relocated = &anchor; /* the loader writes this pointer; before, it is not that address */

static void *own_export(const char *name) {
    void *handle = dlopen(layer_path(), RTLD_LAZY | RTLD_NOLOAD);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

/* The layer that a library is, NULL for any other library; its dependencies do not count. */
static identity *layer_of(void *handle, const struct link_map *map) {
    Dl_info where;
    identity *found = dlsym(handle, "aclspec_layer");
    if (found == NULL || dladdr(found, &where) == 0 || (uintptr_t)where.dli_fbase != (uintptr_t)map->l_addr) {
        return NULL;
    }
    return found;
}

/* The copy of the layer that a function belongs to, NULL for one of CANN. */
static identity *owner_of(void *function) {
    Dl_info where;
    struct link_map *map = NULL;
    if (function == NULL || dladdr1(function, &where, (void **)&map, RTLD_DL_LINKMAP) == 0 || map->l_name[0] == '\0') {
        return NULL;
    }
    void *handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    identity *found = handle != NULL ? layer_of(handle, map) : NULL;
    if (handle != NULL) {
        dlclose(handle);
    }
    return found;
}

/* What comes after this library. dlsym looks at its return address to know who asks, so this must not become a jump. */
EARLY static void *behind(const char *name) {
    void *volatile found = dlsym(RTLD_NEXT, name);
    return found;
}

/* The first copy of the layer among all libraries of the process, in the order in which they were loaded. */
static identity *first_of_all(void) {
    void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    struct link_map *map = NULL;
    if (program == NULL || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) {
        return NULL;
    }
    for (; map != NULL; map = map->l_next) {
        void *handle = map->l_name[0] != '\0' ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        identity *found = handle != NULL ? layer_of(handle, map) : NULL;
        if (handle != NULL) {
            dlclose(handle);
        }
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

EARLY void layer_start_resolving(void) {
    /* Asked by a library that was opened by dlopen, RTLD_DEFAULT means that library too; early, there is none such. */
    void *program = layer_is.started ? dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    identity *global = dlsym(program != NULL ? program : RTLD_DEFAULT, "aclspec_layer");
    preloaded = global == &self;
    if (layer_is.started && global == NULL) {
        global = first_of_all();
    }
    first = global == &self ? NULL : global;
    found_place = true;
}

const char *layer_path(void) {
    Dl_info own;
    return dladdr(&anchor, &own) != 0 ? own.dli_fname : "";
}

bool layer_is_second(void) { return first != NULL; }
bool layer_is_preloaded(void) { return preloaded && first == NULL; }

/* ---- the libraries, in the order in which frameworks look through them */

typedef struct {
    const char *name;
    void *found;
} search;

/* Whether frameworks would load it: it is the user's own or root's. */
static bool is_trusted(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && (status.st_uid == 0 || status.st_uid == geteuid());
}

/* Look in one library; true when the search is over. */
static bool look_in(search *wanted, const char *path) {
    if (strchr(path, '/') != NULL && !is_trusted(path)) {
        return false;
    }
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    handle = handle != NULL ? handle : dlopen(path, RTLD_LAZY);
    if (handle == NULL) {
        return false;
    }
    struct link_map *map = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && layer_of(handle, map) == NULL) {
        wanted->found = dlsym(handle, wanted->name);
    }
    return wanted->found != NULL; /* the handle stays open: a function of it may be in use */
}

/* For each of the items of a list between separators. */
static bool look_in_each(search *wanted, const char *list, char separator, const char *format, const char *before) {
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, (const char[]){separator, '\n', '\r', '\0'});
        char path[PATH_MAX];
        const int written = snprintf(path, sizeof path, format, before, (int)length, list);
        if (length > 0 && written > 0 && (size_t)written < sizeof path && look_in(wanted, path)) {
            return true;
        }
        list += length;
        if (*list != separator) {
            break;
        }
        list++;
    }
    return false;
}

static bool look_in_vendors(search *wanted, const char *opp) {
    char path[PATH_MAX], line[4096];
    snprintf(path, sizeof path, "%s/vendors/config.ini", opp);
    FILE *file = fopen(path, "re");
    bool over = false;
    while (file != NULL && !over && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "load_priority=", strlen("load_priority=")) == 0) {
            snprintf(path, sizeof path, "%s/vendors", opp);
            over = look_in_each(wanted, line + strlen("load_priority="), ',', "%s/%.*s/op_api/lib/" LIBRARY, path);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return over;
}

static bool look_in_names(search *wanted, const char *const *names) {
    const char *home = getenv("ASCEND_HOME_PATH");
    for (; *names != NULL; names++) {
        char path[PATH_MAX];
        if (look_in(wanted, *names)) {
            return true;
        }
        if (home != NULL && snprintf(path, sizeof path, "%s/lib64/%s", home, *names) < (int)sizeof path && look_in(wanted, path)) {
            return true;
        }
    }
    return false;
}

static void *by_handles(const char *name, bool is_operator) {
    static const char *const operators[] = {"libopapi_math.so",        "libopapi_nn.so",         "libopapi_cv.so",
                                            "libopapi_transformer.so", "libopapi_legacy.so",     "libopapi.so",
                                            "libaclnn_ops_infer.so",   "libaclnn_ops_train.so",  "libaclnn_math.so",
                                            "libaclnn_sparse.so",      "libaclnn_fft.so",        "libaclnn_rand.so", NULL};
    static const char *const base[] = {"libnnopbase.so", "libacl_rt.so", "libascendcl.so", NULL};
    search wanted = {name, NULL};
    if (!is_operator) {
        look_in_names(&wanted, base);
        return wanted.found;
    }
    const char *opp = getenv("ASCEND_OPP_PATH");
    if (!look_in_each(&wanted, getenv("ASCEND_CUSTOM_OPP_PATH"), ':', "%s%.*s/op_api/lib/" LIBRARY, "") &&
        !(opp != NULL && look_in_vendors(&wanted, opp))) {
        look_in_names(&wanted, operators);
    }
    return wanted.found;
}

/* ---- answers */

EARLY const char *layer_name_of(int function) {
    return function < LAYER_BASE ? layer_functions[function] : base_names[function - LAYER_BASE];
}

void *layer_known(int function) { return answers[function]; }

EARLY static void *ask(int function) {
    const char *name = layer_name_of(function);
    if (!found_place) {
        layer_start_resolving();
    }
    if (first != NULL) {
        return first->asking > 0 ? behind(name) : first->find(name);
    }
    void *found = NULL;
    if (preloaded) {
        self.asking++;
        found = behind(name);
        self.asking--;
        for (identity *other; layer_is.started && (other = owner_of(found)) != NULL;) {
            found = other->next(name);
        }
    }
    /* Before the constructors no library may be opened. */
    return found != NULL || !layer_is.started ? found : by_handles(name, function < LAYER_BASE);
}

EARLY void *layer_real(int function) {
    void *known = atomic_load_explicit(&answers[function], memory_order_acquire);
    if (known != NULL) {
        return known;
    }
    known = ask(function);
    if (known != NULL && !(first != NULL && first->asking > 0)) {
        atomic_store_explicit(&answers[function], known, memory_order_release);
    }
    return known;
}

void *layer_getter(int function) {
    static atomic_bool missing[LAYER_FUNCTIONS];
    void *found = missing[function] ? NULL : layer_real(function);
    if (found == NULL && layer_is.started) {
        missing[function] = true; /* else each call would look for it in all libraries */
    }
    return found;
}

static atomic_bool is_simulated;

void layer_ask_who(int operator_index) {
    Dl_info where;
    void *real = answers[2 * operator_index];
    void *handle = real != NULL && dladdr(real, &where) != 0 ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (handle != NULL) {
        is_simulated = dlsym(handle, "sim_fail") != NULL; /* of a library that those of the simulator need */
        dlclose(handle);
    }
}

const char *layer_who(void) {
    return is_simulated ? LAYER_TEXT("the simulator", "模拟器") : LAYER_TEXT("CANN", " CANN ");
}

EARLY void *layer_resolve(int function, void *layered) {
    if (relocated != &anchor) {
        return layered; /* nothing can be asked yet, and whoever asks so early could not have been loaded without the function */
    }
    void *real = layer_real(function);
    const bool idle = first != NULL || (layer_is.started && layer_is.mode == LAYER_OFF);
    return real == NULL || idle ? real : layered;
}
