/* libascendcl and libacl_rt: functions of the program that a stream calls, and what is known of a task that failed. */
#include "core/sim.h"

FORWARD(aclError, aclrtSubscribeReport, (uint64_t threadId, aclrtStream stream), sim_subscribe(site, threadId, stream))
FORWARD(aclError, aclrtUnSubscribeReport, (uint64_t threadId, aclrtStream stream), sim_unsubscribe(site, threadId, stream))

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
    SIM_ENTER;
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The kind of callback (%d) is unknown.", (int)blockType);
    }
    return sim_launch_callback(site, fn, userData, blockType == ACL_CALLBACK_BLOCK, stream);
}

FORWARD(aclError, aclrtLaunchHostFunc, (aclrtStream stream, aclrtHostFunc fn, void *args), sim_launch_host(site, fn, args, stream))

/* A timeout is -1, for ever, or more than 0 milliseconds. */
aclError aclrtProcessReport(int32_t timeout) {
    SIM_ENTER;
    return timeout == -1 || timeout > 0 ? sim_process_report(site, timeout)
                                        : sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The timeout (%d) is neither -1 nor greater than 0.", timeout);
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
    SIM_ENTER;
    sim_set_exception_callback(callback);
    return 0;
}

#define FIELD(name, field)                                                                                             \
    uint32_t name(const aclrtExceptionInfo *info) { return info != NULL ? info->field : UINT32_MAX; }

FIELD(aclrtGetTaskIdFromExceptionInfo, task)
FIELD(aclrtGetStreamIdFromExceptionInfo, stream)
FIELD(aclrtGetThreadIdFromExceptionInfo, thread)
FIELD(aclrtGetDeviceIdFromExceptionInfo, device)
FIELD(aclrtGetErrorCodeFromExceptionInfo, code)
