/* The compiled kernels: every kernel once for each instruction set, and the choice between them at run time.
 *
 * Nothing here sums in an order that depends on the width of a vector, nor fuses a multiplication with an addition
 * (built with -ffp-contract=off and without -ffast-math), so that all instruction sets give the same bits; but for the
 * products of dense convolution: product.inc fuses them wherever the machine can, and tiles.inc adds as tiles do. */

#include <math.h>
#include <unistd.h>
#include "parallel.h"
#include "interface.h"
#if defined(__x86_64__) && defined(__GNUC__) && !defined(ACLSPEC_PORTABLE)
#define X86 1
#include <immintrin.h>
#include "amx.h"
#include "halves.h"
#endif

enum { FLOAT32 = 0, FLOAT16 = 1, BFLOAT16 = 27 };
#define BLOCK 2048                  /* elements that are computed together, in buffers of the first cache */
#define SEGMENT 16384               /* elements of a row that one thread takes together */
#define GATHERED 8                  /* channels whose sums are added up together */
#define AHEAD 4096                  /* bytes before their turn at which elements are asked for */
#define SOON 2048                   /* the same for rows, which go on until the end */
#define INLINE static inline __attribute__((always_inline))

static int64_t least(int64_t one, int64_t other) { return one < other ? one : other; }
static int64_t most(int64_t one, int64_t other) { return one > other ? one : other; }

/* Bytes from which on an output is written past the cache; 0 where that is not known yet. */
static size_t past_cache_from;

/* Half of the last cache: of a larger output little is left there for whoever reads it. Smaller ones are faster in the
 * cache, although each line of theirs is read before it is written. */
static size_t past_cache(void)
{
    size_t bytes = __atomic_load_n(&past_cache_from, __ATOMIC_RELAXED);
    if (bytes) return bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size > 0) bytes = (size_t)size / 2;
#endif
    if (bytes < (size_t)4 << 20) bytes = (size_t)4 << 20;
    __atomic_store_n(&past_cache_from, bytes, __ATOMIC_RELAXED);
    return bytes;
}

/* Writes outputs of so many bytes past the cache, 0: those that the machine's cache is too small for. */
void aclspec_write_past_cache(size_t bytes) { __atomic_store_n(&past_cache_from, bytes, __ATOMIC_RELAXED); }

#ifdef HAS_HALVES
static int in_halves(void); /* whether to compute in float16 where that gives the same bits */
#endif

#define WIDE 0 /* whether a vector of the machine holds sixteen floats */
#define HAS_FMA 0 /* whether it multiplies and adds with one rounding */
#define NAME(name) name##_portable
#include "kernels.inc"
#undef NAME

#ifdef X86
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi2,fma")
#endif
#undef HAS_FMA
#define HAS_FMA 1
#define NAME(name) name##_avx2
#include "kernels.inc"
#undef NAME
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx2,bmi2,fma,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,bmi2,fma,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
#undef WIDE
#define WIDE 1
#define NAME(name) name##_avx512
#include "kernels.inc"
#ifdef HAS_AMX
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("amx-tile,amx-bf16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("amx-tile,amx-bf16")
#endif
#include "tiles.inc"
#include "tile_boxes.inc"
#include "tile_planes.inc"
#include "tile_contract.inc"
#include "tile_correlate.inc"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#ifdef HAS_HALVES
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512fp16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512fp16")
#endif
#include "lanes_half.inc"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#undef NAME
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

enum { PORTABLE, AVX2, AVX512, AMX };
static const char *const names[] = {"portable", "avx2", "avx512", "amx"};
static int chosen = -1;

static int best(void)
{
#ifdef X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
#ifdef HAS_AMX
        return has_tiles() ? AMX : AVX512;
#else
        return AVX512;
#endif
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) return AVX2;
#endif
    return PORTABLE;
}

static int in_use(void)
{
    if (chosen < 0) chosen = best();
    return chosen;
}

#ifdef HAS_HALVES
static int in_halves(void) { return in_use() == AMX && has_halves(); }
#endif

/* Chooses an instruction set by name, "" for the best that the machine has; -1 where it does not have it. */
int aclspec_use(const char *instruction_set)
{
    if (*instruction_set == 0) {
        chosen = best();
        return 0;
    }
    for (int at = PORTABLE; at <= best(); at++)
        if (strcmp(names[at], instruction_set) == 0) {
            chosen = at;
            return 0;
        }
    return -1;
}

const char *aclspec_instruction_set(void) { return names[in_use()]; }

size_t aclspec_scratch(void)
{
    return __atomic_exchange_n(&most_taken, __atomic_load_n(&taken, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

#ifdef X86
#define DISPATCH(kernel, parameters, arguments)            \
    int aclspec_##kernel parameters                        \
    {                                                      \
        switch (in_use()) {                                \
        case AMX:                                          \
        case AVX512: return kernel##_avx512 arguments;     \
        case AVX2: return kernel##_avx2 arguments;         \
        default: return kernel##_portable arguments;       \
        }                                                  \
    }
#else
#define DISPATCH(kernel, parameters, arguments) \
    int aclspec_##kernel parameters { return kernel##_portable arguments; }
#endif

DISPATCH(prelu, (const aclspec_rows *r, const void *x, const void *w, void *out), (r, x, w, out))
DISPATCH(prelu_backward, (const aclspec_rows *r, const void *g, const void *x, const void *w, void *gx, void *gw),
         (r, g, x, w, gx, gw))
DISPATCH(batch_norm_reduce,
         (const aclspec_rows *r, const void *g, const void *x, const float *mean, const float *invstd, float *const out[4]),
         (r, g, x, mean, invstd, out))
DISPATCH(batch_norm_elemt, (const aclspec_rows *r, const void *g, const void *x, const float *of, void *gx),
         (r, g, x, of, gx))
DISPATCH(batch_norm_elemt_of,
         (const aclspec_rows *r, const aclspec_channels *c, const void *const of[5], const int32_t *counts, const void *g,
          const void *x, void *gx),
         (r, c, of, counts, g, x, gx))
DISPATCH(avg_pool, (const aclspec_window *w, const void *x, const float *by, void *out), (w, x, by, out))
DISPATCH(avg_pool_backward, (const aclspec_window *w, const void *g, const float *by, void *gx), (w, g, by, gx))
DISPATCH(max_pool_argmax, (const aclspec_window *w, const void *x, void *out, int32_t *at), (w, x, out, at))
DISPATCH(max_pool_bits, (const aclspec_window *w, const void *x, void *out, uint16_t *words, int64_t pitch),
         (w, x, out, words, pitch))
DISPATCH(max_pool_backward_argmax, (const aclspec_window *w, const void *g, const int32_t *at, void *gx),
         (w, g, at, gx))
DISPATCH(max_pool_backward_bits, (const aclspec_window *w, const void *g, const uint16_t *words, int64_t pitch, void *gx),
         (w, g, words, pitch, gx))
DISPATCH(depthwise, (const aclspec_window *w, const void *x, const float *weight, const float *bias, void *out),
         (w, x, weight, bias, out))
DISPATCH(depthwise_input, (const aclspec_window *w, const void *g, const float *weight, void *gx), (w, g, weight, gx))
DISPATCH(depthwise_weight, (const aclspec_window *w, const void *g, const void *x, double *gw, double *gb),
         (w, g, x, gw, gb))
DISPATCH(contract, (const aclspec_sum *s, const void *x, const float *factor, const float *bias, void *out),
         (s, x, factor, bias, out))
DISPATCH(correlate, (const aclspec_sum *s, const void *x, const void *g, void *gw), (s, x, g, gw))
DISPATCH(finite, (int dtype, const void *array, int64_t count), (dtype, array, count))
DISPATCH(make_factor, (const aclspec_factor *of, const void *weight, float *factor), (of, weight, factor))
DISPATCH(channel_sums, (const aclspec_rows *rows, const void *array, double *sums), (rows, array, sums))

/* By tiles: what is left to the others answers 1, or -1. */
#ifdef HAS_AMX
#define BY_TILES(call, otherwise) return in_use() == AMX ? (call) : (otherwise)
#else
#define BY_TILES(call, otherwise) return otherwise
#endif

int aclspec_smallest_exponent(const void *array, int64_t count, int threads)
{
    BY_TILES(smallest_exponent(array, count, threads), -1);
}

int aclspec_contract_tiles(const aclspec_sum *sum, const aclspec_factor *of, const void *source, const void *weight,
                           const float *bias, void *target)
{
    BY_TILES(contract_tiles(sum, of, source, weight, bias, target), 1);
}

int aclspec_correlate_tiles(const aclspec_sum *sum, const void *source, const void *gradient, void *target)
{
    BY_TILES(correlate_tiles(sum, source, gradient, target), 1);
}
