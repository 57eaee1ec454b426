/* Makes one check over and over, without Python between the calls. */
#define _POSIX_C_SOURCE 199309L
#include <stdbool.h>
#include <time.h>

typedef void check(int product, bool library, const void *arguments, void *verdict);

/* The seconds that a number of checks takes. */
double repeat(check *one, int product, bool library, const void *arguments, void *verdict, long count)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long at = 0; at < count; ++at)
        one(product, library, arguments, verdict);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}
