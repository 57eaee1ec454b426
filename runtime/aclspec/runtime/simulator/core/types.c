/* The sizes of types, as the runtime answers them, and arrays that it hands out. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

int64_t *sim_array_of(const int64_t *values, uint64_t count) {
    void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znam");
    int64_t *copy = (allocate != NULL ? allocate : malloc)(count > 0 ? sizeof *copy * count : 1);
    if (copy != NULL && count > 0) {
        memcpy(copy, values, sizeof *copy * count);
    }
    return copy;
}

size_t sim_type_size(aclDataType dataType) {
    switch ((int)dataType) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
        return 0;
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
        return 1;
    case ACL_FLOAT16:
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_BF16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
        return 4;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 8; /* the types of 8 bytes, and those that the runtime does not know */
    }
}
