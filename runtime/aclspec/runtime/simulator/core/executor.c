/* Executors: a call between its phases, and what a program may do with it there. */

#include "aclnn_status.h"
#include "internal.h"

int sim_set_repeatable(const sim_site *site, aclOpExecutor *executor) {
    if (executor == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER_NULLPTR, "The executor is null.");
    }
    const int code = sim_check(site, SIM_EXECUTOR, executor, ACLNN_ERR_INNER_NULLPTR);
    if (code == 0) {
        executor->repeatable = true;
    }
    return code;
}

int sim_destroy_executor(const sim_site *site, aclOpExecutor *executor) {
    if (executor == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER_NULLPTR, "The executor is null.");
    }
    const int code = sim_check(site, SIM_EXECUTOR, executor, ACLNN_ERR_INNER_NULLPTR);
    if (code == 0) {
        sim_retire(executor);
    }
    return code;
}

static bool is_tensors(sim_type type) { return type == SIM_T_TENSOR || type == SIM_T_TENSOR_LIST; }

/* The parameter at a place among the tensors of a group, in parameter order; of all of them, the inputs come first. */
static const sim_param *param_at(const sim_operator *op, sim_group group, size_t index) {
    const bool outputs_only = group == SIM_OUTPUTS;
    for (int pass = outputs_only ? 1 : 0; pass <= (group == SIM_INPUTS ? 0 : 1); pass++) {
        for (size_t at = 0; at < op->count; at++) {
            const sim_param *param = &op->params[at];
            const bool fits = pass == 0 ? (param->direction & SIM_IN) != 0
                                        : outputs_only ? (param->direction & SIM_OUT) != 0 : param->direction == SIM_OUT;
            if (fits && is_tensors(param->type) && index-- == 0) {
                return param;
            }
        }
    }
    return NULL;
}

static int set_slot(const sim_site *site, aclOpExecutor *executor, const sim_param *param, size_t at, void *address) {
    sim_slot *slot = &executor->slots[executor->first[param - executor->op->params] + at];
    if (slot->tensor == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The tensor %s of the call is null and has no address.", param->name);
    }
    slot->view.data = address;
    return 0;
}

/* The parameter that a setter means; NULL with the failure in `code`. */
static const sim_param *target(const sim_site *site, aclOpExecutor *executor, const void *handle, sim_kind kind, sim_group group,
                               size_t index, int *code) {
    if (executor == NULL || handle == NULL) {
        *code = sim_fail(site, ACLNN_ERR_INNER_NULLPTR, "The %s is null.", executor == NULL ? "executor" : "tensor");
        return NULL;
    }
    *code = sim_check(site, SIM_EXECUTOR, executor, ACLNN_ERR_INNER_NULLPTR);
    if (*code == 0) {
        *code = sim_check(site, kind, handle, ACLNN_ERR_PARAM_INVALID);
    }
    if (*code != 0) {
        return NULL;
    }
    const sim_param *param = param_at(executor->op, group, index);
    if (param == NULL || (param->type == SIM_T_TENSOR) != (kind == SIM_TENSOR)) {
        *code = sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The index (%zu) is not one of a %s of %s.", index,
                         kind == SIM_TENSOR ? "tensor" : "tensor list", executor->op->name);
        return NULL;
    }
    return param;
}

int sim_set_address(const sim_site *site, aclOpExecutor *executor, sim_group group, size_t index, aclTensor *tensor,
                    void *address) {
    int code;
    const sim_param *param = target(site, executor, tensor, SIM_TENSOR, group, index, &code);
    if (param == NULL) {
        return code;
    }
    tensor->view.data = address;
    return set_slot(site, executor, param, 0, address);
}

int sim_set_list_address(const sim_site *site, aclOpExecutor *executor, sim_group group, size_t index, size_t relative,
                         aclTensorList *list, void *address) {
    int code;
    const sim_param *param = target(site, executor, list, SIM_TENSOR_LIST, group, index, &code);
    if (param == NULL) {
        return code;
    }
    const size_t at = (size_t)(param - executor->op->params);
    const size_t size = executor->first[at + 1] - executor->first[at];
    if (relative >= list->array.size || relative >= size) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The relative index (%zu) is beyond the %zu tensors of %s.", relative,
                        size, param->name);
    }
    aclTensor *tensor = ((aclTensor **)list->array.values)[relative];
    if (tensor != NULL) {
        tensor->view.data = address;
    }
    return set_slot(site, executor, param, relative, address);
}
