/* The way into Python, where an operator is checked and computed. libaclspec_python.so is loaded when it is first needed,
 * after libpython, or into the process that Python itself runs. */
#ifndef ACLSPEC_PYTHON_H
#define ACLSPEC_PYTHON_H

#include "objects.h"

/* How long the first axis of an output is whose shape depends on the data, or the last one. */
typedef struct sim_length {
    size_t param;
    bool is_last;
    int64_t length;
} sim_length;

/* What Python answers to a phase. `message` and `lengths` are from malloc; `token` is what the second phase gives back. */
typedef struct sim_answer {
    int status;
    uint64_t workspace;
    void *token;
    char *message;
    sim_length *lengths;
    size_t length_count;
} sim_answer;

typedef struct sim_python {
    /* Start an interpreter unless the process has one, and load the module of the calls: 0, or why not in `why`. */
    int (*start)(char *why, size_t size);
    void (*phase_one)(const sim_operator *op, const char *product, const char *mode, const sim_value *values,
                      const sim_slot *slots, const size_t *first, sim_answer *answer);
    /* `later`: only look whether the tensors have memory. */
    void (*phase_two)(const sim_operator *op, void *token, const sim_slot *slots, const size_t *first, bool later,
                      sim_answer *answer);
    void (*keep)(void *token); /* once more, until it is dropped once more */
    void (*drop)(void *token);
    void *(*leave)(void); /* let go of Python's lock where this thread has it: what gets it back; or NULL */
    void (*enter)(void *state);
} sim_python;

/* 0 when Python runs; else the failure is recorded and said on standard error. */
int sim_start_python(const sim_site *site);
/* Only after a successful start. */
const sim_python *sim_python_functions(void);

/* Around a wait for another thread, which may need Python. */
void *sim_leave_python(void);
void sim_enter_python(void *state);

/* Exported by libaclspec_python.so. */
SIM_API extern const sim_python sim_python_table;

#endif
