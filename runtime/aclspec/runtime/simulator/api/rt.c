/* libascendcl and libacl_rt: devices, contexts, streams and events. */
#include <unistd.h>

#include "core/sim.h"

static int null(const sim_site *site, const char *noun) {
    return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s is null.", noun);
}

FORWARD(aclError, aclrtSetDevice, (int32_t deviceId), sim_set_device(site, deviceId))
FORWARD(aclError, aclrtResetDevice, (int32_t deviceId), sim_reset_device(site, deviceId, false))
FORWARD(aclError, aclrtResetDeviceForce, (int32_t deviceId), sim_reset_device(site, deviceId, true))
FORWARD(aclError, aclrtGetDevice, (int32_t *deviceId), sim_current_device(site, deviceId))

aclError aclrtGetDeviceCount(uint32_t *count) {
    SIM_ENTER;
    if (count == NULL) {
        return null(site, "count");
    }
    *count = (uint32_t)sim_device_count(site);
    return *count > 0 ? 0 : ACL_ERROR_INTERNAL_ERROR;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active) {
    SIM_ENTER;
    if (flags == NULL || active == NULL) {
        return null(site, flags == NULL ? "flags" : "state");
    }
    const int code = sim_check_device(site, deviceId);
    if (code == 0) {
        *flags = 0;
        *active = sim_is_active(deviceId);
    }
    return code;
}

/* The code of the last failure of a function of the runtime in this thread. */
static int last_error(const sim_site *site, aclrtLastErrLevel level, bool take) {
    return level == ACL_RT_THREAD_LEVEL ? sim_last_error(take)
                                        : sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The level (%d) is unknown.", (int)level);
}

FORWARD(aclError, aclrtGetLastError, (aclrtLastErrLevel level), last_error(site, level, true))
FORWARD(aclError, aclrtPeekAtLastError, (aclrtLastErrLevel level), last_error(site, level, false))

aclError aclrtGetRunMode(aclrtRunMode *runMode) {
    SIM_ENTER;
    if (runMode == NULL) {
        return null(site, "run mode");
    }
    *runMode = ACL_HOST;
    return 0;
}

FORWARD(aclError, aclrtSynchronizeDevice, (void), sim_synchronize_device(site))

/* A timeout is -1, for ever, or more than 0 milliseconds. */
static int check_timeout(const sim_site *site, int32_t timeout) {
    if (timeout == -1 || timeout > 0) {
        return 0;
    }
    return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The timeout (%d) is neither -1 nor greater than 0.", timeout);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    SIM_ENTER;
    const int code = check_timeout(site, timeout);
    return code != 0 ? code : sim_synchronize_device(site);
}

FORWARD(aclError, aclrtCreateContext, (aclrtContext *context, int32_t deviceId), sim_create_context(site, context, deviceId))
FORWARD(aclError, aclrtDestroyContext, (aclrtContext context), sim_destroy_context(site, context))
FORWARD(aclError, aclrtSetCurrentContext, (aclrtContext context), sim_set_context(site, context))
FORWARD(aclError, aclrtGetCurrentContext, (aclrtContext *context), sim_get_context(site, context))
FORWARD(aclError, aclrtCtxSetSysParamOpt, (aclSysParamOpt opt, int64_t value), sim_option(site, true, (int)opt, &value, true))
FORWARD(aclError, aclrtCtxGetSysParamOpt, (aclSysParamOpt opt, int64_t *value), sim_option(site, true, (int)opt, value, false))
FORWARD(aclError, aclrtSetSysParamOpt, (aclSysParamOpt opt, int64_t value), sim_option(site, false, (int)opt, &value, true))
FORWARD(aclError, aclrtGetSysParamOpt, (aclSysParamOpt opt, int64_t *value), sim_option(site, false, (int)opt, value, false))
FORWARD(aclError, aclrtCreateStream, (aclrtStream *stream), sim_create_stream(site, stream))

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag) {
    SIM_ENTER;
    (void)priority; /* a hint */
    const uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
                           ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    if ((flag & ~known) != 0) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The flag (0x%x) has bits that mean nothing.", flag);
    }
    return sim_create_stream(site, stream);
}

FORWARD(aclError, aclrtDestroyStream, (aclrtStream stream), sim_destroy_stream(site, stream, false))
FORWARD(aclError, aclrtDestroyStreamForce, (aclrtStream stream), sim_destroy_stream(site, stream, true))
FORWARD(aclError, aclrtSynchronizeStream, (aclrtStream stream), sim_synchronize(site, stream))

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    SIM_ENTER;
    const int code = check_timeout(site, timeout);
    return code != 0 ? code : sim_synchronize(site, stream);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status) {
    SIM_ENTER;
    if (status == NULL) {
        return null(site, "status");
    }
    bool over;
    const int code = sim_query_stream(site, stream, &over);
    if (code == 0) {
        *status = over ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    }
    return code;
}

FORWARD(aclError, aclrtStreamGetId, (aclrtStream stream, int32_t *streamId), streamId == NULL ? null(site, "number") : sim_stream_number(site, stream, streamId))
FORWARD(aclError, aclrtStreamWaitEvent, (aclrtStream stream, aclrtEvent event), sim_wait_event(site, stream, event))
FORWARD(aclError, aclrtCreateEvent, (aclrtEvent *event), sim_create_event(site, event))

static int create_event(const sim_site *site, void **event, uint32_t flag) {
    const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                           ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;
    if (flag == 0 || (flag & ~known) != 0) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The flag (0x%x) is 0 or has bits that mean nothing.", flag);
    }
    return sim_create_event(site, event);
}

FORWARD(aclError, aclrtCreateEventWithFlag, (aclrtEvent *event, uint32_t flag), create_event(site, event, flag))
FORWARD(aclError, aclrtCreateEventExWithFlag, (aclrtEvent *event, uint32_t flag), create_event(site, event, flag))
FORWARD(aclError, aclrtDestroyEvent, (aclrtEvent event), sim_destroy_event(site, event))
FORWARD(aclError, aclrtRecordEvent, (aclrtEvent event, aclrtStream stream), sim_record_event(site, event, stream))
FORWARD(aclError, aclrtResetEvent, (aclrtEvent event, aclrtStream stream), sim_reset_event(site, event, stream))
FORWARD(aclError, aclrtSynchronizeEvent, (aclrtEvent event), sim_synchronize_event(site, event))

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status) {
    SIM_ENTER;
    if (status == NULL) {
        return null(site, "status");
    }
    bool recorded;
    const int code = sim_event_recorded(site, event, &recorded);
    if (code == 0) {
        *status = recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    }
    return code;
}

FORWARD(aclError, aclrtEventElapsedTime, (float *ms, aclrtEvent startEvent, aclrtEvent endEvent), ms == NULL ? null(site, "milliseconds") : sim_elapsed(site, startEvent, endEvent, ms))

/* ---- other devices ------------------------------------------------------------------------------------------------ */

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    SIM_ENTER;
    if (canAccessPeer == NULL) {
        return null(site, "answer");
    }
    int code = sim_check_device(site, deviceId);
    code = code != 0 ? code : sim_check_device(site, peerDeviceId);
    if (code == 0) {
        *canAccessPeer = deviceId != peerDeviceId;
    }
    return code;
}

/* Every device reaches the memory of the others: there is nothing to switch. */
static int check_peer(const sim_site *site, int32_t peer) {
    int32_t device = 0;
    int code = sim_check_device(site, peer);
    code = code != 0 ? code : sim_current_device(site, &device);
    if (code == 0 && device == peer) {
        code = sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The device (%d) is the current one, which is no peer of itself.", peer);
    }
    return code;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
    SIM_ENTER;
    (void)flags;
    return check_peer(site, peerDeviceId);
}

FORWARD(aclError, aclrtDeviceDisablePeerAccess, (int32_t peerDeviceId), check_peer(site, peerDeviceId))

aclError aclrtDeviceGetBareTgid(int32_t *pid) {
    SIM_ENTER;
    if (pid == NULL) {
        return null(site, "process");
    }
    *pid = (int32_t)getpid();
    return 0;
}
