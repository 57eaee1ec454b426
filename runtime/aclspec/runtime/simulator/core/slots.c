/* The tensors of a call: collected in phase one, found in memory for each phase. */
#include <stdlib.h>
#include <string.h>

#include "aclnn_status.h"
#include "internal.h"
#include "phases.h"

bool sim_copy_view(sim_view *to, const sim_view *from) {
    const size_t bytes = sizeof *from->dims * (2 * from->rank + from->storage_rank);
    *to = *from;
    to->dims = malloc(bytes + 1); /* never a request for nothing */
    if (to->dims != NULL && bytes > 0) {
        memcpy(to->dims, from->dims, bytes);
    }
    return to->dims != NULL;
}

static const sim_kind kinds[] = {
    [SIM_T_TENSOR] = SIM_TENSOR,           [SIM_T_TENSOR_LIST] = SIM_TENSOR_LIST, [SIM_T_SCALAR] = SIM_SCALAR,
    [SIM_T_SCALAR_LIST] = SIM_SCALAR_LIST, [SIM_T_INT_ARRAY] = SIM_INT_ARRAY,     [SIM_T_FLOAT_ARRAY] = SIM_FLOAT_ARRAY,
    [SIM_T_BOOL_ARRAY] = SIM_BOOL_ARRAY,
};

/* Every pointer of a call is null or a live handle of its kind. */
static int check(const sim_site *site, const sim_operator *op, const sim_value *values) {
    for (size_t at = 0; at < op->count; at++) {
        if (op->params[at].type <= SIM_T_BOOL_ARRAY && values[at].pointer != NULL) {
            const int code = sim_check(site, kinds[op->params[at].type], values[at].pointer, ACLNN_ERR_PARAM_INVALID);
            if (code != 0) {
                return code;
            }
        }
    }
    return 0;
}

static size_t length(sim_type type, const void *pointer) {
    if (type == SIM_T_TENSOR) {
        return 1;
    }
    return type == SIM_T_TENSOR_LIST && pointer != NULL ? ((const aclTensorList *)pointer)->array.size : 0;
}

static int note(const sim_site *site, sim_slot *slot, const aclTensor *tensor) {
    if (tensor == NULL) {
        return 0;
    }
    const int code = sim_check(site, SIM_TENSOR, tensor, ACLNN_ERR_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    if (!sim_copy_view(&slot->view, &tensor->view)) {
        return sim_fail(site, ACLNN_ERR_INNER_CREATE_EXECUTOR, "There is no memory for an executor.");
    }
    slot->tensor = tensor;
    slot->serial = tensor->head.serial;
    slot->origin = tensor->head.origin;
    return 0;
}

int sim_collect(const sim_site *site, aclOpExecutor *executor, const sim_value *values) {
    const sim_operator *op = executor->op;
    int code = check(site, op, values);
    if (code != 0) {
        return code;
    }
    size_t total = 0;
    for (size_t at = 0; at < op->count; at++) {
        executor->first[at] = total;
        total += length(op->params[at].type, values[at].pointer);
    }
    executor->first[op->count] = total;
    executor->slots = calloc(total + 1, sizeof *executor->slots);
    if (executor->slots == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER_CREATE_EXECUTOR, "There is no memory for an executor.");
    }
    executor->slot_count = total;
    for (size_t at = 0; at < op->count; at++) {
        const bool list = op->params[at].type == SIM_T_TENSOR_LIST;
        const aclTensor *one = values[at].pointer;
        const aclTensor *const *tensors = list && one != NULL ? ((const aclTensorList *)(const void *)one)->array.values : &one;
        for (size_t slot = executor->first[at]; code == 0 && slot < executor->first[at + 1]; slot++) {
            code = note(site, &executor->slots[slot], tensors[slot - executor->first[at]]);
        }
    }
    return code;
}

void sim_hold(aclOpExecutor *executor) {
    for (size_t at = 0; at < executor->slot_count; at++) {
        sim_slot *slot = &executor->slots[at];
        slot->block = slot->tensor != NULL && slot->view.data != NULL ? sim_pin(slot->view.data) : NULL;
        slot->span.bytes = NULL;
        sim_span_of(slot->block, slot->view.data, &slot->span);
    }
}

void sim_let_go(aclOpExecutor *executor) {
    for (size_t at = 0; at < executor->slot_count; at++) {
        sim_unpin(executor->slots[at].block);
        executor->slots[at].block = NULL;
    }
}

/* Shorten an axis; what is written of a shorter last axis stands in memory without gaps, as its strides then say. */
static void set_length(aclTensor *tensor, const sim_wire_length *found) {
    sim_view *view = &tensor->view;
    if (!found->is_last) {
        view->dims[0] = found->length;
        return;
    }
    int64_t step = 1;
    view->dims[view->rank - 1] = found->length;
    for (size_t axis = view->rank; axis-- > 0;) {
        view->dims[view->rank + axis] = step;
        step *= view->dims[axis] > 0 ? view->dims[axis] : 1;
    }
}

void sim_take_lengths(const aclOpExecutor *call, sim_answer *answer) {
    sim_lock();
    for (size_t at = 0; at < answer->length_count; at++) {
        const sim_slot *slot = &call->slots[call->first[answer->lengths[at].param]];
        const sim_handle *found = sim_find(slot->tensor);
        if (found != NULL && found->live && found->serial == slot->serial) {
            set_length((aclTensor *)slot->tensor, &answer->lengths[at]);
        }
    }
    sim_unlock();
    free(answer->lengths);
}
