/* lives.c: the life of handles. */
#ifndef ACLSPEC_LAYER_LIVES_H
#define ACLSPEC_LAYER_LIVES_H

#include "layer.h"

/* A function is about to destroy a handle of this kind, and the elements of a list. Says so if it was destroyed before; whether it
 * was alive. A handle of another kind is left to the real function. */
bool layer_destroying(const char *function, const void *handle, layer_kind kind);
/* Take that back: the real function destroyed nothing. */
void layer_not_destroyed(const void *handle);
/* An executor came out of phase one, whose record has this number; it takes over `data`. */
void layer_executor_made(void *executor, int operator_index, uint64_t workspace, uint64_t call, layer_data *data,
                         char *line);
/* An executor goes into phase two; the result is held, NULL for one whose phase one was not seen. */
layer_object *layer_executor_runs(int operator_index, void *executor, const void *workspace, uint64_t size);
/* The data of the call, its inputs copied where they are recorded; NULL where none is asked for, or another thread has it. */
layer_data *layer_executor_data(layer_object *executor, void *stream);
/* Give the data back: a repeatable executor keeps it for the next run. */
void layer_executor_keeps(layer_object *executor, layer_data *data);
/* An executor was given another address of a tensor; NULL: of one that is not known. */
void layer_executor_moves(void *executor, const void *tensor, const void *address);
/* Phase two is over; lets the executor go. `files` are those of its data. Whether it failed since the executor had run before. */
bool layer_executor_ran(layer_object *executor, int operator_index, int32_t status, uint64_t nanoseconds, const char *files);
/* A handle that was destroyed before stands in a call. */
void layer_used_after(int operator_index, const char *param, int32_t status);
/* Say which handles are left. */
void layer_say_left(void);

#endif
