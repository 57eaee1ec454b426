/* libascendcl and libacl_rt: allocators of the program, which the runtime takes for operators that it compiles. */
#include "acl/acl_rt_allocator.h"
#include "core/sim.h"

static int check(const sim_site *site, const void *allocator) {
    if (allocator == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The description of the allocator is null.");
    }
    return sim_check(site, SIM_ALLOCATOR, allocator, ACL_ERROR_INVALID_PARAM);
}

static int check_part(const sim_site *site, const void *allocator, const char *noun, bool there) {
    const int code = check(site, allocator);
    if (code != 0 || there) {
        return code;
    }
    return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s of the allocator is null.", noun);
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void) {
    SIM_ENTER_POINTER;
    return sim_create(site, SIM_ALLOCATOR, sizeof(sim_handle), NULL);
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
    SIM_ENTER;
    const int code = check(site, allocatorDesc);
    if (code == 0) {
        sim_retire(allocatorDesc);
    }
    return code;
}

FORWARD(aclError, aclrtAllocatorSetObjToDesc, (aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator), check_part(site, allocatorDesc, "object", allocator != NULL))
FORWARD(aclError, aclrtAllocatorSetAllocFuncToDesc, (aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func), check_part(site, allocatorDesc, "function", func != NULL))
FORWARD(aclError, aclrtAllocatorSetFreeFuncToDesc, (aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func), check_part(site, allocatorDesc, "function", func != NULL))
FORWARD(aclError, aclrtAllocatorSetAllocAdviseFuncToDesc, (aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func), check_part(site, allocatorDesc, "function", func != NULL))
FORWARD(aclError, aclrtAllocatorSetGetAddrFromBlockFuncToDesc, (aclrtAllocatorDesc allocatorDesc, aclrtAllocatorGetAddrFromBlockFunc func), check_part(site, allocatorDesc, "function", func != NULL))

/* Null is the default stream. */
static int check_stream(const sim_site *site, void *handle) {
    sim_stream *stream;
    return sim_stream_of(site, handle, &stream);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
    SIM_ENTER;
    const int code = check(site, allocatorDesc);
    return code != 0 ? code : check_stream(site, stream);
}

FORWARD(aclError, aclrtAllocatorUnregister, (aclrtStream stream), check_stream(site, stream))
