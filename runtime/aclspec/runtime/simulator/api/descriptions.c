/* libascendcl and libacl_rt: buffers and descriptions of tensors, by which operators are called by their type. */
#include <stdlib.h>
#include <string.h>

#include "core/objects.h"

static int null(const sim_site *site, const char *noun) {
    return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s is null.", noun);
}

static bool is_kind(const sim_site *site, sim_kind kind, const void *handle, const char *noun) {
    return handle == NULL ? (null(site, noun), false) : sim_check(site, kind, handle, ACL_ERROR_INVALID_PARAM) == 0;
}

/* ---- buffers ------------------------------------------------------------------------------------------------------ */

static const aclDataBuffer *buffer_of(const sim_site *site, const aclDataBuffer *buffer) {
    return is_kind(site, SIM_DATA_BUFFER, buffer, "buffer") ? buffer : NULL;
}

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size) {
    SIM_ENTER_POINTER;
    aclDataBuffer *buffer = sim_create(site, SIM_DATA_BUFFER, sizeof *buffer, NULL);
    if (buffer == NULL) {
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for a buffer.");
        return NULL;
    }
    buffer->data = data;
    buffer->size = size;
    return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer) {
    SIM_ENTER;
    if (buffer_of(site, dataBuffer) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    sim_retire(dataBuffer);
    return 0;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size) {
    SIM_ENTER;
    if (buffer_of(site, dataBuffer) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    dataBuffer->data = data;
    dataBuffer->size = size;
    return 0;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer) {
    SIM_SITE;
    const aclDataBuffer *buffer = buffer_of(site, dataBuffer);
    return buffer != NULL ? buffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer) {
    SIM_SITE;
    const aclDataBuffer *buffer = buffer_of(site, dataBuffer);
    return buffer != NULL ? buffer->size : 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer) { return (uint32_t)aclGetDataBufferSizeV2(dataBuffer); }

/* ---- descriptions ------------------------------------------------------------------------------------------------- */

static const aclTensorDesc *desc_of(const sim_site *site, const aclTensorDesc *desc) {
    return is_kind(site, SIM_TENSOR_DESC, desc, "description") ? desc : NULL;
}

static void dispose(void *object) {
    free(((aclTensorDesc *)object)->dims);
    free(((aclTensorDesc *)object)->storage_dims);
    free(((aclTensorDesc *)object)->name);
    free(((aclTensorDesc *)object)->constant);
}

/* A copy of an array; of an empty one a pointer to nothing. NULL: there is no memory. */
static void *copy(const void *values, size_t bytes) {
    void *made = malloc(bytes != 0 ? bytes : 1);
    if (made != NULL && bytes != 0) {
        memcpy(made, values, bytes);
    }
    return made;
}

static bool are_dims(const sim_site *site, int count, const int64_t *dims) {
    if (count < 0 || (count > 0 && dims == NULL)) {
        sim_fail(site, ACL_ERROR_INVALID_PARAM, count < 0 ? "The number of dims (%d) is negative." : "The dims of rank %d are null.",
                 count);
        return false;
    }
    return true;
}

aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims, aclFormat format) {
    SIM_ENTER_POINTER;
    if (!are_dims(site, numDims, dims)) {
        return NULL;
    }
    aclTensorDesc *desc = sim_create(site, SIM_TENSOR_DESC, sizeof *desc, dispose);
    int64_t *copied = desc != NULL ? copy(dims, (size_t)numDims * sizeof *dims) : NULL;
    if (copied == NULL) {
        sim_retire(desc);
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for the description of a tensor.");
        return NULL;
    }
    desc->dtype = dataType;
    desc->format = desc->storage_format = format;
    desc->rank = (size_t)numDims;
    desc->dims = copied;
    return desc;
}

void aclDestroyTensorDesc(const aclTensorDesc *desc) {
    SIM_SITE;
    if (desc != NULL && desc_of(site, desc) != NULL) {
        sim_retire(desc);
    }
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL ? desc->dtype : ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL ? desc->format : ACL_FORMAT_UNDEFINED;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL ? desc->rank : 0;
}

/* The product of the dims; 0 where one of them is unknown. */
static size_t elements(const aclTensorDesc *desc) {
    size_t count = 1;
    for (size_t at = 0; at < desc->rank; at++) {
        if (desc->dims[at] < 0 || __builtin_mul_overflow(count, (size_t)desc->dims[at], &count)) {
            return 0;
        }
    }
    return count;
}

size_t aclGetTensorDescElementCount(const aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL ? elements(desc) : 0;
}

size_t aclGetTensorDescSize(const aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL ? elements(desc) * sim_type_size(desc->dtype) : 0;
}

aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize) {
    SIM_ENTER;
    if (desc_of(site, desc) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (dimSize == NULL) {
        return null(site, "pointer to the size");
    }
    if (index >= desc->rank) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The index (%zu) is not less than the rank (%zu).", index, desc->rank);
    }
    *dimSize = desc->dims[index];
    return 0;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index) {
    int64_t size;
    return aclGetTensorDescDimV2(desc, index, &size) == 0 ? size : -1;
}

void aclSetTensorDescName(aclTensorDesc *desc, const char *name) {
    SIM_SITE;
    if (desc_of(site, desc) != NULL) {
        free(desc->name);
        desc->name = name != NULL ? strdup(name) : NULL;
    }
}

const char *aclGetTensorDescName(aclTensorDesc *desc) {
    SIM_SITE;
    return desc_of(site, desc) != NULL && desc->name != NULL ? desc->name : "";
}

aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format) {
    SIM_ENTER;
    if (desc_of(site, desc) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    desc->storage_format = format;
    return 0;
}

aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims) {
    SIM_ENTER;
    if (desc_of(site, desc) == NULL || !are_dims(site, numDims, dims)) {
        return ACL_ERROR_INVALID_PARAM;
    }
    int64_t *copied = copy(dims, (size_t)numDims * sizeof *dims);
    if (copied == NULL) {
        return sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for the dims of a tensor.");
    }
    free(desc->storage_dims);
    desc->storage_dims = copied;
    desc->storage_rank = (size_t)numDims;
    return 0;
}

aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType) {
    SIM_ENTER;
    if (desc_of(site, desc) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    desc->place = memType;
    return 0;
}

aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length) {
    SIM_ENTER;
    if (desc_of(site, desc) == NULL) {
        return ACL_ERROR_INVALID_PARAM;
    }
    if (dataBuffer == NULL || length == 0) {
        return null(site, "constant");
    }
    void *copied = copy(dataBuffer, length);
    if (copied == NULL) {
        return sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for a constant of %zu bytes.", length);
    }
    free(desc->constant);
    desc->constant = copied;
    return 0;
}
