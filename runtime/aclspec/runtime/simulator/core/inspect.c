/* Strict mode looks at the tensors of a call that is launched. */
#include "internal.h"
#include "phases.h"

enum { ALIGNMENT = 32 };

/* The lowest and the highest element that a view reaches, the highest of all where no number tells it; false for a view
 * without elements. */
static bool reach(const sim_view *view, int64_t *low, int64_t *high) {
    *low = *high = view->offset;
    bool told = true;
    for (uint64_t axis = 0; axis < view->rank; axis++) {
        if (view->dims[axis] <= 0) {
            return false;
        }
        int64_t way;
        told = told && !__builtin_mul_overflow(view->dims[axis] - 1, sim_view_strides(view)[axis], &way) &&
               !__builtin_add_overflow(*(way < 0 ? low : high), way, way < 0 ? low : high);
    }
    *high = told ? *high : INT64_MAX;
    return true;
}

static int64_t elements(const sim_view *view) {
    int64_t product = 1;
    for (uint64_t axis = 0; axis < view->storage_rank; axis++) {
        if (__builtin_mul_overflow(product, sim_view_storage(view)[axis], &product)) {
            return INT64_MAX;
        }
    }
    return product;
}

static void inspect_slot(const sim_site *site, const sim_param *param, const sim_slot *slot) {
    const sim_view *view = &slot->view;
    int64_t low, high;
    sim_lock();
    const sim_handle *found = sim_find(slot->tensor);
    const bool gone = found == NULL || !found->live || found->serial != slot->serial;
    sim_unlock();
    if (gone) {
        sim_report(site, slot->serial, "The aclTensor (%p) of %s%s is destroyed between the two phases.",
                   (const void *)slot->tensor, param->name, sim_origin(&slot->origin));
    }
    if (!reach(view, &low, &high)) {
        return;
    }
    if (low < 0 || high >= elements(view)) {
        sim_report(site, slot->serial,
                   "The strides of the aclTensor (%p) of %s%s reach from element %ld to %ld, outside of its storage of %ld elements.",
                   (const void *)slot->tensor, param->name, sim_origin(&slot->origin), (long)low, (long)high,
                   (long)elements(view));
    }
    if ((uintptr_t)view->data % ALIGNMENT != 0) {
        sim_report(site, slot->serial, "The address (%p) of the aclTensor (%p) of %s%s is not a multiple of %d.", view->data,
                   (const void *)slot->tensor, param->name, sim_origin(&slot->origin), ALIGNMENT);
    }
    if (slot->block != NULL && !slot->block->live) {
        sim_report(site, slot->block->serial, "The device memory (%p) of %s%s is freed before the call is launched.", view->data,
                   param->name, sim_origin(&slot->block->origin));
    }
}

void sim_inspect(const sim_site *site, const aclOpExecutor *executor) {
    for (size_t at = 0; at < executor->op->count && sim_strict(); at++) {
        for (size_t slot = executor->first[at]; slot < executor->first[at + 1]; slot++) {
            if (executor->slots[slot].tensor != NULL) {
                inspect_slot(site, &executor->op->params[at], &executor->slots[slot]);
            }
        }
    }
}
