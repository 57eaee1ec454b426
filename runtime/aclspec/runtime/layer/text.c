/* Texts that grow, and how calls are written in them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

enum { SHOWN = 32 }; /* elements of an array or a list in a report */

void layer_add(layer_text *text, const char *format, ...) {
    for (int attempt = 0; attempt < 2 && !text->failed; attempt++) {
        va_list arguments;
        va_start(arguments, format);
        const int wanted = vsnprintf(text->at != NULL ? text->at + text->length : NULL, text->room - text->length, format, arguments);
        va_end(arguments);
        if (wanted >= 0 && (size_t)wanted < text->room - text->length) {
            text->length += (size_t)wanted;
            return;
        }
        const size_t room = 2 * (text->length + (wanted > 0 ? (size_t)wanted : 0)) + 512;
        char *grown = wanted >= 0 ? realloc(text->at, room) : NULL;
        text->failed = grown == NULL;
        if (grown != NULL) {
            text->at = grown;
            text->room = room;
        }
    }
}

void layer_add_json(layer_text *text, const char *value) {
    layer_add(text, "\"");
    for (; *value != '\0'; value++) {
        const unsigned char character = (unsigned char)*value;
        if (character == '"' || character == '\\') {
            layer_add(text, "\\%c", character);
        } else if (character < 0x20 || character == 0x7F) {
            layer_add(text, "\\u%04x", character);
        } else {
            layer_add(text, "%c", character);
        }
    }
    layer_add(text, "\"");
}

void layer_free(layer_text *text) {
    free(text->at);
    *text = (layer_text){0};
}

static const char *name_of(const layer_name *names, int32_t number) {
    for (; names->name != NULL; names++) {
        if (names->number == number) {
            return names->name;
        }
    }
    return NULL;
}

const char *layer_dtype(int32_t number) { return name_of(layer_dtype_names, number); }
const char *layer_format(int32_t number) { return name_of(layer_format_names, number); }
const char *layer_status(int32_t number) { return name_of(layer_status_names, number); }

static void add_numbers(layer_text *text, const int64_t *numbers, uint64_t count, uint64_t most) {
    layer_add(text, "[");
    for (uint64_t at = 0; at < count && at < most; at++) {
        layer_add(text, "%s%lld", at > 0 ? ", " : "", (long long)numbers[at]);
    }
    layer_add(text, count > most ? ", ...]" : "]");
}

/* A name, or the number where it is none. */
static void add_enum(layer_text *text, const char *name, int32_t number, bool json) {
    if (name == NULL) {
        layer_add(text, "%d", (int)number);
    } else {
        layer_add(text, json ? "\"%s\"" : "%s", name);
    }
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

static void add_tensor(layer_text *text, const aclspec_tensor *tensor, bool json) {
    if (json) {
        layer_add(text, "\"dtype\": ");
        add_enum(text, layer_dtype(tensor->dtype), tensor->dtype, true);
        layer_add(text, ", \"format\": ");
        add_enum(text, layer_format(tensor->format), tensor->format, true);
        layer_add(text, ", \"shape\": ");
        add_numbers(text, tensor->shape, tensor->rank, UINT64_MAX);
        layer_add(text, ", \"strides\": ");
        add_numbers(text, tensor->strides, tensor->rank, UINT64_MAX);
        layer_add(text, ", \"offset\": %lld, \"storage_shape\": ", (long long)tensor->offset);
        add_numbers(text, tensor->storage_shape, tensor->storage_rank, UINT64_MAX);
        return;
    }
    add_enum(text, layer_dtype(tensor->dtype), tensor->dtype, false);
    add_numbers(text, tensor->shape, tensor->rank, UINT64_MAX);
    layer_add(text, ":");
    add_enum(text, layer_format(tensor->format), tensor->format, false);
    if (!is_contiguous(tensor)) {
        layer_add(text, ":strides=");
        add_numbers(text, tensor->strides, tensor->rank, UINT64_MAX);
        layer_add(text, ":offset=%lld", (long long)tensor->offset);
    }
}

/* The shortest decimal that is this number; JSON has no NaN and no infinity, which are strings there. */
static void add_real(layer_text *text, double value, bool json) {
    const bool finite = value - value == 0;
    layer_add(text, json && !finite ? "\"%.17g\"" : "%.17g", value);
}

static void add_scalar(layer_text *text, const aclspec_scalar *scalar, bool json) {
    const char *name = layer_dtype(scalar->dtype);
    const bool integer = (scalar->dtype >= 2 && scalar->dtype <= 10) || scalar->dtype == 12;
    layer_add(text, json ? "\"dtype\": " : "");
    add_enum(text, name, scalar->dtype, json);
    layer_add(text, json ? ", \"value\": " : "(");
    if (!scalar->known) {
        layer_add(text, json ? "null" : "?");
    } else if (integer && scalar->dtype == 10) {
        layer_add(text, "%llu", (unsigned long long)scalar->integer);
    } else if (integer) {
        layer_add(text, "%lld", (long long)scalar->integer);
    } else {
        add_real(text, scalar->real, json);
    }
    if (scalar->known && scalar->imaginary != 0) {
        layer_add(text, json ? ", \"imaginary\": " : " + i*");
        add_real(text, scalar->imaginary, json);
    }
    layer_add(text, json ? "" : ")");
}

/* The elements of an array or a list. */
static void add_items(layer_text *text, layer_kind kind, const layer_object *object, bool json) {
    const uint64_t length = object->is.ints.length, most = json ? UINT64_MAX : SHOWN;
    if (!object->is.ints.known) {
        layer_add(text, json ? "\"length\": %llu, \"values\": null" : "[%llu ?]", (unsigned long long)length);
        return;
    }
    layer_add(text, json ? "\"length\": %llu, \"values\": [" : "[", (unsigned long long)length);
    for (uint64_t at = 0; at < length && at < most; at++) {
        layer_add(text, at > 0 ? ", " : "");
        const layer_object *member = object->members != NULL ? object->members[at] : NULL;
        switch (kind) {
        case LAYER_INTS: layer_add(text, "%lld", (long long)object->is.ints.items[at]); break;
        case LAYER_FLOATS: add_real(text, (double)object->is.floats.items[at], json); break;
        case LAYER_BOOLS: layer_add(text, object->is.bools.items[at] ? "true" : "false"); break;
        default:
            if (member == NULL) {
                layer_add(text, "null");
                break;
            }
            layer_add(text, json ? "{" : "");
            (kind == LAYER_TENSORS ? add_tensor(text, &member->is.tensor, json) : add_scalar(text, &member->is.scalar, json));
            layer_add(text, json ? "}" : "");
        }
    }
    layer_add(text, length > most ? ", ...]" : "]");
}

static void add_string(layer_text *text, const char *value, bool json) {
    if (value == NULL) {
        layer_add(text, json ? "\"value\": null" : "null");
        return;
    }
    layer_add(text, json ? "\"value\": " : "");
    layer_add_json(text, value);
}

static void add_argument(layer_text *text, const layer_decoded *decoded, int at, int kind, bool json) {
    const aclspec_argument *argument = &decoded->arguments[at];
    const layer_object *object = decoded->held[at];
    const char *value = json ? "\"value\": " : "";
    switch (kind) {
    case LAYER_P_TEXT: add_string(text, argument->text, json); return;
    case LAYER_P_INTEGER: layer_add(text, "%s%lld", value, (long long)argument->integer); return;
    case LAYER_P_NATURAL: layer_add(text, "%s%llu", value, (unsigned long long)argument->integer); return;
    case LAYER_P_DTYPE:
        layer_add(text, "%s", value);
        add_enum(text, layer_dtype((int32_t)argument->integer), (int32_t)argument->integer, json);
        return;
    case LAYER_P_REAL:
        layer_add(text, "%s", value);
        add_real(text, argument->real, json);
        return;
    case LAYER_P_BOOL: layer_add(text, "%s%s", value, argument->boolean ? "true" : "false"); return;
    default: break;
    }
    if (decoded->values[at].pointer == NULL) {
        layer_add(text, "%snull", value);
    } else if (object == NULL || object->destroyed) {
        layer_add(text, "%s", json ? (object != NULL ? "\"destroyed\": true" : "\"unknown\": true") : "?");
    } else if (kind == LAYER_TENSOR) {
        add_tensor(text, &object->is.tensor, json);
    } else if (kind == LAYER_SCALAR) {
        add_scalar(text, &object->is.scalar, json);
    } else {
        add_items(text, (layer_kind)kind, object, json);
    }
}

void layer_add_call(layer_text *text, const layer_decoded *decoded) {
    const unsigned char *kinds = layer_param_kinds[decoded->op - aclspec_operators];
    for (int at = 0; at < decoded->op->param_count; at++) {
        layer_add(text, "%s%s=", at > 0 ? ", " : "", decoded->op->params[at].name);
        add_argument(text, decoded, at, kinds[at], false);
    }
}

void layer_add_call_json(layer_text *text, const layer_decoded *decoded) {
    const unsigned char *kinds = layer_param_kinds[decoded->op - aclspec_operators];
    layer_add(text, "[");
    for (int at = 0; at < decoded->op->param_count; at++) {
        const aclspec_param *param = &decoded->op->params[at];
        layer_add(text, "%s{\"name\": \"%s\", \"type\": \"%s\", ", at > 0 ? ", " : "", param->name, param->type);
        add_argument(text, decoded, at, kinds[at], true);
        layer_add(text, "}");
    }
    layer_add(text, "]");
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
                hash = object->members[member] != NULL ? mix_tensor(hash, &object->members[member]->is.tensor) : hash + 1;
            }
        }
    }
    return hash;
}
