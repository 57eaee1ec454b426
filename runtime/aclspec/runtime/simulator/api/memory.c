/* libascendcl and libacl_rt: memory, and copies between the host and the device. */
#include <string.h>

#include "core/sim.h"

static int check_policy(const sim_site *site, aclrtMemMallocPolicy policy) {
    const int bits = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY;
    const int base = (int)policy & ~bits;
    if (base < ACL_MEM_MALLOC_HUGE_FIRST || base > ACL_MEM_MALLOC_HUGE1G_ONLY_P2P) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The policy (%d) is unknown.", (int)policy);
    }
    return 0;
}

static int allocate(const sim_site *site, void **devPtr, size_t size, aclrtMemMallocPolicy policy) {
    const int code = check_policy(site, policy);
    return code != 0 ? code : sim_allocate(site, devPtr, size, true);
}

FORWARD(aclError, aclrtMalloc, (void **devPtr, size_t size, aclrtMemMallocPolicy policy), allocate(site, devPtr, size, policy))
FORWARD(aclError, aclrtMallocAlign32, (void **devPtr, size_t size, aclrtMemMallocPolicy policy), allocate(site, devPtr, size, policy))
FORWARD(aclError, aclrtMallocCached, (void **devPtr, size_t size, aclrtMemMallocPolicy policy), allocate(site, devPtr, size, policy))
FORWARD(aclError, aclrtFree, (void *devPtr), sim_release(site, devPtr, true))
FORWARD(aclError, aclrtMallocHost, (void **hostPtr, size_t size), sim_allocate(site, hostPtr, size, false))
FORWARD(aclError, aclrtFreeHost, (void *hostPtr), sim_release(site, hostPtr, false))

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total) {
    SIM_ENTER;
    if (free == NULL || total == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the %s memory is null.", free == NULL ? "free" : "total");
    }
    if ((int)attr < ACL_DDR_MEM || attr > ACL_HBM_MEM_P2P_HUGE1G) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The kind of memory (%d) is unknown.", (int)attr);
    }
    return sim_memory_info(site, free, total);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes) {
    SIM_ENTER;
    if (ptr == NULL || attributes == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer%s is null.", ptr == NULL ? "" : " to the attributes");
    }
    sim_block *block = sim_pin(ptr);
    *attributes = (aclrtPtrAttributes){.location = {.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED}, .pageSize = 4096};
    if (block != NULL && block->live) {
        attributes->location.id = (uint32_t)block->where;
        attributes->location.type = block->device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
    }
    sim_unpin(block);
    return 0;
}

/* One end of a copy: the bytes that an address stands for. */
typedef struct end {
    const char *noun;
    void *address;
    sim_block *block;
    unsigned char *bytes;
    size_t room;
} end;

static bool on_device(const end *one) { return one->block != NULL && one->block->device; }

static end find(const char *noun, const void *address) {
    end one = {noun, (void *)address, sim_pin(address), (void *)address, 0};
    sim_span span;
    if (on_device(&one) && sim_span_of(one.block, address, &span)) {
        one.bytes = span.bytes + span.at;
        one.room = span.size - span.at;
    }
    return one;
}

static int check_end(const sim_site *site, const end *one, size_t count) {
    const sim_block *block = one->block;
    if (!on_device(one)) {
        return 0;
    }
    if (block->live && block->pieces != NULL && one->room == 0) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s (%p) is a reserved address into which no memory is mapped.",
                        one->noun, one->address);
    }
    if (!block->live || block->bytes == NULL) {
        sim_freed(site, one->noun, one->address, block);
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s (%p) is device memory that is freed.", one->noun, one->address);
    }
    if (count > one->room) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The count (%zu) exceeds the %zu bytes that the %s (%p) has.", count,
                        one->room, one->noun, one->address);
    }
    return 0;
}

/* What a kind says of an end: 1 device, 0 host, -1 either. */
static int wanted(aclrtMemcpyKind kind, bool source) {
    switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST:
        return 0;
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
        return source ? 0 : 1;
    case ACL_MEMCPY_DEVICE_TO_HOST:
        return source ? 1 : 0;
    case ACL_MEMCPY_DEFAULT:
        return -1;
    default:
        return 1;
    }
}

/* CANN tells the direction from the addresses and leaves the kind alone; a kind that they belie is a mistake here, since
 * a host address where a device's is meant is what it nearly always shows. */
static int check_kind(const sim_site *site, const end *one, aclrtMemcpyKind kind, bool source) {
    const int want = wanted(kind, source);
    if (want < 0 || want == (int)on_device(one)) {
        return 0;
    }
    return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s (%p) is %s memory, but the kind (%d) says %s memory.", one->noun,
                    one->address, on_device(one) ? "device" : "host", (int)kind, want == 1 ? "device" : "host");
}

static int check_sizes(const sim_site *site, const void *dst, size_t room, const void *src, size_t count) {
    if (dst == NULL || src == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s is null.", dst == NULL ? "destination" : "source");
    }
    if (room < count) {
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The count (%zu) exceeds the size of the destination (%zu).", count, room);
    }
    return 0;
}

/* `stream` NULL: the copy is over when the call returns. */
static int move(const sim_site *site, end *to, end *from, size_t count, aclrtMemcpyKind kind, sim_stream *stream) {
    int code = check_kind(site, to, kind, false);
    code = code != 0 ? code : check_kind(site, from, kind, true);
    code = code != 0 ? code : check_end(site, to, count);
    code = code != 0 ? code : check_end(site, from, count);
    if (code != 0) {
        return code;
    }
    if (sim_dry() && on_device(from) && !on_device(to)) {
        sim_dry_copy(site, count);
    }
    if (stream != NULL) {
        return sim_transfer(site, stream, &(sim_move){to->block, from->block, to->bytes, from->bytes, count, 0});
    }
    sim_settled(site, from->block, SIM_READ);
    sim_settled(site, to->block, SIM_WRITTEN);
    sim_move_bytes(&(sim_move){to->block, from->block, to->bytes, from->bytes, count, 0});
    return 0;
}

static int copy(const sim_site *site, void *dst, size_t room, const void *src, size_t count, aclrtMemcpyKind kind,
                sim_stream *stream) {
    int code = check_sizes(site, dst, room, src, count);
    if (code == 0 && ((int)kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)) {
        code = sim_fail(site, ACL_ERROR_INVALID_PARAM, "The kind (%d) is unknown.", (int)kind);
    }
    code = code != 0 ? code : sim_need_context(site);
    if (code != 0) {
        return code;
    }
    end to = find("destination", dst), from = find("source", src);
    code = move(site, &to, &from, count, kind, stream);
    sim_unpin(to.block);
    sim_unpin(from.block);
    return code;
}

static int copy_now(const sim_site *site, void *dst, size_t room, const void *src, size_t count, aclrtMemcpyKind kind) {
    const int code = sim_refuse_waiting(site);
    return code != 0 ? code : copy(site, dst, room, src, count, kind, NULL);
}

FORWARD(aclError, aclrtMemcpy, (void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind), count == 0 ? 0 : copy_now(site, dst, destMax, src, count, kind))

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream) {
    SIM_ENTER;
    if (count == 0) {
        return 0;
    }
    sim_stream *where;
    const int code = sim_stream_of(site, stream, &where);
    return code != 0 ? code : copy(site, dst, destMax, src, count, kind, where);
}

static int set(const sim_site *site, void *devPtr, size_t room, int32_t value, size_t count, sim_stream *stream) {
    int code = check_sizes(site, devPtr, room, devPtr, count);
    code = code != 0 ? code : sim_need_context(site);
    if (code != 0) {
        return code;
    }
    end to = find("destination", devPtr);
    code = check_end(site, &to, count);
    if (code == 0 && stream != NULL) {
        code = sim_transfer(site, stream, &(sim_move){to.block, NULL, to.bytes, NULL, count, value});
    } else if (code == 0) {
        sim_settled(site, to.block, SIM_WRITTEN);
        sim_move_bytes(&(sim_move){to.block, NULL, to.bytes, NULL, count, value});
    }
    sim_unpin(to.block);
    return code;
}

FORWARD(aclError, aclrtMemset, (void *devPtr, size_t maxCount, int32_t value, size_t count), count == 0 ? 0 : set(site, devPtr, maxCount, value, count, NULL))

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
    SIM_ENTER;
    if (count == 0) {
        return 0;
    }
    sim_stream *where;
    const int code = sim_stream_of(site, stream, &where);
    return code != 0 ? code : set(site, devPtr, maxCount, value, count, where);
}
