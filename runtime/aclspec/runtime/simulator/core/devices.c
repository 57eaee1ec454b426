/* How many devices there are: ACLSPEC_DEVICES, else one. */
#include <stdlib.h>

#include "internal.h"

int sim_device_count(const sim_site *site) {
    const char *value = getenv("ACLSPEC_DEVICES");
    if (value == NULL || value[0] == '\0') {
        return 1;
    }
    char *end;
    const long count = strtol(value, &end, 10);
    if (*end == '\0' && count >= 1 && count <= SIM_DEVICES) {
        return (int)count;
    }
    sim_say("The value of the environment variable ACLSPEC_DEVICES (%s) is not a number from 1 to %d.", value, SIM_DEVICES);
    sim_fail(site, ACL_ERROR_INTERNAL_ERROR, "The value of the environment variable ACLSPEC_DEVICES (%s) is not a number from 1 to %d.",
             value, SIM_DEVICES);
    return 0;
}

int sim_check_device(const sim_site *site, int32_t device) {
    const int count = sim_device_count(site);
    if (device >= 0 && device < count) {
        return 0;
    }
    return count == 0 ? ACL_ERROR_RT_INVALID_DEVICEID
                      : sim_fail(site, ACL_ERROR_RT_INVALID_DEVICEID, "The device (%d) is not one of the %d that there are.", device,
                                 count);
}
