/* A forked process has neither the memory of the devices nor their process, which stay those of the program that set them. */
#include "forks.h"

#include <pthread.h>

#include "arena.h"
#include "ask.h"
#include "internal.h"

static bool used, forked;

void sim_note_device(void) { __atomic_store_n(&used, true, __ATOMIC_RELEASE); }

bool sim_is_forked(void) { return __atomic_load_n(&forked, __ATOMIC_ACQUIRE); }

int sim_refuse_forked(const sim_site *site) {
    return !sim_is_forked() ? 0
                            : sim_fail(site, ACL_ERROR_RT_CONTEXT_NULL,
                                       "The process was forked from one that uses the device, and cannot use it itself; start it anew (spawn).");
}

static void in_child(void) {
    if (__atomic_load_n(&used, __ATOMIC_ACQUIRE)) {
        forked = true;
        sim_leave_arena();
        sim_leave_device();
    }
    sim_unlock();
}

__attribute__((constructor)) static void watch(void) { pthread_atfork(sim_lock, sim_unlock, in_child); }
