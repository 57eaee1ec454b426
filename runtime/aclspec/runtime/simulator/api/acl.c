/* libascendcl and libacl_rt: the life of the runtime, versions, and what a device can do. */
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "core/sim.h"

enum { MAJOR = 1, MINOR = 17, PATCH = 0 };
static const char CANN_VERSION[] = SIM_VERSION;
static const int PARTS[] = SIM_VERSION_PARTS; /* major, minor, release */
/* Of no chip in particular, as the guide says: no document at hand has them. */
enum { AICPU_CORES = 6 };
static const int64_t L2_BYTES = 192 << 20;

enum { LONGEST = 1 << 16 };

/* Where the value of a key of a JSON text starts; NULL where there is none. */
static const char *value_of(const char *text, const char *key) {
    const char *found = text != NULL ? strstr(text, key) : NULL;
    if (found == NULL) {
        return NULL;
    }
    found += strlen(key);
    found += strspn(found, " \t\r\n");
    return *found == ':' ? found + 1 + strspn(found + 1, " \t\r\n") : NULL;
}

/* Of the configuration the default device counts, {"defaultDevice": {"default_device": "0"}}; the rest, such as a dump, changes
 * no result. */
static int configure(const sim_site *site, const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_FILE, "The configuration (%s) cannot be read.", path);
    }
    char *text = calloc(1, LONGEST);
    const size_t length = text != NULL ? fread(text, 1, LONGEST - 1, file) : 0;
    fclose(file);
    const char *value = length > 0 ? value_of(value_of(text, "\"defaultDevice\""), "\"default_device\"") : NULL;
    int code = 0;
    if (value != NULL) {
        char *end;
        value += *value == '"';
        const long device = strtol(value, &end, 10);
        code = end == value || device < 0 || device > INT32_MAX
                   ? sim_fail(site, ACL_ERROR_INVALID_PARAM, "The default device of the configuration (%s) is not a number.", path)
                   : sim_default_device(site, (int32_t)device);
    }
    free(text);
    return code;
}

aclError aclInit(const char *configPath) {
    SIM_ENTER;
    const int code = configPath != NULL && configPath[0] != '\0' ? configure(site, configPath) : 0;
    return code != 0 ? code : sim_init(site);
}

FORWARD(aclError, aclFinalize, (void), sim_finalize(site, NULL))

aclError aclFinalizeReference(uint64_t *refCount) {
    SIM_ENTER;
    uint64_t left;
    const int code = sim_finalize(site, &left);
    if (refCount != NULL) {
        *refCount = left;
    }
    return code;
}

const char *aclGetRecentErrMsg(void) { return sim_recent_message(); }

const char *aclrtGetSocName(void) {
    SIM_ENTER_POINTER;
    return sim_soc_name(site);
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion) {
    SIM_ENTER;
    if (majorVersion == NULL || minorVersion == NULL || patchVersion == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "A pointer to a part of the version is null.");
    }
    *majorVersion = MAJOR;
    *minorVersion = MINOR;
    *patchVersion = PATCH;
    return 0;
}

/* How the two functions that tell a fact of a device begin: the product that it is, or the failure in `code`. */
static const sim_soc *soc_of_device(const sim_site *site, uint32_t device, const void *out, int no_device, int *code) {
    const sim_soc *soc = sim_current_soc(site);
    *code = 0;
    if (soc == NULL) {
        *code = ACL_ERROR_INTERNAL_ERROR;
    } else if (out == NULL) {
        *code = sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the value is null.");
    } else if (device > INT32_MAX || sim_check_device(site, (int32_t)device) != 0) {
        *code = no_device;
    }
    return soc;
}

/* A number of cores, which the specs have not of every SoC. */
static int answer(const sim_site *site, int64_t cores, int unknown, int64_t *value) {
    if (cores == 0) {
        return sim_fail(site, unknown, "How many such cores a %s has is not known.", sim_soc_name(site));
    }
    *value = cores;
    return 0;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value) {
    SIM_ENTER;
    int code;
    const sim_soc *soc = soc_of_device(site, deviceId, value, ACL_ERROR_RT_INVALID_DEVICEID, &code);
    if (code != 0) {
        return code;
    }
    switch (attr) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        return answer(site, soc->cube_cores, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, value);
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        return answer(site, soc->vector_cores, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, value);
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
        return answer(site, AICPU_CORES, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, value);
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        *value = (int64_t)sim_total_memory();
        return 0;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = L2_BYTES;
        return 0;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        *value = deviceId;
        return 0;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        return 0;
    default:
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The attribute (%d) is unknown.", (int)attr);
    }
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value) {
    SIM_ENTER;
    int code;
    const sim_soc *soc = soc_of_device(site, deviceId, value, ACL_ERROR_INVALID_PARAM, &code);
    if (code != 0) {
        return code;
    }
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
        return answer(site, soc->cube_cores, ACL_ERROR_FEATURE_UNSUPPORTED, value);
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        return answer(site, soc->vector_cores, ACL_ERROR_FEATURE_UNSUPPORTED, value);
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = L2_BYTES;
        return 0;
    default:
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The device information (%d) is unknown.", (int)deviceInfo);
    }
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value) {
    SIM_ENTER;
    const sim_soc *soc = sim_current_soc(site);
    if (soc == NULL) {
        return ACL_ERROR_INTERNAL_ERROR;
    }
    if (value == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the value is null.");
    }
    switch (cannAttr) {
    case ACL_CANN_ATTR_INF_NAN:
    case ACL_CANN_ATTR_BF16:
        *value = soc->bf16; /* the products that have the one have the other */
        return 0;
    case ACL_CANN_ATTR_JIT_COMPILE:
        *value = 0;
        return 0;
    default:
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The attribute (%d) is unknown.", (int)cannAttr);
    }
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version) {
    SIM_ENTER;
    if (version == NULL || (int)name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s.", version == NULL ? "pointer to the version is null"
                                                                                     : "package is unknown");
    }
    memset(version, 0, sizeof *version);
    snprintf(version->version, sizeof version->version, "%s", CANN_VERSION);
    snprintf(version->majorVersion, sizeof version->majorVersion, "%d", PARTS[0]);
    snprintf(version->minorVersion, sizeof version->minorVersion, "%d", PARTS[1]);
    snprintf(version->releaseVersion, sizeof version->releaseVersion, "%d", PARTS[2]);
    return 0;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr) {
    SIM_ENTER;
    if (pkgName == NULL || versionStr == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s is null.", pkgName == NULL ? "name" : "version");
    }
    memcpy(versionStr, CANN_VERSION, sizeof CANN_VERSION);
    return 0;
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum) {
    SIM_ENTER;
    if (pkgName == NULL || versionNum == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s is null.", pkgName == NULL ? "name" : "number");
    }
    *versionNum = PARTS[0] * 10000000 + PARTS[1] * 100000 + PARTS[2] * 1000;
    return 0;
}
