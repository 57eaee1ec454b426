/* The Python frame that a call comes from; the layer and the simulator share this. */
#ifndef ACLSPEC_LAYER_FRAMES_H
#define ACLSPEC_LAYER_FRAMES_H

#include <stdbool.h>

typedef void (*layer_add_frame)(void *state, const char *file, int line, const char *function);
typedef enum {
    LAYER_FRAME,     /* it was given to `add` */
    LAYER_NO_PYTHON, /* Python does not run the program */
    LAYER_NO_GIL,    /* this thread does not hold the GIL, or never had it */
    LAYER_NO_CODE,   /* this thread runs no Python code */
} layer_frame;

/* The innermost frame. `own`: the innermost that is of no installed package, where there is one; for that the GIL is waited for
 * where a thread of Python has let go of it, which only some callers may. */
layer_frame layer_python_frame(layer_add_frame add, void *state, bool own);

#endif
