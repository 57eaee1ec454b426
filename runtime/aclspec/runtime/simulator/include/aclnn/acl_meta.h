/* Tensors, scalars, arrays, lists and executors. C++, as in CANN. */
#ifndef ACLSPEC_ACLNN_ACL_META_H
#define ACLSPEC_ACLNN_ACL_META_H

#ifndef __cplusplus
#error "aclnn/acl_meta.h is a C++ header, in CANN too: include it, and the headers of aclnnop, from C++."
#endif

#include <cstddef>
#include <cstdint>

#include "acl/acl_base.h"
#include "aclnn/meta_functions.h"

constexpr aclnnStatus OK = 0;

#endif
