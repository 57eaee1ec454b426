/* Forked processes. */
#ifndef ACLSPEC_FORKS_H
#define ACLSPEC_FORKS_H

#include "sim.h"

/* The program has set a device: what it forks from now on has none. */
void sim_note_device(void);
/* Whether this process was forked from one that had set a device: also 0, or the recorded failure. */
bool sim_is_forked(void);
int sim_refuse_forked(const sim_site *site);

#endif
