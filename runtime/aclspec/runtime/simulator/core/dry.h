/* The dry device: calls are judged and nothing is computed. Its memory is addresses alone, so that a copy to the host gives
 * zeros. ACLSPEC_DRY is 1, or a file for what the device saw, a JSON object a line. */
#ifndef ACLSPEC_DRY_H
#define ACLSPEC_DRY_H

#include "sim.h"

/* Note the most memory that a device had in use. */
void sim_dry_peak(int32_t device, size_t bytes);
/* Note a call that came past the layer, which records those that the report judges. */
void sim_dry_call(const sim_site *site);

#endif
