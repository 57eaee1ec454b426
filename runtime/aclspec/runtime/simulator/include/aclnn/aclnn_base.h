/* What the header of every operator includes. C++. */
#ifndef ACLSPEC_ACLNN_ACLNN_BASE_H
#define ACLSPEC_ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#endif
