/* The communication between devices. */
#ifndef ACLSPEC_HCCL_HCCL_H
#define ACLSPEC_HCCL_HCCL_H

#include <stdint.h>

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    HCCL_SUCCESS = 0,
    HCCL_E_PARA = 1,
    HCCL_E_PTR = 2,
    HCCL_E_NOT_SUPPORT = 5,
} HcclResult;

typedef enum {
    HCCL_DETERMINISTIC = 0,
} HcclConfig;

typedef union {
    int32_t value;
} HcclConfigValue;

#define HCCL_ROOT_INFO_BYTES 4108

typedef struct {
    char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

typedef void *HcclComm;
/* @functions@ */

#ifdef __cplusplus
}
#endif

#endif
