/* How an operator's two functions are exported. */
#ifndef ACLSPEC_LAYER_EXPORTS_H
#define ACLSPEC_LAYER_EXPORTS_H

#include "layer.h"

/* A float comes in the lower half of a register, or of a slot of the stack, as wide as a double's. The functions take all of it, and
 * hand on all of it: a caller without a prototype passed a double, and nothing but the upper half tells that the float was lost. */
static inline float layer_float(double whole) {
    float value;
    memcpy(&value, &whole, sizeof value);
    return value;
}

/* The body of phase one: ask before, call the real function, look after. The names of parameters are the operator's own, so
 * those of locals begin with the project's. */
#define PHASE_ONE(index, arguments)                                                                                    \
    layer_call aclspec_call;                                                                                           \
    __typeof__(&first_##index) aclspec_real = (__typeof__(&first_##index))layer_real(2 * index);                       \
    if (aclspec_real == NULL) {                                                                                        \
        return layer_missing(index);                                                                                   \
    }                                                                                                                  \
    if (!layer_before(&aclspec_call, index, aclspec_values, workspaceSize, executor, __builtin_return_address(0))) {   \
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
