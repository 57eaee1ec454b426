/* What the sources of libaclspec_simulator.so share among themselves. */
#ifndef ACLSPEC_INTERNAL_H
#define ACLSPEC_INTERNAL_H

#include <pthread.h>

#include "objects.h"
#include "sim.h"

/* One lock for all tables; it is never held while Python runs. */
void sim_lock(void);
void sim_unlock(void);

uint64_t sim_next_serial(void);
/* Visit every live handle. */
void sim_each_handle(void (*visit)(const sim_handle *handle, void *context), void *context);
/* The same check as `sim_check`, for a caller that holds the lock and wants no record: the handle, NULL, or dead. */
const sim_handle *sim_find(const void *handle);
const char *sim_kind_name(sim_kind kind);

/* Report something that hardware would not: once for each function, thing and sentence. */
void sim_report(const sim_site *site, uint64_t serial, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* " (created by aclCreateTensor, called in main (sample+0x1234))" in a buffer of this thread. */
const char *sim_origin(const sim_site *origin);
/* What is left when the runtime ends, and, where it has not ended, when the process does. */
void sim_report_leaks(const sim_site *site);
/* Say how many reports there were, and end the process with a status of its own; without any nothing happens. */
void sim_strict_end(void);
/* Threads that set no device have none from now on. */
void sim_forget_default_device(void);
void sim_each_block(void (*visit)(const sim_block *block, void *context), void *context);

/* The bytes of memory that each device has. */
size_t sim_device_memory(void);

/* One sentence on standard error, for what no status code can say. */
void sim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
