/* Whether two outputs have an element in common. A view is a run of bytes that is repeated along its axes. The lowest element
 * that a run could share with the other view is found without a search where the axes of that view lie inside of each other,
 * as those of nearly every view do. Two views of which neither does, or with too many runs, count as disjoint. */
#include "judge.h"

enum { MOST_AXES = 64, MOST_RUNS = 1 << 16 };

typedef struct axis {
    int64_t size, step; /* the step in bytes, and positive */
} axis;

/* The bytes of a view, its axes from the widest step to the narrowest. */
typedef struct places {
    const unsigned char *memory;
    int64_t start, run; /* the first byte of the first element, and the bytes that stand together there */
    int64_t end;        /* behind the last byte */
    int count;
    axis axes[MOST_AXES];
    bool nested; /* no two elements have a byte in common */
} places;

static void sort(places *view) {
    for (int at = 1; at < view->count; at++) {
        const axis one = view->axes[at];
        int to = at;
        for (; to > 0 && view->axes[to - 1].step < one.step; to--) {
            view->axes[to] = view->axes[to - 1];
        }
        view->axes[to] = one;
    }
}

/* Join axes whose elements stand together to one run. */
static void join(places *view) {
    while (view->count > 0 && view->axes[view->count - 1].step == view->run) {
        view->run *= view->axes[--view->count].size;
    }
    int64_t inside = view->run;
    view->nested = true;
    for (int at = view->count; at-- > 0;) {
        view->nested = view->nested && view->axes[at].step >= inside;
        inside += view->axes[at].step * (view->axes[at].size - 1);
    }
}

/* The bytes of a slot; false where it has no elements, is not all inside of memory, or shares bytes between elements. */
static bool places_of(const sim_slot *slot, places *view) {
    const int64_t size = (int64_t)sim_type_size(slot->view.dtype);
    const bool narrow = slot->view.dtype == ACL_INT4 || slot->view.dtype == ACL_UINT1;
    int64_t low = 0, high = 0;
    if (slot->tensor == NULL || slot->span.bytes == NULL || size == 0 || narrow || slot->view.rank > MOST_AXES) {
        return false;
    }
    *view = (places){.memory = slot->span.bytes, .run = size};
    for (uint64_t at = 0; at < slot->view.rank; at++) {
        const int64_t length = slot->view.dims[at];
        int64_t step, way;
        if (length <= 0 || __builtin_mul_overflow(sim_view_strides(&slot->view)[at], size, &step) ||
            __builtin_mul_overflow(step, length - 1, &way) || way == INT64_MIN ||
            __builtin_add_overflow(*(way < 0 ? &low : &high), way, way < 0 ? &low : &high)) {
            return false;
        }
        if (way != 0) { /* an axis of one element, or of no step, stays where it is */
            view->axes[view->count++] = (axis){length, step < 0 ? -step : step};
        }
    }
    int64_t first;
    if (__builtin_mul_overflow(slot->view.offset, size, &first) || __builtin_add_overflow(first, (int64_t)slot->span.at, &first) ||
        __builtin_add_overflow(first, low, &view->start) || __builtin_add_overflow(first, high + size, &view->end) ||
        view->start < 0 || view->end > (int64_t)slot->span.size) {
        return false;
    }
    sort(view);
    join(view);
    return true;
}

/* Whether a nested view has a byte between two: its last run that begins before `to` is the one that reaches furthest. */
static bool has_byte(const places *view, int64_t from, int64_t to) {
    int64_t rest = to - 1 - view->start, start = view->start;
    if (rest < 0) {
        return false;
    }
    for (int at = 0; at < view->count; at++) {
        const int64_t steps = rest / view->axes[at].step, most = view->axes[at].size - 1;
        const int64_t way = (steps < most ? steps : most) * view->axes[at].step;
        rest -= way;
        start += way;
    }
    return start + view->run > from;
}

static bool meet(const places *runs, const places *nested) {
    int64_t indices[MOST_AXES] = {0}, start = runs->start, total = 1;
    for (int at = 0; at < runs->count; at++) {
        if (__builtin_mul_overflow(total, runs->axes[at].size, &total) || total > MOST_RUNS) {
            return false;
        }
    }
    for (;;) {
        if (has_byte(nested, start, start + runs->run)) {
            return true;
        }
        int at = runs->count;
        while (at-- > 0 && ++indices[at] == runs->axes[at].size) {
            start -= runs->axes[at].step * (runs->axes[at].size - 1);
            indices[at] = 0;
        }
        if (at < 0) {
            return false;
        }
        start += runs->axes[at].step;
    }
}

static bool overlap(const sim_slot *one, const sim_slot *other) {
    places mine, others;
    if (!places_of(one, &mine) || !places_of(other, &others) || mine.memory != others.memory || mine.start >= others.end ||
        others.start >= mine.end) {
        return false;
    }
    return (others.nested && meet(&mine, &others)) || (mine.nested && meet(&others, &mine));
}

bool sim_find_overlap(const aclOpExecutor *call, sim_overlap *found) {
    for (size_t one = 1; one < call->slot_count; one++) {
        for (size_t before = 0; call->slots[one].written && before < one; before++) {
            if (call->slots[before].written && overlap(&call->slots[one], &call->slots[before])) {
                *found = (sim_overlap){one, before};
                return true;
            }
        }
    }
    return false;
}
