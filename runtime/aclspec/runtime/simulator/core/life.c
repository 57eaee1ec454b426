/* The life of the runtime: from aclInit to aclFinalize, and what strict mode says at the end of the process. */
#include <stdlib.h>

#include "ask.h"
#include "streams.h"

static uint64_t references;
static bool finalized; /* aclFinalize was the last that the program did with the runtime */

int sim_init(const sim_site *site) {
    if (sim_current_soc(site) == NULL || (!sim_dry() && sim_find_device(site) != 0)) {
        return ACL_ERROR_INTERNAL_ERROR;
    }
    sim_lock();
    const bool again = references++ > 0;
    finalized = false;
    sim_unlock();
    return again ? sim_fail(site, ACL_ERROR_REPEAT_INITIALIZE, "The runtime is already initialized.") : 0;
}

/* `left` NULL: whatever the count is, it is 0 afterwards. */
int sim_finalize(const sim_site *site, uint64_t *left) {
    sim_lock();
    const bool over = references == 0;
    const bool before = finalized;
    if (!over) {
        references = left == NULL ? 0 : references - 1;
        finalized = references == 0;
    }
    const uint64_t count = references;
    sim_unlock();
    if (left != NULL) {
        *left = count;
    }
    if (over) {
        return before ? sim_fail(site, ACL_ERROR_REPEAT_FINALIZE, "The runtime is already finalized.")
                      : sim_fail(site, ACL_ERROR_UNINITIALIZE, "The runtime is not initialized.");
    }
    if (count == 0) {
        sim_forget_default_device();
        sim_report_leaks(site);
    }
    return 0;
}

/* Registered when the library is loaded, so that the program's own handlers and destructors have run before it. */
static void leave(void) {
    const sim_site site = {"exit", NULL};
    sim_lock();
    const bool over = finalized;
    sim_unlock();
    if (!over) {
        sim_report_leaks(&site);
    }
    sim_strict_end();
}

__attribute__((constructor)) static void watch(void) { atexit(leave); }
