/* The contexts of devices, and the one of each thread. */
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"
#include "forks.h"
#include "streams.h"

enum { NO_DEVICE = -1 };

static sim_context *primary[SIM_DEVICES];
static int users[SIM_DEVICES];
static int64_t options[SIM_OPTIONS];
static int32_t standard = NO_DEVICE; /* of threads that set none */
static __thread sim_context *current;

void sim_number_stream(sim_stream *stream) {
    static int32_t numbers;
    stream->id = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
}

static void dispose_context(void *object) { free(((sim_context *)object)->standard); }

static sim_context *make(const sim_site *site, int32_t device) {
    sim_stream *standard = calloc(1, sizeof *standard);
    sim_context *context = standard != NULL ? sim_create(site, SIM_CONTEXT, sizeof *context, dispose_context) : NULL;
    if (context == NULL) {
        free(standard);
        sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "There is no memory for a context.");
        return NULL;
    }
    sim_note_device();
    standard->context = context;
    sim_number_stream(standard);
    context->standard = standard;
    context->device = device;
    return context;
}

int sim_default_device(const sim_site *site, int32_t device) {
    if (sim_check_device(site, device) != 0) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    sim_lock();
    standard = device;
    sim_unlock();
    return 0;
}

void sim_forget_default_device(void) {
    sim_lock();
    standard = NO_DEVICE;
    sim_unlock();
}

static bool is_live(const sim_context *context) {
    sim_lock();
    const sim_handle *found = context != NULL ? sim_find(context) : NULL;
    const bool live = found != NULL && found->live && found->kind == SIM_CONTEXT;
    sim_unlock();
    return live;
}

/* Make the context of a device that of this thread; `use`: as one more user, whom aclrtResetDevice waits for. */
static void enter(const sim_site *site, int32_t device, bool use) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&making);
    if (primary[device] == NULL) {
        primary[device] = make(site, device);
        if (primary[device] != NULL) {
            primary[device]->primary = true;
        }
    }
    users[device] += use && primary[device] != NULL;
    current = primary[device];
    pthread_mutex_unlock(&making);
}

sim_context *sim_context_of_thread(const sim_site *site) {
    if (sim_refuse_forked(site) != 0) {
        return NULL;
    }
    if (current != NULL && !is_live(current)) {
        current = NULL;
    }
    if (current == NULL) {
        sim_lock();
        const int32_t device = standard;
        sim_unlock();
        if (device == NO_DEVICE) {
            sim_fail(site, ACL_ERROR_RT_CONTEXT_NULL, "The thread has no context: it has not called aclrtSetDevice.");
        } else {
            enter(site, device, false);
        }
    }
    return current;
}

int sim_stream_of(const sim_site *site, void *handle, sim_stream **stream) {
    sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    if (handle == NULL) {
        *stream = context->standard;
        return 0;
    }
    const int code = sim_check(site, SIM_STREAM, handle, ACL_ERROR_RT_INVALID_HANDLE);
    if (code != 0) {
        return code;
    }
    *stream = handle;
    if ((*stream)->context != context) {
        return sim_fail(site, ACL_ERROR_RT_STREAM_CONTEXT, "The stream (%p) is not one of the current context.", handle);
    }
    return 0;
}

int sim_need_context(const sim_site *site) {
    return sim_context_of_thread(site) != NULL ? sim_device_failure(site) : ACL_ERROR_RT_CONTEXT_NULL;
}

int sim_set_device(const sim_site *site, int32_t device) {
    if (sim_check_device(site, device) != 0) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    const int code = sim_refuse_forked(site);
    if (code != 0) {
        return code;
    }
    enter(site, device, true);
    if (current != NULL && !sim_dry()) {
        sim_start_device();
    }
    return current != NULL ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

bool sim_is_active(int32_t device) {
    sim_lock();
    const bool active = primary[device] != NULL;
    sim_unlock();
    return active;
}

int sim_reset_device(const sim_site *site, int32_t device, bool force) {
    if (sim_check_device(site, device) != 0) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    if (force || users[device] <= 1) {
        sim_end_streams(device, NULL);
    }
    sim_lock();
    sim_context *context = primary[device];
    const bool last = context != NULL && (force || --users[device] == 0);
    if (last) {
        users[device] = 0;
        primary[device] = NULL;
    }
    sim_unlock();
    if (last) {
        sim_bury(context);
        sim_reset_dead_device();
    }
    return 0;
}

int sim_current_device(const sim_site *site, int32_t *device) {
    if (device == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the device is null.");
    }
    const sim_context *context = sim_context_of_thread(site);
    if (context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *device = context->device;
    return 0;
}

int sim_create_context(const sim_site *site, void **context, int32_t device) {
    if (context == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the context is null.");
    }
    if (sim_check_device(site, device) != 0) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    sim_context *made = make(site, device);
    if (made == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    current = made;
    *context = made;
    return 0;
}

int sim_destroy_context(const sim_site *site, void *handle) {
    if (handle == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The context is null.");
    }
    const int code = sim_check(site, SIM_CONTEXT, handle, ACL_ERROR_RT_INVALID_HANDLE);
    if (code != 0) {
        return code;
    }
    if (((sim_context *)handle)->primary) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The context (%p) is the device's own, which aclrtResetDevice ends.",
                        handle);
    }
    sim_end_streams(((sim_context *)handle)->device, handle);
    sim_bury(handle);
    return 0;
}

int sim_set_context(const sim_site *site, void *handle) {
    if (handle == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The context is null.");
    }
    const int code = sim_check(site, SIM_CONTEXT, handle, ACL_ERROR_RT_INVALID_HANDLE);
    if (code == 0) {
        current = handle;
    }
    return code;
}

int sim_get_context(const sim_site *site, void **context) {
    if (context == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the context is null.");
    }
    *context = sim_context_of_thread(site);
    return *context != NULL ? 0 : ACL_ERROR_RT_CONTEXT_NULL;
}

int sim_option(const sim_site *site, bool of_context, int option, int64_t *value, bool write) {
    if (value == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the value is null.");
    }
    if (option < 0 || option >= SIM_OPTIONS) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The option (%d) is unknown.", option);
    }
    sim_context *context = of_context ? sim_context_of_thread(site) : NULL;
    if (of_context && context == NULL) {
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    int64_t *kept = of_context ? &context->options[option] : &options[option];
    sim_lock();
    if (write) {
        *kept = *value;
    } else {
        *value = *kept;
    }
    sim_unlock();
    return 0;
}
