/* The message about a call, as `wire.py` describes it. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "memory.h"

/* Room for more words, which are zero; NULL where there is no memory. */
static void *take(sim_words *to, size_t count) {
    if (to->room - to->count < count) {
        const size_t room = 2 * (to->count + count) + 256;
        int64_t *longer = to->failed ? NULL : realloc(to->at, sizeof *longer * room);
        if (longer == NULL) {
            to->failed = true;
            return NULL;
        }
        to->at = longer;
        to->room = room;
    }
    to->count += count;
    return memset(to->at + to->count - count, 0, sizeof *to->at * count);
}

static void put(sim_words *to, int64_t word) {
    int64_t *place = take(to, 1);
    if (place != NULL) {
        *place = word;
    }
}

static void put_bytes(sim_words *to, const void *bytes, size_t size) {
    void *place = size > 0 ? take(to, (size + sizeof(int64_t) - 1) / sizeof(int64_t)) : NULL;
    if (place != NULL) {
        memcpy(place, bytes, size);
    }
}

static void put_number(sim_words *to, double number) { put_bytes(to, &number, sizeof number); }

static void put_text(sim_words *to, const char *text) {
    const size_t length = strlen(text);
    put(to, (int64_t)length);
    put_bytes(to, text, length);
}

#define PUT(to, type, ...) put_bytes(to, &(const type){__VA_ARGS__}, sizeof(type))

/* ---- values -------------------------------------------------------------------------------------------------------- */

static void put_view(sim_words *to, const sim_view *view) {
    PUT(to, sim_wire_view, view->dtype, view->format, view->offset, (int64_t)view->rank, (int64_t)view->storage_rank);
    put_bytes(to, view->dims, sizeof *view->dims * (2 * view->rank + view->storage_rank));
}

static void put_tensors(sim_words *to, const sim_slot *slots, size_t count) {
    put(to, (int64_t)count);
    for (size_t at = 0; at < count; at++) {
        put(to, slots[at].tensor != NULL);
        if (slots[at].tensor != NULL) {
            put_view(to, &slots[at].view);
        }
    }
}

static void put_scalar(sim_words *to, const aclScalar *scalar) {
    sim_wire_scalar_bytes made = {scalar->dtype, (int64_t)scalar->size, 0, 0};
    memcpy(&made.first, scalar->value, sizeof scalar->value);
    put_bytes(to, &made, sizeof made);
}

static void put_scalars(sim_words *to, const sim_array *array) {
    put(to, (int64_t)array->size);
    for (uint64_t at = 0; at < array->size; at++) {
        const aclScalar *one = ((aclScalar **)array->values)[at];
        put(to, one != NULL);
        if (one != NULL) {
            put_scalar(to, one);
        }
    }
}

static void put_array(sim_words *to, sim_type type, const sim_array *array) {
    put(to, (int64_t)array->size);
    for (uint64_t at = 0; at < array->size; at++) {
        if (type == SIM_T_FLOAT_ARRAY) {
            put_number(to, ((float *)array->values)[at]);
        } else {
            put(to, type == SIM_T_INT_ARRAY ? ((int64_t *)array->values)[at] : ((bool *)array->values)[at]);
        }
    }
}

static bool is_given(const aclOpExecutor *call, size_t at) {
    const sim_type type = call->op->params[at].type;
    if (type == SIM_T_TENSOR) {
        return call->slots[call->first[at]].tensor != NULL;
    }
    return (type > SIM_T_BOOL_ARRAY && type != SIM_T_STRING) || call->values[at].pointer != NULL;
}

static void put_value(sim_words *to, const aclOpExecutor *call, size_t at) {
    const sim_type type = call->op->params[at].type;
    const sim_value value = call->values[at];
    const sim_slot *slots = call->slots + call->first[at];
    put(to, type);
    put(to, is_given(call, at));
    if (!is_given(call, at)) {
        return;
    }
    switch (type) {
    case SIM_T_TENSOR: put_view(to, &slots->view); break;
    case SIM_T_TENSOR_LIST: put_tensors(to, slots, call->first[at + 1] - call->first[at]); break;
    case SIM_T_SCALAR: put_scalar(to, value.pointer); break;
    case SIM_T_SCALAR_LIST: put_scalars(to, value.pointer); break;
    case SIM_T_STRING: put_text(to, value.pointer); break;
    case SIM_T_FLOAT: put_number(to, value.number); break;
    case SIM_T_BOOL:
    case SIM_T_INT:
    case SIM_T_UINT64:
    case SIM_T_DTYPE: put(to, value.integer); break;
    default: put_array(to, type, value.pointer);
    }
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* With the lock held: the parts that are mapped between two bytes of reserved addresses; those that follow each other in the
 * file, too, are one. */
static int64_t put_pieces(sim_words *to, const sim_block *block, size_t from, size_t end) {
    int64_t count = 0;
    size_t next = SIZE_MAX;
    for (size_t at = sim_piece_at(block, from); at < block->piece_count && block->pieces[at].from < end; at++) {
        const sim_physical *physical = block->pieces[at].physical;
        if (physical->start == next) {
            to->at[to->count - 1] += (int64_t)physical->size;
        } else {
            PUT(to, sim_wire_part, (int64_t)physical->start, (int64_t)physical->size);
            count++;
        }
        next = to->failed ? SIZE_MAX : physical->start + physical->size;
    }
    return count;
}

static void put_memory(sim_words *to, const sim_slot *slot) {
    const size_t place = to->count, words = sizeof(sim_wire_memory) / sizeof(int64_t);
    const sim_block *block = slot->block;
    sim_wire_memory made = {0};
    take(to, words);
    if (slot->tensor == NULL) {
        return;
    }
    sim_lock();
    size_t from = 0, end = block != NULL ? block->size : 0;
    const size_t at = block != NULL ? (uintptr_t)slot->view.data - block->base : 0;
    if (slot->view.data == NULL) {
        made.why = SIM_WHY_NO_ADDRESS;
    } else if (block == NULL || !block->device) {
        made.why = SIM_WHY_NOT_OF_DEVICE;
    } else if (!block->live) {
        made.why = SIM_WHY_FREED;
    } else if (block->pieces == NULL) {
        PUT(to, sim_wire_part, (int64_t)block->start, (int64_t)block->size);
        made.parts = 1;
    } else if (sim_mapped_around(block, at, &from, &end)) {
        made.parts = put_pieces(to, block, from, end);
    } else {
        made.why = SIM_WHY_NOT_MAPPED;
    }
    sim_unlock();
    made.at = (int64_t)(at - from);
    made.size = (int64_t)(end - from);
    if (!to->failed) {
        memcpy(to->at + place, &made, sizeof made);
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

static int64_t place_of(const char *const *names, size_t count, const char *name) {
    for (size_t at = 0; name != NULL && at < count; at++) {
        if (names[at] != NULL && strcmp(names[at], name) == 0) {
            return (int64_t)at;
        }
    }
    return 0; /* none */
}

void sim_write(sim_words *to, const aclOpExecutor *call, sim_wire_kind kind, bool document) {
    static const char *const effects[] = SIM_WIRE_EFFECTS, *const settings[] = SIM_WIRE_SETTINGS;
    sim_wire_head head = {.version = SIM_WIRE_VERSION, .kind = kind};
    take(to, sizeof head / sizeof(int64_t));
    put_text(to, call->op->name);
    put_text(to, call->product);
    for (size_t at = 0; at < sizeof settings / sizeof *settings; at++) {
        const char *value = getenv(settings[at]);
        put_text(to, value != NULL ? value : "");
    }
    put(to, document);
    put(to, place_of(effects, sizeof effects / sizeof *effects, call->effect));
    put(to, (int64_t)call->op->count);
    for (size_t at = 0; at < call->op->count; at++) {
        put_value(to, call, at);
    }
    head.described = (int64_t)(sizeof *to->at * to->count - sizeof head);
    for (size_t at = 0; at < call->slot_count; at++) {
        put_memory(to, &call->slots[at]);
    }
    head.length = (int64_t)(sizeof *to->at * to->count);
    if (!to->failed) {
        memcpy(to->at, &head, sizeof head);
    }
}
