/* libmsprofiler: the configuration of a profiler that measures nothing. */
#include "acl/acl_prof.h"
#include "core/objects.h"

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig) {
    SIM_ENTER_POINTER;
    (void)deviceIdList, (void)deviceNums, (void)aicoreMetrics, (void)aicoreEvents, (void)dataTypeConfig;
    return sim_create(site, SIM_PROFILE, sizeof(sim_handle), NULL);
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig) {
    SIM_ENTER;
    if (profilerConfig == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The configuration is null.");
    }
    const int code = sim_check(site, SIM_PROFILE, profilerConfig, ACL_ERROR_INVALID_PARAM);
    if (code == 0) {
        sim_retire(profilerConfig);
    }
    return code;
}
