/* The function of the program that is told of a task that failed. */
#include <sys/syscall.h>
#include <unistd.h>

#include "streams.h"

static sim_exception_callback on_exception;

void sim_set_exception_callback(sim_exception_callback callback) { __atomic_store_n(&on_exception, callback, __ATOMIC_RELEASE); }

void sim_tell_exception(const sim_stream *stream, uint64_t task, int code) {
    const sim_exception_callback callback = __atomic_load_n(&on_exception, __ATOMIC_ACQUIRE);
    if (callback != NULL) {
        sim_exception info = {(uint32_t)task, (uint32_t)stream->id, (uint32_t)syscall(SYS_gettid), (uint32_t)stream->context->device, (uint32_t)code};
        callback(&info);
    }
}
