/* How an operator's two functions are exported. */
#ifndef ACLSPEC_LAYER_EXPORTS_H
#define ACLSPEC_LAYER_EXPORTS_H

#include "layer.h"

/* Of a float that is 0, the double in whose register it came, else 0. A caller without a prototype passes a double, and the
 * lower half of a short one such as 0.5 is 0. Nothing else tells that the float was lost. */
static inline double layer_passed(float value) {
    uint64_t whole = 0;
#if defined(__x86_64__)
    __asm__("movq %1, %0" : "=r"(whole) : "x"(value));
#elif defined(__aarch64__)
    __asm__("fmov %0, %d1" : "=r"(whole) : "w"(value));
#endif
    double passed = 0;
    if ((uint32_t)whole == 0) {
        memcpy(&passed, &whole, sizeof passed);
    }
    return passed;
}

/* The body of phase one: ask before, call the real function, look after. The names of parameters are the operator's own, so
 * those of locals begin with the project's. */
#define PHASE_ONE(index, arguments)                                                                                    \
    layer_call aclspec_call;                                                                                           \
    __typeof__(&first_##index) aclspec_real = (__typeof__(&first_##index))layer_real(2 * index);                       \
    if (aclspec_real == NULL) {                                                                                        \
        return layer_missing(index);                                                                                   \
    }                                                                                                                  \
    if (!layer_before(&aclspec_call, index, aclspec_values, workspaceSize, executor)) {                                \
        return layer_after(&aclspec_call, 0);                                                                          \
    }                                                                                                                  \
    return layer_after(&aclspec_call, aclspec_real arguments);

/* The names that a program finds: resolved to nothing where CANN has no such function, so that asking whether there is one
 * has the answer that it would have without the layer. Resolvers run before anything is set up, sanitizers included. */
#define RESOLVED(name, function, target)                                                                               \
    __attribute__((used, no_sanitize("address", "thread", "undefined"))) static void (*resolve_##name(void))(void) {   \
        return (void (*)(void))layer_resolve(function, (void *)target);                                                \
    }                                                                                                                  \
    LAYER_API __attribute__((ifunc("resolve_" #name))) void name(void);

#define EXPORT(name, index)                                                                                            \
    static int32_t second_##index(void *workspace, uint64_t size, void *executor, void *stream) {                      \
        return layer_phase_two(index, workspace, size, executor, stream);                                              \
    }                                                                                                                  \
    RESOLVED(name##GetWorkspaceSize, 2 * index, first_##index)                                                         \
    RESOLVED(name, 2 * index + 1, second_##index)

#endif
