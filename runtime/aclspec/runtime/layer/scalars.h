/* The value of a scalar; the layer and the simulator share this. */
#ifndef ACLSPEC_LAYER_SCALARS_H
#define ACLSPEC_LAYER_SCALARS_H

#include "aclspec_checks.h"

/* The scalar of these bytes in host memory. */
aclspec_scalar layer_scalar_of(const void *bytes, int32_t dtype);

#endif
