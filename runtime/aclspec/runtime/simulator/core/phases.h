/* The two phases of a call, as the sources of the core see them. */
#ifndef ACLSPEC_PHASES_H
#define ACLSPEC_PHASES_H

#include "ask.h"

/* A copy of a view in memory of its own; false when there is none. */
bool sim_copy_view(sim_view *to, const sim_view *from);
/* Note the tensors of a call in the slots of an executor; 0, or the recorded failure. */
int sim_collect(const sim_site *site, aclOpExecutor *executor, const sim_value *values);
/* Find the memory of every tensor and keep it from being freed, until `sim_let_go`. */
void sim_hold(aclOpExecutor *executor);
void sim_let_go(aclOpExecutor *executor);
/* Give the outputs whose shapes depend on the data the lengths that phase two found, and free these. */
void sim_take_lengths(const aclOpExecutor *call, sim_answer *answer);
/* Report, in strict mode, what is wrong with the tensors of a call that is launched. */
void sim_inspect(const sim_site *site, const aclOpExecutor *executor);
/* Note, with the lock held, what the task of a call uses. */
void sim_note_call(const sim_site *site, const aclOpExecutor *call, sim_block *workspace, sim_stream *stream, uint64_t task);
/* Launch a call that runs late; false when there is no memory. The memory that it holds is the task's from now on. */
bool sim_submit_call(const sim_site *site, sim_stream *stream, aclOpExecutor *executor, sim_block *workspace);
#endif
