/* The functions of aclnn/acl_meta.h, which includes this; the simulator's own sources are C and read it by itself. */
#ifndef ACLSPEC_ACLNN_META_FUNCTIONS_H
#define ACLSPEC_ACLNN_META_FUNCTIONS_H

#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t aclnnStatus;

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;

/* Strides and offset of aclCreateTensor count elements, and a null stride means contiguous strides of the view. A list owns its
 * elements: it destroys them with itself. The array that a getter of a shape or of strides answers is the caller's, who frees it
 * with delete[]. The setters of addresses exist under two spellings, of which the capital one is the older. */
/* @functions@ */

#ifdef __cplusplus
}
#endif

#endif
