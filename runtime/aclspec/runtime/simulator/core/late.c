/* A call that runs late, in strict mode: what phase two needs of it is kept until its stream gets there. */
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "streams.h"

typedef struct call_task {
    sim_task task;
    sim_site site;
    aclOpExecutor call; /* a copy of what phase two needs, which no handle names */
    sim_block *workspace;
} call_task;

static int run_call(sim_task *task) {
    call_task *made = (call_task *)task;
    sim_answer answer = {0};
    if (sim_dry()) {
        return 0;
    }
    sim_ask(&made->call, SIM_KIND_COMPUTE, false, &answer);
    sim_take_lengths(&made->call, &answer);
    if (answer.status == 0) {
        free(answer.message);
        return 0;
    }
    const int code = answer.status == ACL_ERROR_RT_DRV_INTERNAL_ERROR ? answer.status : ACL_ERROR_RT_AICORE_EXCEPTION;
    sim_fail(&made->site, code, "%s", answer.message != NULL ? answer.message : "The call fails.");
    free(answer.message);
    return code;
}

void sim_note_call(const sim_site *site, const aclOpExecutor *call, sim_block *workspace, sim_stream *stream,
                   uint64_t task) {
    for (size_t at = 0; at < call->op->count; at++) {
        for (size_t slot = call->first[at]; slot < call->first[at + 1]; slot++) {
            sim_note_use(site, call->slots[slot].block, stream, task, (call->op->params[at].direction & SIM_OUT) != 0);
        }
    }
    sim_note_use(site, workspace, stream, task, true);
}

static void mark_call(const sim_task *task, sim_stream *stream) {
    const call_task *made = (const call_task *)task;
    sim_note_call(&made->site, &made->call, made->workspace, stream, task->number);
}

static void discard_call(sim_task *task) {
    call_task *made = (call_task *)task;
    sim_let_go(&made->call);
    for (size_t at = 0; at < made->call.slot_count; at++) {
        free(made->call.slots[at].view.dims);
    }
    sim_unpin(made->workspace);
    free(made->call.slots);
    free(made->call.first);
    free(made->call.values);
    free(made);
}

/* The slots of an executor with the memory that they hold; false when there is no memory. */
static bool take_over(aclOpExecutor *to, aclOpExecutor *from) {
    to->op = from->op;
    to->product = from->product;
    to->effect = from->effect;
    to->values = sim_keep(from->op, from->values);
    to->slots = calloc(from->slot_count + 1, sizeof *to->slots);
    to->first = malloc(sizeof *to->first * (from->op->count + 1));
    if (to->values == NULL || to->slots == NULL || to->first == NULL) {
        return false;
    }
    memcpy(to->first, from->first, sizeof *to->first * (from->op->count + 1));
    for (size_t at = 0; at < from->slot_count; at++) {
        sim_slot *slot = &from->slots[at];
        to->slot_count = at + 1;
        if (slot->tensor != NULL && !sim_copy_view(&to->slots[at].view, &slot->view)) {
            return false;
        }
        to->slots[at].tensor = slot->tensor;
        to->slots[at].serial = slot->serial;
        to->slots[at].block = slot->block;
        to->slots[at].span = slot->span;
        slot->block = NULL;
    }
    return true;
}

bool sim_submit_call(const sim_site *site, sim_stream *stream, aclOpExecutor *executor, sim_block *workspace) {
    call_task *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return false;
    }
    made->task = (sim_task){.run = run_call, .mark = mark_call, .discard = discard_call};
    made->site = *site;
    if (!take_over(&made->call, executor)) {
        discard_call(&made->task);
        return false;
    }
    made->workspace = sim_pin_again(workspace);
    sim_submit(stream, &made->task);
    return true;
}
