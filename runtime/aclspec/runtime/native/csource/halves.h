/* Whether there is arithmetic of float16 (AVX512_FP16): the compiler can make its instructions, and the machine has them. */

#if defined(__has_include)
#if __has_include(<avx512fp16intrin.h>) && ((defined(__clang__) && __clang_major__ >= 14) || (!defined(__clang__) && __GNUC__ >= 12))
#define HAS_HALVES 1
#include <cpuid.h>

static int has_halves(void)
{
    static int found = -1; /* asked once in a process */
    unsigned a, b, c, d;
    if (__atomic_load_n(&found, __ATOMIC_RELAXED) < 0)
        __atomic_store_n(&found, __get_cpuid_count(7, 0, &a, &b, &c, &d) ? (int)(d >> 23 & 1) : 0, __ATOMIC_RELAXED);
    return __atomic_load_n(&found, __ATOMIC_RELAXED);
}
#endif
#endif
