/* libnnopbase: tensors and what can be asked of them. */
#include <stdlib.h>
#include <string.h>

#include "core/aclnn_status.h"
#include "core/objects.h"

enum { MOST = 1 << 20 }; /* dims: more is a number that was never a rank */

static int null(const sim_site *site) { return sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "A pointer of the call is null."); }

static void dispose(void *object) { free(((aclTensor *)object)->view.dims); }

/* Row-major strides of a shape; an axis without elements counts as one element. */
static void contiguous(const int64_t *shape, uint64_t rank, int64_t *strides) {
    int64_t step = 1;
    for (uint64_t axis = rank; axis-- > 0;) {
        strides[axis] = step;
        step = (int64_t)((uint64_t)step * (uint64_t)(shape[axis] > 0 ? shape[axis] : 1));
    }
}

/* Lay out a view; false when there is no memory. NULL strides are contiguous. */
static bool lay_out(sim_view *view, const int64_t *shape, uint64_t rank, const int64_t *strides, const int64_t *storage,
                    uint64_t storage_rank) {
    const size_t size = sizeof *shape;
    int64_t *dims = malloc(size * (2 * rank + storage_rank) + 1);
    if (dims == NULL) {
        return false;
    }
    if (rank > 0) {
        memcpy(dims, shape, size * rank);
        if (strides != NULL) {
            memcpy(dims + rank, strides, size * rank);
        } else {
            contiguous(shape, rank, dims + rank);
        }
    }
    if (storage_rank > 0) {
        memcpy(dims + 2 * rank, storage, size * storage_rank);
    }
    free(view->dims);
    view->dims = dims;
    view->rank = rank;
    view->storage_rank = storage_rank;
    return true;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData) {
    SIM_ENTER_POINTER;
    if ((viewDims == NULL && viewDimsNum > 0) || (storageDims == NULL && storageDimsNum > 0)) {
        sim_fail(site, ACLNN_ERR_PARAM_NULLPTR, "The pointer %s is null.", viewDims == NULL && viewDimsNum > 0 ? "viewDims" : "storageDims");
        return NULL;
    }
    if (viewDimsNum > MOST || storageDimsNum > MOST) {
        sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The number of dimensions is beyond all reason.");
        return NULL;
    }
    aclTensor *tensor = sim_create(site, SIM_TENSOR, sizeof *tensor, dispose);
    if (tensor == NULL || !lay_out(&tensor->view, viewDims, viewDimsNum, stride, storageDims, storageDimsNum)) {
        sim_fail(site, ACLNN_ERR_INNER, "There is no memory for a tensor.");
        if (tensor != NULL) {
            sim_retire(tensor);
        }
        return NULL;
    }
    tensor->view.offset = offset;
    tensor->view.dtype = dataType;
    tensor->view.format = format;
    tensor->view.data = tensorData;
    return tensor;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor) {
    SIM_ENTER;
    if (tensor == NULL) {
        return 0;
    }
    const int code = sim_check(site, SIM_TENSOR, tensor, ACLNN_ERR_PARAM_INVALID);
    if (code == 0) {
        sim_retire(tensor);
    }
    return code;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr) {
    SIM_ENTER;
    if (tensor == NULL) {
        return null(site);
    }
    const int code = sim_check(site, SIM_TENSOR, tensor, ACLNN_ERR_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    sim_view *view = &tensor->view;
    const bool same_shape = viewDims == NULL, same_storage = storageDims == NULL;
    const uint64_t rank = same_shape ? view->rank : viewDimsNum;
    const int64_t *strides = stride != NULL || !same_shape ? stride : sim_view_strides(view);
    if (rank > MOST || (!same_storage && storageDimsNum > MOST)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The number of dimensions is beyond all reason.");
    }
    if (!lay_out(view, same_shape ? view->dims : viewDims, rank, strides, same_storage ? sim_view_storage(view) : storageDims,
                 same_storage ? view->storage_rank : storageDimsNum)) {
        return sim_fail(site, ACLNN_ERR_INNER, "There is no memory for the shape of a tensor.");
    }
    view->offset = offset;
    view->dtype = dataType;
    view->format = format;
    view->data = tensorDataAddr != NULL ? tensorDataAddr : view->data;
    return 0;
}

static aclnnStatus hand_out(const sim_site *site, const int64_t *values, uint64_t count, int64_t **out, uint64_t *number) {
    int64_t *copy = sim_array_of(values, count);
    if (copy == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER, "There is no memory for %lu numbers.", (unsigned long)count);
    }
    *out = copy;
    *number = count;
    return 0;
}

static int check(const sim_site *site, const aclTensor *tensor, const void *out, const void *number) {
    if (tensor == NULL || out == NULL || number == NULL) {
        return null(site);
    }
    return sim_check(site, SIM_TENSOR, tensor, ACLNN_ERR_PARAM_INVALID);
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum) {
    SIM_ENTER;
    const int code = check(site, tensor, viewDims, viewDimsNum);
    return code != 0 ? code : hand_out(site, tensor->view.dims, tensor->view.rank, viewDims, viewDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum) {
    SIM_ENTER;
    const int code = check(site, tensor, stridesValue, stridesNum);
    return code != 0 ? code : hand_out(site, sim_view_strides(&tensor->view), tensor->view.rank, stridesValue, stridesNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum) {
    SIM_ENTER;
    const int code = check(site, tensor, storageDims, storageDimsNum);
    return code != 0 ? code : hand_out(site, sim_view_storage(&tensor->view), tensor->view.storage_rank, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset) {
    SIM_ENTER;
    const int code = check(site, tensor, offset, offset);
    if (code == 0) {
        *offset = tensor->view.offset;
    }
    return code;
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format) {
    SIM_ENTER;
    const int code = check(site, tensor, format, format);
    if (code == 0) {
        *format = tensor->view.format;
    }
    return code;
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) {
    SIM_ENTER;
    const int code = check(site, tensor, dataType, dataType);
    if (code == 0) {
        *dataType = tensor->view.dtype;
    }
    return code;
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr) {
    SIM_ENTER;
    const int code = check(site, tensor, tensor, tensor);
    if (code == 0) {
        tensor->view.data = addr;
    }
    return code;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr) {
    SIM_ENTER;
    const int code = check(site, tensor, addr, addr);
    if (code == 0) {
        *addr = tensor->view.data;
    }
    return code;
}
