/* Loads Python, once. */
#include "python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "internal.h"

enum { LONGEST = 4096 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static const sim_python *python;
static char failure[LONGEST];

/* The library beside this one, wherever the folder has been moved. */
static bool beside(char *path, size_t size) {
    Dl_info info;
    if (dladdr((const void *)&guard, &info) == 0) {
        return false;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    const int folder = slash != NULL ? (int)(slash - info.dli_fname) : 1;
    return snprintf(path, size, "%.*s/libaclspec_python.so", folder, slash != NULL ? info.dli_fname : ".") < (int)size;
}

static const char *AGAIN = "Build the simulator again with: aclspec simulator build";

/* Whether Python runs the program, or was loaded for another reason. */
static bool is_loaded(void) { return dlsym(RTLD_DEFAULT, "Py_IsInitialized") != NULL; }

static bool load_libpython(void) {
    if (is_loaded()) {
        return true;
    }
    if (access(SIM_PYTHON, X_OK) != 0) {
        snprintf(failure, sizeof failure, "The Python that the simulator was built with (%s) is not there. %s.", SIM_PYTHON, AGAIN);
        return false;
    }
    if (dlopen(SIM_LIBPYTHON, RTLD_NOW | RTLD_GLOBAL) == NULL) {
        snprintf(failure, sizeof failure, "The library of Python cannot be loaded (%s). %s.", dlerror(), AGAIN);
        return false;
    }
    return true;
}

static const sim_python *load(void) {
    char path[LONGEST];
    if (!load_libpython()) {
        return NULL;
    }
    void *library = beside(path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const sim_python *table = library != NULL ? dlsym(library, "sim_python_table") : NULL;
    if (table == NULL) {
        snprintf(failure, sizeof failure, "The simulator's way into Python cannot be loaded (%s). %s.", dlerror(), AGAIN);
        return NULL;
    }
    char why[LONGEST / 2] = "";
    if (table->start(why, sizeof why) != 0) {
        snprintf(failure, sizeof failure, "Python cannot be started from %s (%s). %s.", SIM_PYTHON, why, AGAIN);
        return NULL;
    }
    return table;
}

int sim_start_python(const sim_site *site) {
    if (__atomic_load_n(&python, __ATOMIC_ACQUIRE) != NULL) {
        return 0;
    }
    pthread_mutex_lock(&guard);
    if (python == NULL && failure[0] == '\0') {
        const sim_python *loaded = load();
        if (loaded == NULL) {
            sim_say("%s", failure);
        }
        __atomic_store_n(&python, loaded, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&guard);
    return python != NULL ? 0 : sim_fail(site, ACL_ERROR_INTERNAL_ERROR, "%s", failure);
}

/* With the guard held. */
static bool is_there(void) {
    char path[LONGEST];
    if (access(SIM_PYTHON, X_OK) != 0) {
        snprintf(failure, sizeof failure, "The Python that the simulator was built with (%s) is not there. %s.", SIM_PYTHON, AGAIN);
    } else if (!beside(path, sizeof path) || access(path, R_OK) != 0) {
        snprintf(failure, sizeof failure, "The simulator's way into Python (%.2048s) cannot be read. %s.", path, AGAIN);
    } else if (strchr(SIM_LIBPYTHON, '/') != NULL && access(SIM_LIBPYTHON, R_OK) != 0) {
        snprintf(failure, sizeof failure, "The library of Python (%s) cannot be read. %s.", SIM_LIBPYTHON, AGAIN);
    }
    if (failure[0] != '\0') {
        sim_say("%s", failure);
    }
    return failure[0] == '\0';
}

int sim_find_python(const sim_site *site) {
    static bool found;
    if (__atomic_load_n(&found, __ATOMIC_ACQUIRE) || __atomic_load_n(&python, __ATOMIC_ACQUIRE) != NULL) {
        return 0;
    }
    if (is_loaded()) { /* threads that launch at the same time would wait for each other with its lock */
        return sim_start_python(site);
    }
    pthread_mutex_lock(&guard);
    const bool there = failure[0] == '\0' && is_there();
    pthread_mutex_unlock(&guard);
    __atomic_store_n(&found, there, __ATOMIC_RELEASE);
    return there ? 0 : sim_fail(site, ACL_ERROR_INTERNAL_ERROR, "%s", failure);
}

const sim_python *sim_python_functions(void) { return python; }

void sim_pause(int milliseconds) {
    void *state = sim_leave_python();
    usleep((useconds_t)milliseconds * 1000);
    sim_enter_python(state);
}

void *sim_leave_python(void) {
    const sim_python *table = __atomic_load_n(&python, __ATOMIC_ACQUIRE);
    return table != NULL ? table->leave() : NULL;
}

void sim_enter_python(void *state) {
    if (state != NULL) {
        python->enter(state);
    }
}

int sim_told(const sim_site *site, const sim_answer *answer) {
    if (answer->message != NULL) {
        sim_fail(site, answer->status, "%s", answer->message);
        free(answer->message);
    }
    return answer->status;
}
