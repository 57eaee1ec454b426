/* libascendcl and libacl_rt: the log of a program. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sim.h"

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...) {
    static const char *const levels[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    const char *threshold = getenv("ASCEND_GLOBAL_LOG_LEVEL"); /* as in CANN; unset, only errors are printed */
    const int lowest = threshold != NULL ? atoi(threshold) : ACL_ERROR;
    if (fmt == NULL || (int)logLevel < lowest || (int)logLevel > ACL_ERROR) {
        return;
    }
    va_list arguments;
    fprintf(stderr, "[%s] %s:%u %s: ", levels[logLevel & 3], file != NULL ? file : "", line, func != NULL ? func : "");
    va_start(arguments, fmt);
    vfprintf(stderr, fmt, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
