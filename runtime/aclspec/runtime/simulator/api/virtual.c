/* libascendcl and libacl_rt: reserved addresses, and the memory that a program maps into them. */
#include "core/sim.h"

static int null(const sim_site *site, const char *noun) { return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s is null.", noun); }

static int no_flags(const sim_site *site, uint64_t flags) {
    return flags == 0 ? 0 : sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The flags (0x%lx) are not 0.", (unsigned long)flags);
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags) {
    SIM_ENTER;
    (void)flags; /* the kind of pages, which costs nothing here */
    if (virPtr == NULL) {
        return null(site, "pointer to the address");
    }
    if (alignment != 0 || expectPtr != NULL) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s.", alignment != 0 ? "alignment is not 0" : "expected address is not null");
    }
    return sim_reserve(site, virPtr, size);
}

FORWARD(aclError, aclrtReleaseMemAddress, (void *virPtr), sim_release_addresses(site, virPtr))

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags) {
    SIM_ENTER;
    if (handle == NULL || prop == NULL) {
        return null(site, handle == NULL ? "pointer to the handle" : "property");
    }
    if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
        return sim_fail(site, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "The location (%d) is not a device.", (int)prop->location.type);
    }
    const int code = no_flags(site, flags);
    return code != 0 ? code : sim_allocate_physical(site, handle, size, (int32_t)prop->location.id);
}

FORWARD(aclError, aclrtFreePhysical, (aclrtDrvMemHandle handle), handle == NULL ? null(site, "handle") : sim_free_physical(site, handle))

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
    SIM_ENTER;
    if (virPtr == NULL || handle == NULL) {
        return null(site, virPtr == NULL ? "address" : "handle");
    }
    const int code = no_flags(site, flags);
    return code != 0 ? code : sim_map(site, virPtr, size, offset, handle);
}

FORWARD(aclError, aclrtUnmapMem, (void *virPtr), virPtr == NULL ? null(site, "address") : sim_unmap(site, virPtr))

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, size_t *granularity) {
    SIM_ENTER;
    (void)option; /* the least one is the one to use, too */
    if (prop == NULL || granularity == NULL) {
        return null(site, prop == NULL ? "property" : "pointer to the granularity");
    }
    return sim_granularity(granularity);
}
