/* The file that holds the memory of all devices. */
#ifndef ACLSPEC_ARENA_H
#define ACLSPEC_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file, which is made where there is none yet; -1 where it cannot be made. */
int sim_arena(void);
/* As many bytes as whole pages have that hold this number. */
size_t sim_part_size(size_t size);
/* The start of a new part of the file, of whole pages, which read as zeros; SIZE_MAX where there is none. */
size_t sim_take_part(size_t size);
void sim_give_part(size_t start, size_t size);
/* Map a part at a place, or anywhere where that is NULL; NULL where that fails. A forked process does not inherit it. */
unsigned char *sim_map_part(void *place, size_t start, size_t size);
/* Where ACLSPEC_DEVICE_VISIBLE asks for it, map a part at its device address too, so that the program and its debugger see the
 * bytes there; false where that fails. */
bool sim_show_part(uintptr_t address, size_t start, size_t size);
/* Make device addresses inaccessible again. */
void sim_hide_part(uintptr_t address, size_t size);
/* In a forked process: the file stays the other one's. */
void sim_leave_arena(void);

#endif
