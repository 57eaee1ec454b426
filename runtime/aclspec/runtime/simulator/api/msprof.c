/* libprofapi: what libraries ask of the profiler that they report to. */
#include <time.h>

#include "core/sim.h"

/* A number that stands for a text: FNV-1a. */
SIM_API uint64_t MsprofGetHashId(const char *hashInfo, size_t length) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t at = 0; hashInfo != NULL && at < length; at++) {
        hash = (hash ^ (unsigned char)hashInfo[at]) * 0x100000001B3u;
    }
    return hash;
}

/* In nanoseconds. */
SIM_API uint64_t MsprofSysCycleTime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
