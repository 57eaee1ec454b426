/* libascendcl and libacl_rt: what the simulator has beside CANN's functions. */
#include "core/sim.h"

/* The simulator's own: what it is from now on. A null or an empty name returns to the environment's. */
SIM_API int aclspecSetSocName(const char *name) {
    SIM_SITE;
    return sim_set_soc(site, name);
}
