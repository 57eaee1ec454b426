/* lives.c: the life of handles. */
#ifndef ACLSPEC_LAYER_LIVES_H
#define ACLSPEC_LAYER_LIVES_H

#include "layer.h"

/* A function is about to destroy a handle, and the elements of a list. Says so if it was destroyed before; whether it was alive. */
bool layer_destroying(const char *function, const void *handle);
/* An executor came out of phase one; `line` is its record, which it takes over. */
void layer_executor_made(void *executor, int operator_index, uint64_t workspace, char *line);
/* An executor goes into phase two; the result is held, NULL for one whose phase one was not seen. */
layer_object *layer_executor_runs(int operator_index, void *executor, const void *workspace, uint64_t size);
/* Phase two is over; lets the executor go. */
void layer_executor_ran(layer_object *executor, int operator_index, int32_t status, uint64_t nanoseconds);
/* A handle that was destroyed before stands in a call. */
void layer_used_after(int operator_index, const char *param, int32_t status);
/* Say which handles are left. */
void layer_say_left(void);

#endif
