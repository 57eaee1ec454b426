/* How calls are written: for a reader of a report, and as JSON. */
#include "layer.h"

enum {
    SHOWN = 32,                  /* elements of an array or a list in a report */
    FULL = LAYER_MOST_BYTES / 2, /* bytes of a line, after which arguments are cut */
};

static void add_numbers(layer_text *text, const int64_t *numbers, uint64_t count) {
    layer_put(text, "[");
    for (uint64_t at = 0; at < count; at++) {
        layer_put(text, at > 0 ? ", " : "");
        layer_put_integer(text, numbers[at]);
    }
    layer_put(text, "]");
}

/* A name, or the number where it is none. */
static void add_enum(layer_text *text, const char *name, int32_t number, bool json) {
    if (name == NULL) {
        layer_put_integer(text, number);
        return;
    }
    layer_put(text, json ? "\"" : "");
    layer_put(text, name);
    layer_put(text, json ? "\"" : "");
}

static bool is_contiguous(const aclspec_tensor *tensor) {
    uint64_t step = 1;
    for (uint64_t axis = tensor->rank; axis-- > 0;) {
        if (tensor->strides[axis] != (int64_t)step && tensor->shape[axis] > 1) {
            return false;
        }
        step *= tensor->shape[axis] > 0 ? (uint64_t)tensor->shape[axis] : 1;
    }
    return tensor->offset == 0;
}

static bool is_stored_as_seen(const aclspec_tensor *tensor) {
    return tensor->rank == tensor->storage_rank &&
           memcmp(tensor->shape, tensor->storage_shape, sizeof *tensor->shape * (size_t)tensor->rank) == 0;
}

/* Strides, offset and storage stand only where they are not those of a contiguous tensor. */
static void add_tensor(layer_text *text, const aclspec_tensor *tensor, bool json) {
    layer_put(text, json ? "\"dtype\": " : "");
    add_enum(text, layer_dtype(tensor->dtype), tensor->dtype, json);
    layer_put(text, json ? ", \"shape\": " : "");
    add_numbers(text, tensor->shape, tensor->rank);
    layer_put(text, json ? ", \"format\": " : ":");
    add_enum(text, layer_format(tensor->format), tensor->format, json);
    if (!is_contiguous(tensor)) {
        layer_put(text, json ? ", \"strides\": " : ":strides=");
        add_numbers(text, tensor->strides, tensor->rank);
        layer_put(text, json ? ", \"offset\": " : ":offset=");
        layer_put_integer(text, tensor->offset);
    }
    if (!is_stored_as_seen(tensor)) {
        layer_put(text, json ? ", \"storage_shape\": " : ":storage=");
        add_numbers(text, tensor->storage_shape, tensor->storage_rank);
    }
}

/* The shortest decimal that is this number; JSON has no NaN and no infinity, which are strings there. */
static void add_real(layer_text *text, double value, bool json) {
    const bool finite = value - value == 0;
    layer_add(text, json && !finite ? "\"%.17g\"" : "%.17g", value);
}

static void add_scalar(layer_text *text, const aclspec_scalar *scalar, bool json) {
    const bool integer = (scalar->dtype >= 2 && scalar->dtype <= 10) || scalar->dtype == 12;
    layer_put(text, json ? "\"dtype\": " : "");
    add_enum(text, layer_dtype(scalar->dtype), scalar->dtype, json);
    layer_put(text, json ? ", \"value\": " : "(");
    if (!scalar->known) {
        layer_put(text, json ? "null" : "?");
    } else if (integer && scalar->dtype == 10) {
        layer_add(text, "%llu", (unsigned long long)scalar->integer);
    } else if (integer) {
        layer_put_integer(text, scalar->integer);
    } else {
        add_real(text, scalar->real, json);
    }
    if (scalar->known && scalar->imaginary != 0) {
        layer_put(text, json ? ", \"imaginary\": " : " + i*");
        add_real(text, scalar->imaginary, json);
    }
    layer_put(text, json ? "" : ")");
}

/* A tensor or a scalar, in JSON an object. */
static void add_object(layer_text *text, const layer_object *object, bool json) {
    layer_put(text, json ? "{" : "");
    if (object->kind == LAYER_TENSOR) {
        add_tensor(text, &object->is.tensor, json);
    } else {
        add_scalar(text, &object->is.scalar, json);
    }
    layer_put(text, json ? "}" : "");
}

/* How many elements or axes an object has, 0 where its length does not matter. */
static uint64_t extent_of(const layer_object *object) {
    if (object == NULL || object->destroyed || object->kind == LAYER_SCALAR) {
        return 0;
    }
    if (object->kind != LAYER_TENSOR) {
        return object->is.ints.length;
    }
    const aclspec_tensor *tensor = &object->is.tensor;
    return tensor->rank > tensor->storage_rank ? tensor->rank : tensor->storage_rank;
}

/* In the place of what is longer than recordings hold: how long it is. */
static void add_cut(layer_text *text, uint64_t extent) { layer_add(text, "{\"cut\": %llu}", (unsigned long long)extent); }

/* The elements of an array or a list; only its length where they were not seen. */
static void add_items(layer_text *text, const layer_object *object, bool json) {
    const uint64_t length = object->is.ints.length, most = json ? UINT64_MAX : SHOWN;
    if (!object->is.ints.known) {
        layer_add(text, json ? "{\"length\": %llu}" : "[%llu ?]", (unsigned long long)length);
        return;
    }
    layer_put(text, "[");
    for (uint64_t at = 0; at < length && at < most && !(json && text->length > FULL); at++) {
        layer_put(text, at > 0 ? ", " : "");
        if (object->kind == LAYER_INTS) {
            layer_put_integer(text, object->is.ints.items[at]);
        } else if (object->kind == LAYER_FLOATS) {
            add_real(text, (double)object->is.floats.items[at], json);
        } else if (object->kind == LAYER_BOOLS) {
            layer_put(text, object->is.bools.items[at] ? "true" : "false");
        } else {
            const layer_object *member = layer_member(object, at, layer_kind_in(object));
            if (member == NULL) {
                layer_put(text, "null");
            } else if (json && extent_of(member) > LAYER_MOST_MEMBERS) {
                add_cut(text, extent_of(member));
            } else {
                add_object(text, member, json);
            }
        }
    }
    if (length > most) {
        layer_add(text, ", and %llu more", (unsigned long long)(length - most));
    }
    layer_put(text, "]");
}

static void add_handle(layer_text *text, const void *handle, const layer_object *object, bool json) {
    if (handle == NULL) {
        layer_put(text, "null");
    } else if (object == NULL || object->destroyed) {
        layer_put(text, !json ? "?" : object != NULL ? "{\"destroyed\": true}" : "{\"unknown\": true}");
    } else if (object->kind == LAYER_TENSOR || object->kind == LAYER_SCALAR) {
        add_object(text, object, json);
    } else {
        add_items(text, object, json);
    }
}

static void add_argument(layer_text *text, const layer_decoded *decoded, int at, bool json) {
    const aclspec_argument *argument = &decoded->arguments[at];
    switch (layer_param_kinds[decoded->op - aclspec_operators][at]) {
    case LAYER_P_TEXT:
        if (argument->text == NULL) {
            layer_put(text, "null");
        } else if (json && strlen(argument->text) > LAYER_LONGEST) {
            add_cut(text, strlen(argument->text));
        } else {
            layer_add_json(text, argument->text);
        }
        break;
    case LAYER_P_INTEGER: layer_put_integer(text, argument->integer); break;
    case LAYER_P_NATURAL: layer_add(text, "%llu", (unsigned long long)argument->integer); break;
    case LAYER_P_DTYPE: add_enum(text, layer_dtype((int32_t)argument->integer), (int32_t)argument->integer, json); break;
    case LAYER_P_REAL: add_real(text, argument->real, json); break;
    case LAYER_P_BOOL: layer_put(text, argument->boolean ? "true" : "false"); break;
    default: add_handle(text, decoded->values[at].pointer, decoded->held[at], json);
    }
}

/* The argument as JSON, or that it is cut, alone or since the line is full. */
static void add_recorded(layer_text *text, const layer_decoded *decoded, int at) {
    const size_t before = text->length;
    const uint64_t extent = extent_of(decoded->held[at]);
    if (extent <= LAYER_MOST_MEMBERS) {
        add_argument(text, decoded, at, true);
    }
    if (extent > LAYER_MOST_MEMBERS || (extent > 0 && text->length > FULL)) {
        text->length = before;
        add_cut(text, extent);
    }
}

void layer_add_call(layer_text *text, const layer_decoded *decoded) {
    for (int at = 0; at < decoded->op->param_count; at++) {
        layer_put(text, at > 0 ? ", " : "");
        layer_put(text, decoded->op->params[at].name);
        layer_put(text, "=");
        add_argument(text, decoded, at, false);
    }
}

void layer_add_call_json(layer_text *text, const layer_decoded *decoded) {
    layer_put(text, "{");
    for (int at = 0; at < decoded->op->param_count; at++) {
        layer_put(text, at > 0 ? ", \"" : "\"");
        layer_put(text, decoded->op->params[at].name);
        layer_put(text, "\": ");
        add_recorded(text, decoded, at);
    }
    layer_put(text, "}");
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    while (count-- > 0) {
        hash = (hash ^ *at++) * 0x100000001B3u;
    }
    return hash;
}

static uint64_t mix_tensor(uint64_t hash, const aclspec_tensor *tensor) {
    hash = mix(hash, &tensor->dtype, sizeof tensor->dtype);
    hash = mix(hash, &tensor->format, sizeof tensor->format);
    return mix(mix(hash, &tensor->rank, sizeof tensor->rank), tensor->shape, sizeof *tensor->shape * (size_t)tensor->rank);
}

uint64_t layer_digest(const layer_decoded *decoded) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (int at = 0; at < decoded->op->param_count; at++) {
        const layer_object *object = decoded->held[at];
        const bool null = object == NULL;
        hash = mix(hash, &null, sizeof null);
        if (object != NULL && !object->destroyed && object->kind == LAYER_TENSOR) {
            hash = mix_tensor(hash, &object->is.tensor);
        } else if (object != NULL && object->kind == LAYER_TENSORS) {
            for (uint64_t member = 0; member < object->member_count; member++) {
                const layer_object *tensor = layer_member(object, member, LAYER_TENSOR);
                hash = tensor != NULL ? mix_tensor(hash, &tensor->is.tensor) : hash + 1;
            }
        }
    }
    return hash;
}
