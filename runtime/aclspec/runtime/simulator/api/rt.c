/* libascendcl and libacl_rt: devices, contexts, streams and events. */
#include "core/sim.h"

static int null(const sim_site *site, const char *noun) {
    return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s is null.", noun);
}

aclError aclrtSetDevice(int32_t deviceId) {
    SIM_ENTER;
    return sim_set_device(site, deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
    SIM_ENTER;
    return sim_reset_device(site, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    SIM_ENTER;
    return sim_reset_device(site, deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId) {
    SIM_ENTER;
    return sim_current_device(site, deviceId);
}

aclError aclrtGetDeviceCount(uint32_t *count) {
    SIM_ENTER;
    if (count == NULL) {
        return null(site, "count");
    }
    *count = 1;
    return 0;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode) {
    SIM_ENTER;
    if (runMode == NULL) {
        return null(site, "run mode");
    }
    *runMode = ACL_HOST;
    return 0;
}

aclError aclrtSynchronizeDevice(void) {
    SIM_ENTER;
    return sim_synchronize_device(site);
}

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

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) {
    SIM_ENTER;
    return sim_create_context(site, context, deviceId);
}

aclError aclrtDestroyContext(aclrtContext context) {
    SIM_ENTER;
    return sim_destroy_context(site, context);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    SIM_ENTER;
    return sim_set_context(site, context);
}

aclError aclrtGetCurrentContext(aclrtContext *context) {
    SIM_ENTER;
    return sim_get_context(site, context);
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    SIM_ENTER;
    return sim_option(site, true, (int)opt, &value, true);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value) {
    SIM_ENTER;
    return sim_option(site, true, (int)opt, value, false);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    SIM_ENTER;
    return sim_option(site, false, (int)opt, &value, true);
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value) {
    SIM_ENTER;
    return sim_option(site, false, (int)opt, value, false);
}

aclError aclrtCreateStream(aclrtStream *stream) {
    SIM_ENTER;
    return sim_create_stream(site, stream);
}

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

aclError aclrtDestroyStream(aclrtStream stream) {
    SIM_ENTER;
    return sim_destroy_stream(site, stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    SIM_ENTER;
    return sim_destroy_stream(site, stream, true);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    SIM_ENTER;
    return sim_synchronize(site, stream);
}

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

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    SIM_ENTER;
    return sim_wait_event(site, stream, event);
}

aclError aclrtCreateEvent(aclrtEvent *event) {
    SIM_ENTER;
    return sim_create_event(site, event);
}

static int create_event(const sim_site *site, void **event, uint32_t flag) {
    const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                           ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;
    if (flag == 0 || (flag & ~known) != 0) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The flag (0x%x) is 0 or has bits that mean nothing.", flag);
    }
    return sim_create_event(site, event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag) {
    SIM_ENTER;
    return create_event(site, event, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag) {
    SIM_ENTER;
    return create_event(site, event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    SIM_ENTER;
    return sim_destroy_event(site, event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    SIM_ENTER;
    return sim_record_event(site, event, stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    SIM_ENTER;
    return sim_reset_event(site, event, stream);
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    SIM_ENTER;
    return sim_synchronize_event(site, event);
}

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

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    SIM_ENTER;
    return ms == NULL ? null(site, "milliseconds") : sim_elapsed(site, startEvent, endEvent, ms);
}
