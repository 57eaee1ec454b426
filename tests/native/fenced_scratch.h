/* Scratch that ends at a page which nobody may touch: included before the kernels' source, whose malloc and free become
 * these. What is freed is no longer mapped, so that a late use of it is a fault as well. */

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define FENCE ((size_t)4096)

static void *fenced_malloc(size_t size)
{
    size_t kept = (size + 15) / 16 * 16, pages = (kept + FENCE - 1) / FENCE * FENCE, all = pages + 2 * FENCE;
    char *begin = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) return NULL;
    mprotect(begin + FENCE + pages, FENCE, PROT_NONE);
    *(size_t *)begin = all;
    char *end = begin + FENCE + pages - kept;
    for (size_t at = 0; at < kept; at++) end[at] = (char)0xff; /* NaN in every dtype */
    return end;
}

static void fenced_free(void *memory)
{
    char *begin = (char *)((uintptr_t)memory / FENCE * FENCE) - FENCE;
    if (memory != NULL) munmap(begin, *(size_t *)begin);
}

#define malloc fenced_malloc
#define free fenced_free
