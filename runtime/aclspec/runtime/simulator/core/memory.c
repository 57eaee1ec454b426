/* Allocations. The address of device memory is a reserved page that nobody may touch, as on a device that has memory of
 * its own; the bytes are on the heap, where valgrind and AddressSanitizer watch over them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "streams.h"

enum { KEPT = 1 << 12, ALIGNMENT = 64, GARBAGE = 0xA5 };

static const size_t TOTAL = (size_t)64 << 30; /* of the simulated device */

static sim_block **table; /* by address; a freed one stays for a while */
static size_t count, room;
static sim_block *dead[KEPT];
static size_t oldest, in_use;

static size_t pages(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size / page + 1) * page; /* at least one byte more than asked for: a page that ends every allocation */
}

/* The place of the first block that ends behind an address. */
static size_t place_of(uintptr_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (table[middle]->base + table[middle]->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static sim_block *find(uintptr_t address) {
    const size_t at = place_of(address);
    return at < count && table[at]->base <= address ? table[at] : NULL;
}

static void destroy(sim_block *block) {
    if (block->device) {
        munmap((void *)block->base, pages(block->size));
        free(block->bytes);
    } else {
        free((void *)block->base);
    }
    free(block);
}

static void forget(sim_block *block) {
    const size_t at = place_of(block->base);
    memmove(table + at, table + at + 1, sizeof *table * (--count - at));
    destroy(block);
}

/* A freed block that nobody works on any more: the bytes go at once, a device address stays reserved for a while, so
 * that its later use is found out. */
static void bury(sim_block *block) {
    if (!block->device) {
        forget(block);
        return;
    }
    free(block->bytes);
    block->bytes = NULL;
    if (dead[oldest] != NULL) {
        forget(dead[oldest]);
    }
    dead[oldest] = block;
    oldest = (oldest + 1) % KEPT;
}

static bool insert(sim_block *block) {
    if (count == room) {
        const size_t wider = room != 0 ? 2 * room : 64;
        sim_block **longer = realloc(table, sizeof *table * wider);
        if (longer == NULL) {
            return false;
        }
        table = longer;
        room = wider;
    }
    const size_t at = place_of(block->base);
    memmove(table + at + 1, table + at, sizeof *table * (count++ - at));
    table[at] = block;
    return true;
}

static sim_block *make(const sim_site *site, size_t size, bool device) {
    sim_block *block = calloc(1, sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    *block = (sim_block){.size = size, .origin = *site, .device = device, .live = true, .serial = sim_next_serial()};
    if (posix_memalign((void **)&block->bytes, ALIGNMENT, size) != 0) {
        free(block);
        return NULL;
    }
    block->base = (uintptr_t)block->bytes;
    if (sim_strict()) {
        memset(block->bytes, GARBAGE, size); /* what was never written reads as nonsense, each time the same */
    }
    if (device) {
        void *address = mmap(NULL, pages(size), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (address == MAP_FAILED) {
            free(block->bytes);
            free(block);
            return NULL;
        }
        block->base = (uintptr_t)address;
    }
    return block;
}

int sim_allocate(const sim_site *site, void **out, size_t size, bool device) {
    if (out == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The pointer to the address is null.");
    }
    if (size == 0) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The size (0) is not greater than 0.");
    }
    const int code = sim_need_context(site);
    if (code != 0) {
        return code;
    }
    sim_lock();
    const size_t available = TOTAL - in_use;
    sim_unlock();
    sim_block *block = size <= available ? make(site, size, device) : NULL;
    if (block == NULL) {
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "The %zu bytes cannot be allocated; %zu are available.", size,
                        available);
    }
    sim_lock();
    const bool inserted = insert(block);
    in_use += inserted && device ? size : 0;
    sim_unlock();
    if (!inserted) {
        destroy(block);
        return sim_fail(site, ACL_ERROR_RT_MEMORY_ALLOCATION, "The %zu bytes cannot be allocated.", size);
    }
    *out = (void *)block->base;
    return 0;
}

/* Why an address cannot be freed: 0, or the failure. `block` is a copy of what was found. */
static int refused(const sim_site *site, const void *address, const sim_block *block, bool device) {
    const char *noun = device ? "device" : "host";
    if (block == NULL || block->device != device) {
        sim_report(site, (uint64_t)(uintptr_t)address, "The address (%p) is not one of %s memory that was allocated.", address,
                   noun);
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The address (%p) is not one of %s memory that was allocated.",
                        address, noun);
    }
    if (!block->live) {
        sim_report(site, block->serial, "The %s memory (%p)%s is already freed.", noun, address, sim_origin(&block->origin));
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The %s memory (%p) is already freed.", noun, address);
    }
    if (block->base != (uintptr_t)address) {
        sim_report(site, block->serial, "The address (%p) is inside of the %s memory at 0x%zx%s.", address, noun,
                   (size_t)block->base, sim_origin(&block->origin));
        return sim_fail(site, ACL_ERROR_RT_PARAM_INVALID, "The address (%p) is inside of the %s memory at 0x%zx.", address,
                        noun, (size_t)block->base);
    }
    return 0;
}

int sim_release(const sim_site *site, void *address, bool device) {
    if (address == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The address is null.");
    }
    sim_block *block = sim_pin(address);
    const int code = refused(site, address, block, device);
    if (code != 0) {
        sim_unpin(block);
        return code;
    }
    sim_settled(site, block, SIM_FREED);
    sim_lock();
    block->live = false;
    in_use -= device ? block->size : 0;
    sim_unlock();
    sim_unpin(block);
    return 0;
}

sim_block *sim_pin(const void *address) {
    sim_lock();
    sim_block *block = find((uintptr_t)address);
    if (block != NULL) {
        block->pins++;
    }
    sim_unlock();
    return block;
}

sim_block *sim_pin_again(sim_block *block) {
    if (block != NULL) {
        sim_lock();
        block->pins++;
        sim_unlock();
    }
    return block;
}

void sim_unpin(sim_block *block) {
    if (block != NULL) {
        sim_lock();
        if (--block->pins == 0 && !block->live && block->bytes != NULL) {
            bury(block);
        }
        sim_unlock();
    }
}

void sim_freed(const sim_site *site, const char *noun, const void *address, const sim_block *block) {
    sim_report(site, block->serial, "The %s (%p) is device memory%s that is freed.", noun, address, sim_origin(&block->origin));
}

void sim_memory_info(size_t *available, size_t *total) {
    sim_lock();
    *available = TOTAL - in_use;
    *total = TOTAL;
    sim_unlock();
}

void sim_each_block(void (*visit)(const sim_block *block, void *context), void *context) {
    for (size_t at = 0; at < count; at++) {
        if (table[at]->live) {
            visit(table[at], context);
        }
    }
}
