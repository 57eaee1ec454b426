/* The attributes of operators that are called by their type. C and C++. */
#ifndef ACLSPEC_ACL_ACL_OP_H
#define ACLSPEC_ACL_ACL_OP_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;

typedef enum aclEngineType { ACL_ENGINE_SYS = 0, ACL_ENGINE_AICORE = 1, ACL_ENGINE_VECTOR = 2 } aclopEngineType;

/* @functions@ */

#ifdef __cplusplus
}
#endif

#endif
