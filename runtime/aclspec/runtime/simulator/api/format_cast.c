/* libopapi and its like: the shape that the storage of a tensor has in another format. */
#include <string.h>

#include "core/aclnn_status.h"
#include "core/objects.h"

enum { LEAST = 2, MOST = 6, BLOCK = 16, BYTES = 32, DIMS = MOST + 2, OF_FLOAT4 = 64 };

/* A cast that is asked for, and its result. */
typedef struct sim_cast {
    const sim_view *source;
    int target, dtype;
    bool newest; /* ascend_950 */
    int64_t dims[DIMS];
    uint64_t rank;
    int format;
} sim_cast;

static int64_t blocks(int64_t size, int64_t block) { return (size + block - 1) / block; }

static bool is_among(int value, const int *list, size_t count) {
    for (size_t at = 0; at < count; at++) {
        if (list[at] == value) {
            return true;
        }
    }
    return false;
}
#define AMONG(value, ...) is_among((value), (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static bool is_empty(const int64_t *dims, uint64_t rank) {
    for (uint64_t at = 0; at < rank; at++) {
        if (dims[at] == 0) {
            return true;
        }
    }
    return false;
}

static bool is_float4(int dtype) { return AMONG(dtype, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2); }

static bool is_nz(int format) {
    return AMONG(format, ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_FRACTAL_NZ_C0_2, ACL_FORMAT_FRACTAL_NZ_C0_4, ACL_FORMAT_FRACTAL_NZ_C0_16,
                 ACL_FORMAT_FRACTAL_NZ_C0_32);
}

/* ---- FRACTAL_NZ --------------------------------------------------------------------------------------------------- */

/* What ascend_950 takes besides: a matrix for a product of its own dtype, or of weights that are quantized. */
static int check_matrix(const sim_site *site, const sim_cast *cast) {
    const sim_view *view = cast->source;
    const int dtype = (int)view->dtype;
    if (dtype == ACL_UINT32 || is_empty(view->dims, view->rank)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The tensor %s on ascend_950.", dtype == ACL_UINT32 ? "has the dtype UINT32" : "is empty");
    }
    if (cast->dtype != dtype) {
        const bool fits = dtype == ACL_INT32   ? AMONG(cast->dtype, ACL_FLOAT16, ACL_BF16, ACL_INT8)
                          : dtype == ACL_FLOAT ? AMONG(cast->dtype, ACL_FLOAT16, ACL_BF16, ACL_FLOAT8_E4M3FN, ACL_HIFLOAT8, ACL_UINT8)
                                               : true;
        return fits && view->rank <= 3
                   ? 0
                   : sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The additionalDtype (%d) does not fit a tensor of the dtype %d and %lu axes.",
                              cast->dtype, dtype, (unsigned long)view->rank);
    }
    if (AMONG(dtype, ACL_FLOAT, ACL_FLOAT16, ACL_BF16)) {
        return view->dims[view->rank - 2] != 1 ? 0 : sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The tensor has one row.");
    }
    return dtype != ACL_INT32 ? 0 : sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The additionalDtype (%d) is that of the tensor.", dtype);
}

static int into_nz(const sim_site *site, sim_cast *cast, int64_t columns) {
    const sim_view *view = cast->source;
    const int code = cast->newest ? check_matrix(site, cast) : 0;
    if (code != 0) {
        return code;
    }
    cast->format = ACL_FORMAT_FRACTAL_NZ;
    if (cast->newest && cast->dtype != (int)view->dtype) {
        const bool narrow = AMONG(cast->dtype, ACL_FLOAT8_E4M3FN, ACL_INT8);
        columns = narrow ? BYTES : BLOCK;
        cast->format = narrow ? ACL_FORMAT_FRACTAL_NZ_C0_32 : ACL_FORMAT_FRACTAL_NZ_C0_16;
    } else if (is_float4(cast->dtype)) {
        columns = OF_FLOAT4;
    }
    const uint64_t outer = view->rank - 2;
    memcpy(cast->dims, view->dims, sizeof *view->dims * outer);
    cast->dims[outer] = blocks(view->dims[outer + 1], columns);
    cast->dims[outer + 1] = blocks(view->dims[outer], BLOCK);
    cast->dims[outer + 2] = BLOCK;
    cast->dims[outer + 3] = columns;
    cast->rank = outer + 4;
    return 0;
}

/* On ascend_950 the storage must be one of blocks as wide as the format says. */
static int check_blocks(const sim_site *site, const sim_view *view) {
    const int64_t *storage = sim_view_storage(view);
    const uint64_t rank = view->storage_rank;
    if (rank < LEAST + 2 || rank > MOST + 2 || is_empty(storage, rank)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The storage of the tensor has %lu axes; it must have %d to %d, none of them 0.",
                        (unsigned long)rank, LEAST + 2, MOST + 2);
    }
    const int64_t wanted = view->format == ACL_FORMAT_FRACTAL_NZ_C0_2    ? 2
                           : view->format == ACL_FORMAT_FRACTAL_NZ_C0_4  ? 4
                           : view->format == ACL_FORMAT_FRACTAL_NZ_C0_16 ? 16
                           : view->format == ACL_FORMAT_FRACTAL_NZ_C0_32 ? 32
                           : view->dtype == ACL_FLOAT4_E2M1              ? OF_FLOAT4
                                                                         : BYTES / (int64_t)sim_type_size(view->dtype);
    return storage[rank - 1] == wanted ? 0
                                       : sim_fail(site, ACLNN_ERR_PARAM_INVALID, "A block has %ld columns; it must have %ld.",
                                                  (long)storage[rank - 1], (long)wanted);
}

/* ---- all casts ---------------------------------------------------------------------------------------------------- */

/* Between which formats, and the places of N, C, D, H and W among the axes of the first; -1: it has none. */
typedef struct sim_pair {
    int plain, hidden, n, c, d, h, w;
} sim_pair;
static const sim_pair PAIRS[] = {
    {ACL_FORMAT_NCDHW, ACL_FORMAT_NDC1HWC0, 0, 1, 2, 3, 4}, {ACL_FORMAT_NDHWC, ACL_FORMAT_NDC1HWC0, 0, 4, 1, 2, 3},
    {ACL_FORMAT_NCDHW, ACL_FRACTAL_Z_3D, 0, 1, 2, 3, 4},    {ACL_FORMAT_NCHW, ACL_FORMAT_NC1HWC0, 0, 1, -1, 2, 3},
    {ACL_FORMAT_NHWC, ACL_FORMAT_NC1HWC0, 0, 3, -1, 1, 2},  {ACL_FORMAT_NCHW, ACL_FORMAT_FRACTAL_Z, 0, 1, -1, 2, 3},
    {ACL_FORMAT_HWCN, ACL_FORMAT_FRACTAL_Z, 3, 2, -1, 0, 1},
};

static const sim_pair *pair_of(int from, int to) {
    for (size_t at = 0; at < sizeof PAIRS / sizeof *PAIRS; at++) {
        const sim_pair *pair = &PAIRS[at];
        if ((pair->plain == from && pair->hidden == to) || (pair->plain == to && pair->hidden == from)) {
            return pair;
        }
    }
    return NULL;
}

static void as_it_is(sim_cast *cast) {
    cast->rank = cast->source->rank;
    memcpy(cast->dims, cast->source->dims, sizeof *cast->dims * cast->rank);
    cast->format = cast->target;
}

static void by_pair(sim_cast *cast, const sim_pair *pair, int64_t columns) {
    if (cast->target == pair->plain) {
        as_it_is(cast);
        return;
    }
    const int64_t *dims = cast->source->dims;
    const int64_t n = dims[pair->n], c = blocks(dims[pair->c], columns), h = dims[pair->h], w = dims[pair->w];
    const int64_t d = pair->d < 0 ? 1 : dims[pair->d];
    int64_t *next = cast->dims;
    if (AMONG(pair->hidden, ACL_FORMAT_FRACTAL_Z, ACL_FRACTAL_Z_3D)) {
        *next++ = d * c * h * w;
        *next++ = blocks(n, BLOCK);
        *next++ = BLOCK;
    } else {
        *next++ = n;
        if (pair->d >= 0) {
            *next++ = d;
        }
        *next++ = c;
        *next++ = h;
        *next++ = w;
    }
    *next++ = columns;
    cast->rank = (uint64_t)(next - cast->dims);
    cast->format = pair->hidden;
}

static int compute(const sim_site *site, sim_cast *cast) {
    const sim_view *view = cast->source;
    const int from = (int)view->format;
    const size_t size = sim_type_size((aclDataType)cast->dtype);
    const int64_t columns = size > 0 && size <= 4 ? BYTES / (int64_t)size : 0;
    if (columns == 0 && !is_float4(cast->dtype)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The additionalDtype (%d) is none of a private format.", cast->dtype);
    }
    if (!cast->newest && is_empty(view->dims, view->rank)) {
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "The tensor is empty.");
    }
    const bool same = cast->dtype == (int)view->dtype && AMONG(from, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW);
    if (cast->target == ACL_FORMAT_FRACTAL_NZ && (AMONG(from, ACL_FORMAT_ND, ACL_FORMAT_NCL) || same)) {
        return into_nz(site, cast, columns);
    }
    if (cast->target == ACL_FORMAT_ND && is_nz(from)) {
        if (!cast->newest && from != ACL_FORMAT_FRACTAL_NZ) {
            return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The format (%d) is one of ascend_950.", from);
        }
        as_it_is(cast);
        return cast->newest ? check_blocks(site, view) : 0;
    }
    const sim_pair *pair = pair_of(from, cast->target);
    if (pair == NULL || view->rank != (pair->d < 0 ? 4 : 5)) {
        return sim_fail(site, ACLNN_ERR_RUNTIME_ERROR, "There is no cast of a tensor with %lu axes from the format %d to the format %d.",
                        (unsigned long)view->rank, from, cast->target);
    }
    by_pair(cast, pair, columns);
    return 0;
}

static int check(const sim_site *site, const aclTensor *tensor, const void *dims, const void *rank, const void *format) {
    const sim_soc *soc = sim_current_soc(site);
    if (tensor == NULL || dims == NULL || rank == NULL || format == NULL) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "A pointer of the call is null.");
    }
    const int code = sim_check(site, SIM_TENSOR, tensor, ACLNN_ERR_PARAM_INVALID);
    if (code != 0) {
        return code;
    }
    if (soc == NULL || (strcmp(soc->product, "atlas_a2") != 0 && strcmp(soc->product, "atlas_a3") != 0 &&
                        strcmp(soc->product, "ascend_950") != 0)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The function is not one of %s.", sim_soc_name(site));
    }
    const sim_view *view = &tensor->view;
    if (!AMONG((int)view->dtype, ACL_INT8, ACL_UINT8, ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_UINT32, ACL_FLOAT8_E4M3FN,
               ACL_FLOAT4_E2M1, ACL_HIFLOAT8, ACL_FLOAT4_E1M2)) {
        return sim_fail(site, ACLNN_ERR_PARAM_INVALID, "A tensor of the dtype %d has no private format.", (int)view->dtype);
    }
    return view->rank >= LEAST && view->rank <= MOST
               ? 0
               : sim_fail(site, ACLNN_ERR_PARAM_INVALID, "The rank of the tensor (%lu) is not from %d to %d.", (unsigned long)view->rank,
                          LEAST, MOST);
}

/* As the library answers, which has 161002 for null pointers too. */
SIM_API aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(const aclTensor *srcTensor, const int dstFormat, const int additionalDtype,
                                                             int64_t **dstShape, uint64_t *dstShapeSize, int *actualFormat) {
    SIM_ENTER;
    int code = check(site, srcTensor, dstShape, dstShapeSize, actualFormat);
    if (code != 0) {
        return code;
    }
    sim_cast cast = {.source = &srcTensor->view, .target = dstFormat};
    cast.dtype = additionalDtype == -1 ? (int)srcTensor->view.dtype : additionalDtype;
    cast.newest = strcmp(sim_current_soc(site)->product, "ascend_950") == 0;
    code = compute(site, &cast);
    if (code != 0) {
        return code;
    }
    int64_t *dims = sim_array_of(cast.dims, cast.rank);
    if (dims == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER, "There is no memory for %lu numbers.", (unsigned long)cast.rank);
    }
    *dstShape = dims;
    *dstShapeSize = cast.rank;
    *actualFormat = cast.format;
    return 0;
}
