/* libnnopbase: executors, their addresses, and dumps. */
#include "core/aclnn_status.h"
#include "core/objects.h"

aclnnStatus aclnnInit(const char *configPath) {
    SIM_ENTER;
    (void)configPath; /* nothing in it changes a result */
    return 0;
}

FORWARD(aclnnStatus, aclnnFinalize, (void), 0)
FORWARD(aclnnStatus, aclSetAclOpExecutorRepeatable, (aclOpExecutor *executor), sim_set_repeatable(site, executor))
FORWARD(aclnnStatus, aclDestroyAclOpExecutor, (aclOpExecutor *executor), sim_destroy_executor(site, executor))

/* Both spellings of a setter. */
#define SETTER(name, group)                                                                                            \
    FORWARD(aclnnStatus, name, (aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr),           \
            sim_set_address(site, executor, group, index, tensor, addr))
#define LIST_SETTER(name, group)                                                                                       \
    FORWARD(aclnnStatus, name,                                                                                         \
            (aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex, aclTensorList *tensors, void *addr), \
            sim_set_list_address(site, executor, group, irIndex, relativeIndex, tensors, addr))

SETTER(aclSetInputTensorAddr, SIM_INPUTS)
SETTER(AclSetInputTensorAddr, SIM_INPUTS)
SETTER(aclSetOutputTensorAddr, SIM_OUTPUTS)
SETTER(AclSetOutputTensorAddr, SIM_OUTPUTS)
SETTER(aclSetTensorAddr, SIM_ALL)
SETTER(AclSetTensorAddr, SIM_ALL)
LIST_SETTER(aclSetDynamicInputTensorAddr, SIM_INPUTS)
LIST_SETTER(AclSetDynamicInputTensorAddr, SIM_INPUTS)
LIST_SETTER(aclSetDynamicOutputTensorAddr, SIM_OUTPUTS)
LIST_SETTER(AclSetDynamicOutputTensorAddr, SIM_OUTPUTS)
LIST_SETTER(aclSetDynamicTensorAddr, SIM_ALL)
LIST_SETTER(AclSetDynamicTensorAddr, SIM_ALL)

/* Nothing is written anywhere: the simulator has no dump service, and a call checks its handles and succeeds. */
aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors, size_t inputTensorNum,
                             size_t outputTensorNum, aclrtStream stream) {
    SIM_ENTER;
    if (opType == NULL || opName == NULL || (tensors == NULL && inputTensorNum + outputTensorNum > 0)) {
        return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "A pointer of the call is null.");
    }
    for (size_t at = 0; at < inputTensorNum + outputTensorNum; at++) {
        const int code = tensors[at] == NULL ? 0 : sim_check(site, SIM_TENSOR, tensors[at], ACLNN_ERR_PARAM_INVALID);
        if (code != 0) {
            return code;
        }
    }
    sim_stream *where;
    return sim_stream_of(site, stream, &where) == 0 ? 0 : ACLNN_ERR_RUNTIME_ERROR;
}
