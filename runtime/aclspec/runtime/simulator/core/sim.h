/* What the libraries of the simulator share. All state lives in libaclspec_simulator.so, behind these functions; the
 * libraries with CANN's names hold no state of their own, so that it does not matter which of them a program links. */
#ifndef ACLSPEC_SIM_H
#define ACLSPEC_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/meta_functions.h"

#define SIM_API __attribute__((visibility("default")))

/* ---- where a call comes from -------------------------------------------------------------------------------------- */

typedef struct sim_site {
    const char *function; /* the C function that the program called */
    const void *caller;   /* the place in the program that called it */
} sim_site;

/* First in every exported function: notes the call, and fails it where ACLSPEC_FAULT says so. */
#define SIM_SITE const sim_site site_ = {(sim_begin(), __func__), __builtin_return_address(0)}, *const site = &site_
#define SIM_ENTER                                                                                                      \
    SIM_SITE;                                                                                                          \
    do {                                                                                                               \
        const int fault_ = sim_fault(site);                                                                            \
        if (fault_ != 0) {                                                                                             \
            return fault_;                                                                                             \
        }                                                                                                              \
    } while (0)
#define SIM_ENTER_POINTER                                                                                              \
    SIM_SITE;                                                                                                          \
    do {                                                                                                               \
        if (sim_fault(site) != 0) {                                                                                    \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)

/* An exported function that only hands its arguments on, with the `site` of the call. */
#define FORWARD(result, name, parameters, call)                                                                        \
    result name parameters {                                                                                           \
        SIM_ENTER;                                                                                                     \
        return call;                                                                                                   \
    }

/* A call begins: the messages of an older one are no longer told with those that it leaves. */
SIM_API void sim_begin(void);

/* The code with which ACLSPEC_FAULT makes this call fail, 0 for a call that goes on. */
SIM_API int sim_fault(const sim_site *site);

/* ---- messages and strict mode ------------------------------------------------------------------------------------- */

/* Keep a sentence for aclGetRecentErrMsg of this thread, and answer the code. */
SIM_API int sim_fail(const sim_site *site, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
SIM_API const char *sim_recent_message(void);
/* The code of the last failure of a function of the runtime in this thread; 0: none, or it is told already. */
SIM_API int sim_last_error(bool take);

/* Whether ACLSPEC_STRICT asks for reports. */
SIM_API bool sim_strict(void);

/* ---- handles ------------------------------------------------------------------------------------------------------ */

typedef enum sim_kind {
    SIM_TENSOR,
    SIM_SCALAR,
    SIM_INT_ARRAY,
    SIM_FLOAT_ARRAY,
    SIM_BOOL_ARRAY,
    SIM_TENSOR_LIST,
    SIM_SCALAR_LIST,
    SIM_EXECUTOR,
    SIM_STREAM,
    SIM_EVENT,
    SIM_CONTEXT,
    SIM_ALLOCATOR,
    SIM_DATA_BUFFER,
    SIM_TENSOR_DESC,
    SIM_ATTR,
    SIM_PROFILE,
    SIM_PHYSICAL,
    SIM_TDT_ITEM,
    SIM_TDT_DATASET,
    SIM_TDT_CHANNEL,
    SIM_GRAPH,
    SIM_GROUP,
    SIM_KINDS
} sim_kind;

/* The head of every object that a handle points to. */
typedef struct sim_handle {
    struct sim_handle *next; /* in its bucket of the registry */
    void (*dispose)(void *object);
    sim_site origin; /* who created it */
    uint64_t serial;
    sim_kind kind;
    bool live;
} sim_handle;

/* A new object of this number of bytes, zeroed but for its head; NULL when there is no memory. */
SIM_API void *sim_create(const sim_site *site, sim_kind kind, size_t bytes, void (*dispose)(void *object));
/* Whether a handle can be used: 0, else the failure is recorded, and reported in strict mode. */
SIM_API int sim_check(const sim_site *site, sim_kind kind, const void *handle, int code);
/* End the life of a handle; its memory goes later. `sim_check` comes first. */
SIM_API void sim_retire(const void *handle);

/* ---- device memory ------------------------------------------------------------------------------------------------ */

/* An allocation. A device address is only a number to the program: the bytes stand elsewhere, and the address itself
 * can be neither read nor written. Of host memory the two are one. */
struct sim_stream;

typedef struct sim_block {
    uintptr_t base;
    size_t size;
    unsigned char *bytes;
    size_t start; /* of the part of the file that the bytes are */
    sim_site origin;
    uint64_t serial;
    struct sim_stream *stream; /* that last wrote to it, and when */
    uint64_t written;
    struct sim_stream *user; /* that last used it, and when */
    uint64_t used;
    int pins;
    int32_t where; /* the device */
    bool device;
    bool live;
    struct sim_piece *pieces; /* of reserved addresses: what is mapped; NULL of an allocation */
    size_t piece_count;
    bool stale; /* something is no longer mapped that was in use then */
} sim_block;

/* The bytes that can be used together with those at an address: an allocation, or what is mapped without a gap. */
typedef struct sim_span {
    unsigned char *bytes;
    size_t at, size; /* the place of the address in them, and how many they are */
} sim_span;

SIM_API int sim_allocate(const sim_site *site, void **out, size_t size, bool device);
SIM_API int sim_release(const sim_site *site, void *address, bool device);
/* The allocation that an address lies in, live or freed, which is kept until it is unpinned; NULL outside of all. */
SIM_API sim_block *sim_pin(const void *address);
SIM_API void sim_unpin(sim_block *block);
/* False where no memory is: the block is NULL or freed, or nothing is mapped at the address. */
SIM_API bool sim_span_of(const sim_block *block, const void *address, sim_span *span);
/* Report, in strict mode, that a call is given an address of freed memory. */
SIM_API void sim_freed(const sim_site *site, const char *noun, const void *address, const sim_block *block);
/* Of the current device: 0, or the recorded failure. */
SIM_API int sim_memory_info(const sim_site *site, size_t *available, size_t *total);
SIM_API size_t sim_total_memory(void);

/* Addresses that the program maps memory into. Sizes of memory are multiples of the granularity. */
SIM_API int sim_granularity(size_t *size);
SIM_API int sim_reserve(const sim_site *site, void **address, size_t size);
SIM_API int sim_release_addresses(const sim_site *site, void *address);
SIM_API int sim_allocate_physical(const sim_site *site, void **handle, size_t size, int32_t device);
SIM_API int sim_free_physical(const sim_site *site, void *handle);
SIM_API int sim_map(const sim_site *site, void *address, size_t size, size_t offset, void *handle);
SIM_API int sim_unmap(const sim_site *site, void *address);

/* ---- devices, contexts, streams, events --------------------------------------------------------------------------- */

typedef struct sim_context sim_context;
typedef struct sim_stream sim_stream;

SIM_API int sim_init(const sim_site *site);
SIM_API int sim_finalize(const sim_site *site, uint64_t *left);
enum { SIM_DEVICES = 16 }; /* the most that there can be */
/* How many there are, by ACLSPEC_DEVICES; 0 with a recorded failure where that is no number of devices. */
SIM_API int sim_device_count(const sim_site *site);
/* The device of every thread that sets none, until the runtime ends. */
SIM_API int sim_default_device(const sim_site *site, int32_t device);
/* Whether a device is one that there is: 0, else the failure is recorded. */
SIM_API int sim_check_device(const sim_site *site, int32_t device);
SIM_API int sim_set_device(const sim_site *site, int32_t device);
SIM_API int sim_reset_device(const sim_site *site, int32_t device, bool force);
/* Whether the thread has a context, and its device lives: 0, else the failure is recorded. */
SIM_API int sim_need_context(const sim_site *site);
SIM_API int sim_current_device(const sim_site *site, int32_t *device);
/* Whether a device has been set, and not been reset since. */
SIM_API bool sim_is_active(int32_t device);
SIM_API int sim_create_context(const sim_site *site, void **context, int32_t device);
SIM_API int sim_destroy_context(const sim_site *site, void *context);
SIM_API int sim_set_context(const sim_site *site, void *context);
SIM_API int sim_get_context(const sim_site *site, void **context);
SIM_API int sim_option(const sim_site *site, bool of_context, int option, int64_t *value, bool write);

SIM_API int sim_create_stream(const sim_site *site, void **stream);
SIM_API int sim_destroy_stream(const sim_site *site, void *stream, bool force);
/* The stream that a handle means: NULL is the default stream of the current context. */
SIM_API int sim_stream_of(const sim_site *site, void *handle, sim_stream **stream);
/* A number of the stream's own. */
SIM_API int sim_stream_number(const sim_site *site, void *stream, int32_t *number);
SIM_API int sim_synchronize(const sim_site *site, void *stream);
SIM_API int sim_synchronize_device(const sim_site *site);
/* Whether all that was launched on a stream has run; from now on it has, and the program knows it. */
SIM_API int sim_query_stream(const sim_site *site, void *stream, bool *over);
/* Bytes that a stream moves or, where there is no source, fills; a block is NULL of memory that is only the host's. */
typedef struct sim_move {
    sim_block *to, *from;
    unsigned char *target;
    const unsigned char *source;
    size_t count;
    int value;
} sim_move;
SIM_API int sim_transfer(const sim_site *site, sim_stream *stream, const sim_move *move);
/* The same at once. On the dry device memory is not touched, and what comes from it is zeros. */
SIM_API void sim_move_bytes(const sim_move *move);
/* Functions that a stream calls: in whichever thread it runs, or in the one that has subscribed to it. */
typedef void (*sim_callback)(void *data);
SIM_API int sim_launch_host(const sim_site *site, sim_callback function, void *data, void *stream);
SIM_API int sim_launch_callback(const sim_site *site, sim_callback function, void *data, bool block, void *stream);
SIM_API int sim_subscribe(const sim_site *site, uint64_t thread, void *stream);
SIM_API int sim_unsubscribe(const sim_site *site, uint64_t thread, void *stream);
/* Run what waits for this thread: 0, or the recorded failure where nothing came. */
SIM_API int sim_process_report(const sim_site *site, int32_t timeout);
/* What is known of a task that failed behind the back of the call that launched it. */
typedef struct rtExceptionInfo {
    uint32_t task, stream, thread, device, code;
} sim_exception;
typedef void (*sim_exception_callback)(sim_exception *info);
SIM_API void sim_set_exception_callback(sim_exception_callback callback);
/* Report, in strict mode, memory that a task may still be working on. */
typedef enum sim_use { SIM_READ, SIM_WRITTEN, SIM_FREED } sim_use;
SIM_API void sim_settled(const sim_site *site, const sim_block *block, sim_use use);

SIM_API int sim_create_event(const sim_site *site, void **event);
SIM_API int sim_destroy_event(const sim_site *site, void *event);
SIM_API int sim_record_event(const sim_site *site, void *event, void *stream);
SIM_API int sim_reset_event(const sim_site *site, void *event, void *stream);
SIM_API int sim_wait_event(const sim_site *site, void *stream, void *event);
SIM_API int sim_synchronize_event(const sim_site *site, void *event);
SIM_API int sim_event_recorded(const sim_site *site, void *event, bool *recorded);
SIM_API int sim_elapsed(const sim_site *site, void *from, void *to, float *milliseconds);

/* Graphs: what was given to a captured stream, to be run again and again. */
SIM_API int sim_capture_begin(const sim_site *site, void *stream, int mode);
SIM_API int sim_capture_info(const sim_site *site, void *stream, int *status, void **graph);
SIM_API int sim_capture_end(const sim_site *site, void *stream, void **graph);
SIM_API int sim_capture_mode(const sim_site *site, int *mode);
SIM_API int sim_run_graph(const sim_site *site, void *graph, void *stream);
SIM_API int sim_destroy_graph(const sim_site *site, void *graph);
SIM_API int sim_print_graph(const sim_site *site, void *graph);
/* Some of its tasks, which others of the same kind may replace. */
SIM_API int sim_group_begin(const sim_site *site, void *stream);
SIM_API int sim_group_end(const sim_site *site, void *stream, void **group);
SIM_API int sim_update_begin(const sim_site *site, void *stream, void *group);
SIM_API int sim_update_end(const sim_site *site, void *stream);
/* 0, or the refusal of a copy that waits while a stream is captured. */
SIM_API int sim_refuse_waiting(const sim_site *site);

/* ---- the dry device ----------------------------------------------------------------------------------------------- */

/* Whether nothing is computed, by ACLSPEC_DRY. */
SIM_API bool sim_dry(void);
/* Note that values of the device, which are zeros, come to the host. */
SIM_API void sim_dry_copy(const sim_site *site, size_t bytes);

/* ---- types -------------------------------------------------------------------------------------------------------- */

SIM_API size_t sim_type_size(aclDataType dataType);
/* An array that the caller frees with delete[]: made by the program's own operator new[] where it has one. */
SIM_API int64_t *sim_array_of(const int64_t *values, uint64_t count);

/* ---- the product -------------------------------------------------------------------------------------------------- */

/* A SoC name, or a prefix that ends in *, and the key of its product; rendered from the specs. */
typedef struct sim_soc {
    const char *name;
    const char *product;
    int cube_cores;
    int vector_cores;
    bool bf16;
} sim_soc;

/* The name of the simulated SoC and its product; NULL with a recorded message where the environment names none. */
SIM_API const char *sim_soc_name(const sim_site *site);
SIM_API const sim_soc *sim_current_soc(const sim_site *site);
SIM_API int sim_set_soc(const sim_site *site, const char *name);

#endif
