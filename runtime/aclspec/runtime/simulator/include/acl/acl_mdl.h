/* Models, and dumps of their tensors. C and C++. */
#ifndef ACLSPEC_ACL_ACL_MDL_H
#define ACLSPEC_ACL_ACL_MDL_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* @functions@ */

#ifdef __cplusplus
}
#endif

#endif
