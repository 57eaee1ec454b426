/* The objects behind the handles of the operator interface. */
#ifndef ACLSPEC_OBJECTS_H
#define ACLSPEC_OBJECTS_H

#include "sim.h"
#include "wire.h"

/* A view: dims, strides and the dims of its storage, one after the other in `dims`. */
typedef struct sim_view {
    uint64_t rank;
    uint64_t storage_rank;
    int64_t *dims;
    int64_t offset;
    aclDataType dtype;
    aclFormat format;
    void *data;
} sim_view;

static inline const int64_t *sim_view_strides(const sim_view *view) { return view->dims + view->rank; }
static inline const int64_t *sim_view_storage(const sim_view *view) { return view->dims + 2 * view->rank; }

struct aclTensor {
    sim_handle head;
    sim_view view;
};

struct aclScalar {
    sim_handle head;
    aclDataType dtype;
    size_t size;
    unsigned char value[16];
};

/* An array of `size` elements: of int64_t, float, bool, or handles. */
typedef struct sim_array {
    sim_handle head;
    uint64_t size;
    void *values;
} sim_array;

struct aclIntArray { sim_array array; };
struct aclFloatArray { sim_array array; };
struct aclBoolArray { sim_array array; };
struct aclTensorList { sim_array array; };
struct aclScalarList { sim_array array; };

struct aclDataBuffer {
    sim_handle head;
    void *data;
    size_t size;
};

/* The dims and the format of a tensor, those of its storage where they differ, and a constant that it holds. */
struct aclTensorDesc {
    sim_handle head;
    aclDataType dtype;
    aclFormat format, storage_format;
    aclMemType place;
    size_t rank, storage_rank;
    int64_t *dims, *storage_dims;
    char *name;
    void *constant;
};

struct aclopAttr {
    sim_handle head;
};

/* ---- operators ---------------------------------------------------------------------------------------------------- */

typedef enum sim_direction { SIM_IN = 1, SIM_OUT = 2, SIM_INOUT = 3 } sim_direction;

typedef struct sim_param {
    const char *name;
    sim_type type;
    sim_direction direction;
} sim_param;

typedef struct sim_operator {
    const char *name;
    const sim_param *params;
    size_t count;
} sim_operator;

/* The value of a parameter: a pointer, an integer (bool and dtype among them), or a number. */
typedef union sim_value {
    const void *pointer;
    int64_t integer;
    uint64_t natural;
    double number;
} sim_value;

/* A tensor of a call: what it was when phase one saw it, and where its memory is now. */
typedef struct sim_slot {
    const aclTensor *tensor; /* NULL: a null tensor */
    uint64_t serial;
    sim_site origin; /* who created the tensor */
    sim_view view;
    sim_block *block; /* pinned while a phase works on it */
    sim_span span;    /* the memory at its address; `bytes` NULL: none */
    bool written;     /* an output that is not switched off */
} sim_slot;

/* A call between its phases. The slots are those of all tensors in parameter order, a list's one after the other. */
struct aclOpExecutor {
    sim_handle head;
    const sim_operator *op;
    uint64_t workspace;
    const char *effect; /* what a shortcut does to the outputs: "unwritten", "zeros"; NULL: they are computed */
    sim_value *values;  /* kept from phase one, in one piece; the pointer of a tensor only says whether it is null */
    const char *product;
    sim_slot *slots;
    size_t slot_count;
    size_t *first; /* the first slot of each parameter, and one more for the end */
    bool repeatable;
};

SIM_API int sim_phase_one(const sim_site *site, const sim_operator *op, const sim_value *values, uint64_t *workspace,
                          aclOpExecutor **executor);
SIM_API int sim_phase_two(const sim_site *site, const sim_operator *op, void *workspace, uint64_t size,
                          aclOpExecutor *executor, void *stream);
/* Which tensor of a call an address setter means. */
typedef enum sim_group { SIM_INPUTS, SIM_OUTPUTS, SIM_ALL } sim_group;
SIM_API int sim_set_address(const sim_site *site, aclOpExecutor *executor, sim_group group, size_t index,
                            aclTensor *tensor, void *address);
SIM_API int sim_set_list_address(const sim_site *site, aclOpExecutor *executor, sim_group group, size_t index,
                                 size_t relative, aclTensorList *list, void *address);
SIM_API int sim_set_repeatable(const sim_site *site, aclOpExecutor *executor);
SIM_API int sim_destroy_executor(const sim_site *site, aclOpExecutor *executor);

#endif
