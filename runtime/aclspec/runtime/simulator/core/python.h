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

/* What Python answers to a phase. `message` and `lengths` are from malloc. */
typedef struct sim_answer {
    int status;
    uint64_t workspace;
    char *message;
    sim_length *lengths;
    size_t length_count;
} sim_answer;

typedef struct sim_python {
    /* Start an interpreter unless the process has one, and load the module of the calls: 0, or why not in `why`. */
    int (*start)(char *why, size_t size);
    /* Judge a call that C leaves to Python; where it passes, its token is set. */
    void (*phase_one)(aclOpExecutor *call, const char *product, const char *mode, sim_answer *answer);
    /* `later`: only look whether the tensors have memory. The first phase two of a call sets its token. */
    void (*phase_two)(aclOpExecutor *call, bool later, sim_answer *answer);
    void (*keep)(void *token); /* once more, until it is dropped once more */
    void (*drop)(void *token);
    void *(*leave)(void); /* let go of Python's lock where this thread has it: what gets it back; or NULL */
    void (*enter)(void *state);
} sim_python;

/* 0 when Python runs; else the failure is recorded and said on standard error. */
int sim_start_python(const sim_site *site);
/* Whether Python could be started, as far as its files tell: 0, else the same. Where Python runs the program, it is started. */
int sim_find_python(const sim_site *site);
/* Only after a successful start. */
const sim_python *sim_python_functions(void);
/* Keep Python's message, if it has one, and answer its status. */
int sim_told(const sim_site *site, const sim_answer *answer);

/* Around a wait for another thread, which may need Python. */
void *sim_leave_python(void);
void sim_enter_python(void *state);

/* Exported by libaclspec_python.so. */
SIM_API extern const sim_python sim_python_table;

#endif
