/* Blocks of memory, as the sources of the core see them. */
#ifndef ACLSPEC_MEMORY_H
#define ACLSPEC_MEMORY_H

#include "streams.h"

typedef enum sim_block_kind { SIM_HOST, SIM_DEVICE, SIM_RESERVED } sim_block_kind;

static inline sim_block_kind sim_block_kind_of(const sim_block *block) {
    return !block->device ? SIM_HOST : block->pieces == NULL ? SIM_DEVICE : SIM_RESERVED;
}

/* A part of the file. Mapped memory outlives the end of its handle. */
typedef struct sim_physical {
    sim_handle head;
    size_t start, size;
    int32_t device;
    int mapped;
} sim_physical;

/* Physical memory that is mapped into reserved addresses: bytes of the block, in the order of their places. */
typedef struct sim_piece {
    size_t from, size;
    sim_physical *physical;
} sim_piece;

/* The block that an address lies in, with the lock held; NULL outside of all. */
sim_block *sim_block_at(const void *address);
/* Add a block to those that are found by their addresses, with the lock held; false when there is no memory. */
bool sim_insert_block(sim_block *block);
/* The end of a block that is in no table; NULL of none. */
void sim_destroy_block(sim_block *block);
/* Addresses without memory of their own, with one page more; NULL where there are none. `alignment` 0: that of a page. */
void *sim_addresses(size_t size, int access, size_t alignment);
/* End a block of a kind: 0, or the recorded failure. */
int sim_end_block(const sim_site *site, void *address, sim_block_kind kind);
/* Take bytes of a device, where it has as many; `available` is what it had. */
bool sim_take_memory(int32_t device, size_t size, size_t *available);
void sim_give_memory(int32_t device, size_t size);
/* The place of the first piece that ends behind a byte. */
size_t sim_piece_at(const sim_block *block, size_t at);
/* The mapped bytes without a gap around a place of reserved addresses, with the lock held; false where there are none. */
bool sim_mapped_around(const sim_block *block, size_t at, size_t *from, size_t *to);
/* Take away what is mapped between two bytes of a block. */
void sim_close_gap(const sim_block *block, size_t from, size_t to);
/* Take away what is no longer mapped, with the lock held. */
void sim_close_gaps(sim_block *block);

#endif
