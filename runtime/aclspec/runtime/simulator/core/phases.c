/* The two phases of a call: phase one checks and makes an executor, phase two computes and spends it. */
#include "phases.h"

#include <stdlib.h>

#include "aclnn_status.h"
#include "dry.h"
#include "judge.h"
#include "streams.h"

static void dispose(void *object) {
    aclOpExecutor *executor = object;
    for (size_t at = 0; at < executor->slot_count; at++) {
        free(executor->slots[at].view.dims);
    }
    free(executor->slots);
    free(executor->first);
    free(executor->values);
}

static aclOpExecutor *make(const sim_site *site, const sim_operator *op) {
    aclOpExecutor *executor = sim_create(site, SIM_EXECUTOR, sizeof *executor, dispose);
    if (executor == NULL) {
        return NULL;
    }
    executor->op = op;
    executor->first = calloc(op->count + 1, sizeof *executor->first);
    if (executor->first == NULL) {
        sim_retire(executor);
        return NULL;
    }
    return executor;
}

static int check(const sim_site *site, aclOpExecutor *executor, const sim_value *values) {
    const sim_soc *soc = sim_current_soc(site);
    if (soc == NULL || (!sim_dry() && sim_find_device(site) != 0)) {
        return ACLNN_ERR_INNER;
    }
    int code = sim_collect(site, executor, values);
    if (code == 0 && (executor->values = sim_keep(executor->op, values)) == NULL) {
        code = sim_fail(site, ACLNN_ERR_INNER_CREATE_EXECUTOR, "There is no memory for an executor.");
    }
    if (code != 0) {
        return code;
    }
    executor->product = soc->product;
    sim_hold(executor);
    code = sim_judge(site, executor, soc->product);
    sim_let_go(executor);
    return code;
}

int sim_phase_one(const sim_site *site, const sim_operator *op, const sim_value *values, uint64_t *workspace,
                  aclOpExecutor **executor) {
    sim_begin();
    const int fault = sim_fault(site);
    if (fault != 0) {
        return fault;
    }
    if (sim_dry()) {
        sim_dry_call(site);
    }
    if (workspace == NULL || executor == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "The pointer %s is null.", workspace == NULL ? "workspaceSize" : "executor");
    }
    aclOpExecutor *made = make(site, op);
    if (made == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER_CREATE_EXECUTOR, "There is no memory for an executor.");
    }
    const int code = check(site, made, values);
    if (code != 0) {
        sim_retire(made);
        return code;
    }
    *workspace = made->workspace;
    *executor = made;
    return 0;
}

/* Whether the workspace is what phase one asked for; `held` is the block that it lies in. */
static int check_workspace(const sim_site *site, const void *workspace, uint64_t size, const aclOpExecutor *executor,
                           const sim_block *held) {
    if (size > 0 && workspace == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "The workspace is null although workspaceSize (%lu) is not 0.",
                        (unsigned long)size);
    }
    if (size < executor->workspace) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID,
                        "The workspaceSize (%lu) is less than the %lu bytes that phase one asked for.", (unsigned long)size,
                        (unsigned long)executor->workspace);
    }
    if (size == 0) {
        return 0;
    }
    if (held == NULL || !held->device) {
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "The workspace (%p) is not device memory.", workspace);
    }
    if (!held->live) {
        sim_report(site, held->serial, "The workspace (%p)%s is freed before the call is launched.", workspace,
                   sim_origin(&held->origin));
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "The workspace (%p) is freed.", workspace);
    }
    sim_span span = {0};
    sim_span_of(held, workspace, &span);
    if (span.size - span.at < size) {
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "The workspace (%p) holds %zu bytes, less than workspaceSize (%lu).",
                        workspace, span.size - span.at, (unsigned long)size);
    }
    return 0;
}

/* Compute, in this thread, or let the stream do it when the program waits. */
static int launch(const sim_site *site, aclOpExecutor *executor, sim_block *workspace, sim_stream *stream) {
    const bool late = sim_late() || sim_is_captured(stream);
    sim_answer answer = {0};
    if (!late) {
        sim_reach(stream, UINT64_MAX); /* what was launched late before */
    }
    if (!sim_dry()) {
        sim_ask(executor, late ? SIM_KIND_LOOK : SIM_KIND_COMPUTE, false, &answer);
        sim_take_lengths(executor, &answer);
    }
    if (answer.status != 0) {
        return sim_told(site, &answer);
    }
    if (answer.message != NULL) {
        sim_report(site, 0, "%s", answer.message); /* two outputs in one memory */
        free(answer.message);
    }
    if (late) {
        return sim_submit_call(site, stream, executor, workspace)
                   ? 0
                   : sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "There is no memory for a task of a stream.");
    }
    sim_lock();
    sim_note_call(site, executor, workspace, stream, ++stream->issued);
    sim_unlock();
    return 0;
}

static int run(const sim_site *site, aclOpExecutor *executor, sim_block *workspace, void *handle) {
    sim_stream *stream;
    if (sim_stream_of(site, handle, &stream) != 0) {
        return ACLNN_ERR_RUNTIME_ERROR;
    }
    sim_hold(executor);
    sim_inspect(site, executor);
    const int code = launch(site, executor, workspace, stream);
    sim_let_go(executor);
    return code;
}

int sim_phase_two(const sim_site *site, const sim_operator *op, void *workspace, uint64_t size, aclOpExecutor *executor,
                  void *stream) {
    sim_begin();
    if (executor == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "The executor is null.");
    }
    int code = sim_check(site, SIM_EXECUTOR, executor, ACLNN_ERR_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    code = sim_fault(site);
    if (code == 0 && executor->op != op) {
        code = sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The executor is one of %s, not of %s.", executor->op->name, op->name);
    }
    if (code == 0) {
        sim_block *held = size > 0 && workspace != NULL ? sim_pin(workspace) : NULL;
        code = check_workspace(site, workspace, size, executor, held);
        if (code == 0) {
            code = run(site, executor, held, stream);
        }
        sim_unpin(held);
    }
    if (!executor->repeatable) {
        sim_retire(executor);
    }
    return code;
}
