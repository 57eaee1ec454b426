/* C++ functions in C: what their callers expect of results, objects and texts, by the C++ ABI of GCC and Clang. */
#ifndef ACLSPEC_CXX_H
#define ACLSPEC_CXX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim.h"

/* A number where a function is declared to answer a pointer: both travel in the same register. */
static inline void *sim_cxx_status(int status) { return (void *)(intptr_t)status; }

/* An object whose bytes are all zero: an empty shared pointer, an empty vector. */
static inline void *sim_cxx_empty(void *object, size_t bytes) { return memset(object, 0, bytes); }

/* `operator delete` of C++, which every program has whose objects are deleted. */
extern void _ZdlPv(void *object) __attribute__((weak));

static inline void sim_cxx_destroy(void *object) { (void)object; }
static inline void sim_cxx_delete(void *object) { (_ZdlPv != NULL ? _ZdlPv : free)(object); }

/* An empty object of a class with virtual functions, of which it has the destructor: without and with freeing it. In
 * front of the functions stand the offset of the whole object and the description of its type, which there is not. */
static inline void *sim_cxx_virtual(void *object, size_t bytes) {
    static void (*const table[])(void *) = {NULL, NULL, sim_cxx_destroy, sim_cxx_delete};
    *(const void **)sim_cxx_empty(object, bytes) = &table[2];
    return object;
}

/* An empty std::string of the ABI before GCC 5, in which a string is a pointer to its letters, behind their length, their
 * capacity and a count of owners, which is too large for any of them to free it. */
static inline void *sim_cxx_text(void *object) {
    static struct {
        size_t length, capacity;
        int owners, padding;
        char letters[8];
    } nothing = {0, 0, 1 << 30, 0, ""};
    *(char **)object = nothing.letters;
    return object;
}

/* A function whose result is an object: the caller gives the memory for it, in the first register on x86-64, and in one
 * of its own on AArch64. `fill` makes the object in `result`. */
#if defined(__aarch64__)
#define SIM_CXX_RETURNED(name, fill)                                                                                   \
    __attribute__((used)) static void *name##_fill(void *result) { return fill; }                                      \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n    mov x0, x8\n    b " #name "_fill\n");
#else
#define SIM_CXX_RETURNED(name, fill)                                                                                   \
    SIM_API void *name(void *result) { return fill; }
#endif

#endif
