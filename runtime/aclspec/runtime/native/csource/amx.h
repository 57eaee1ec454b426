/* Whether there are tiles of bfloat16 (AMX): the compiler can make their instructions, the machine has them, and the
 * system lets this process use them. */

#if defined(__linux__) && defined(__x86_64__) && defined(__has_include)
#if __has_include(<amxbf16intrin.h>) && ((defined(__clang__) && __clang_major__ >= 12) || (!defined(__clang__) && __GNUC__ >= 11))
#define HAS_AMX 1
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK_FOR_STATE 0x1023 /* ARCH_REQ_XCOMP_PERM of arch_prctl */
#define TILE_DATA 18         /* the state that it asks for, which the kernel saves for no process that did not ask */
#define TILE_STATES (3u << 17)

static int find_tiles(void)
{
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1)) return 0; /* OSXSAVE */
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & TILE_STATES) != TILE_STATES || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    int bfloat = d >> 22 & 1, tile = d >> 24 & 1;
    return bfloat && tile && syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
}

/* Asked once in a process; a child of a fork has the same answer. */
static int has_tiles(void)
{
    static int found = -1;
    if (__atomic_load_n(&found, __ATOMIC_RELAXED) < 0) __atomic_store_n(&found, find_tiles(), __ATOMIC_RELAXED);
    return found;
}
#endif
#endif
