/* The data of calls (ACLSPEC_RECORD_DATA=1): what tensors hold before and after phase two, as .npy files beside the recording.
 * Copying waits for the stream; it is off while a graph is captured, and ends at a limit of bytes. What is not recorded has
 * its reason in the line, under "missing". */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data.h"

enum { DEVICE_TO_HOST = 2, NO_ELEMENT = -1, MOST_AXES = 64 };

/* Why data is missing, as the line says it; record.schema.json and the guide explain each. */
static const char *const CAPTURED = "captured", *const LIMIT = "limit", *const FAILED = "failed", *const BUSY = "busy", *const KEPT = "kept";
static const char *const MOVED = "moved", *const UNSEEN = "unseen", *const DTYPE = "dtype", *const CUT = "cut";

static atomic_ullong calls, written;
static atomic_bool told, told_capture, full;

/* ---- which tensors */

static const char *address_of(const layer_object *tensor) {
    int32_t (*ask)(const void *, void **) = (int32_t(*)(const void *, void **))layer_getter(LAYER_aclGetRawTensorAddr);
    void *address = NULL;
    return ask != NULL && ask(tensor->handle, &address) == 0 ? address : tensor->data;
}

static void add(layer_data *data, const aclspec_param *param, int64_t element, layer_object *tensor) {
    const bool known = tensor != NULL && tensor->kind == LAYER_TENSOR && !tensor->destroyed;
    if (known) {
        atomic_fetch_add_explicit(&tensor->users, 1, memory_order_relaxed);
    }
    data->shots[data->count++] = (layer_shot){param, element, known ? tensor : NULL, known ? address_of(tensor) : NULL};
    layer_object *tracked = known ? layer_hold(tensor->handle) : NULL;
    data->unseen = data->unseen || tracked != tensor;
    layer_release(tracked);
}

void layer_data_move(layer_data *data, const void *tensor, const void *address) {
    int found = 0;
    for (size_t at = 0; at < data->count; at++) {
        layer_shot *one = &data->shots[at];
        if (one->tensor != NULL && one->tensor->handle == tensor) {
            one->address = address;
            found++;
        }
    }
    data->moved = data->moved || found != 1; /* of two parameters with one tensor the setter moves one */
}

layer_data *layer_data_of(const layer_decoded *decoded) {
    size_t most = 0;
    for (int at = 0; at < decoded->op->param_count; at++) {
        const layer_object *object = decoded->held[at];
        most += object != NULL && object->kind == LAYER_TENSORS ? object->member_count : 1;
    }
    layer_data *data = calloc(1, sizeof *data + most * sizeof *data->shots);
    if (data != NULL) {
        data->cut = most > LAYER_MOST_MEMBERS;
    }
    for (int at = 0; data != NULL && at < decoded->op->param_count; at++) {
        layer_object *object = decoded->held[at];
        if (object != NULL && object->kind == LAYER_TENSOR) {
            add(data, &decoded->op->params[at], NO_ELEMENT, object);
        } else if (object != NULL && object->kind == LAYER_TENSORS) {
            for (uint64_t member = 0; member < object->member_count; member++) {
                add(data, &decoded->op->params[at], (int64_t)member, layer_member(object, member, LAYER_TENSOR));
            }
        }
    }
    return data;
}

/* ---- .npy */

typedef struct {
    int64_t low, high; /* places of elements, the last included */
    size_t elements, width;
} extent;

/* The tensor as its elements are taken: by its strides in a public format, as the storage has them in a private one. */
static aclspec_tensor taken(const aclspec_tensor *tensor, int64_t *strides) {
    if (layer_is_public(tensor->format) || tensor->storage_rank > MOST_AXES) {
        return *tensor;
    }
    uint64_t step = 1;
    for (uint64_t axis = tensor->storage_rank; axis-- > 0;) {
        strides[axis] = (int64_t)step;
        step *= (uint64_t)tensor->storage_shape[axis];
    }
    return (aclspec_tensor){.shape = tensor->storage_shape, .rank = tensor->storage_rank, .strides = strides,
                            .dtype = tensor->dtype, .format = tensor->format};
}

/* Where the elements of a tensor are; false where that is no number of bytes. */
static bool measure(const aclspec_tensor *tensor, extent *found) {
    *found = (extent){tensor->offset, tensor->offset, 1, (size_t)atoi(layer_npy_name(tensor->dtype) + 2)};
    bool fits = tensor->rank <= MOST_AXES;
    for (uint64_t axis = 0; fits && axis < tensor->rank; axis++) {
        const int64_t size = tensor->shape[axis];
        int64_t reach = 0;
        fits = size >= 0 && !__builtin_mul_overflow(found->elements, (size_t)size, &found->elements) &&
               !__builtin_mul_overflow(size > 0 ? size - 1 : 0, tensor->strides[axis], &reach) &&
               !(reach < 0 ? __builtin_add_overflow(found->low, reach, &found->low)
                           : __builtin_add_overflow(found->high, reach, &found->high));
    }
    int64_t bytes = 0;
    size_t all = 0;
    return fits && !__builtin_sub_overflow(found->high, found->low, &bytes) && bytes < INT64_MAX / 32 &&
           found->low > INT64_MIN / 32 && !__builtin_mul_overflow(found->elements, found->width, &all);
}

/* Elements one after the other, in row-major order. */
static void gather(const aclspec_tensor *tensor, const extent *where, const char *from, char *to) {
    int64_t index[MOST_AXES] = {0}, place = tensor->offset - where->low;
    for (size_t at = 0; at < where->elements; at++) {
        memcpy(to + at * where->width, from + (size_t)place * where->width, where->width);
        for (uint64_t axis = tensor->rank; axis-- > 0;) {
            place += tensor->strides[axis];
            if (++index[axis] < tensor->shape[axis]) {
                break;
            }
            place -= tensor->shape[axis] * tensor->strides[axis];
            index[axis] = 0;
        }
    }
}

static void add_head(layer_text *text, const aclspec_tensor *tensor) {
    layer_text shape = {0};
    for (uint64_t axis = 0; axis < tensor->rank; axis++) {
        layer_add(&shape, "%lld,%s", (long long)tensor->shape[axis], axis + 1 < tensor->rank ? " " : "");
    }
    layer_text words = {0};
    layer_add(&words, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", layer_npy_name(tensor->dtype),
              shape.at != NULL ? shape.at : "");
    while (!words.failed && (words.length + 11) % 64 != 0) {
        layer_put(&words, " ");
    }
    layer_put(&words, "\n");
    const unsigned char before[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(words.length & 255),
                                    (unsigned char)(words.length >> 8)};
    text->at = malloc(sizeof before + words.length + 1);
    text->failed = text->at == NULL || words.failed || shape.failed;
    if (!text->failed) {
        memcpy(text->at, before, sizeof before);
        memcpy(text->at + sizeof before, words.at, words.length);
        text->length = sizeof before + words.length;
    }
    layer_free(&words);
    layer_free(&shape);
}

/* Write a new file; one that is there is another's. */
static bool write_npy(int folder, const char *name, const aclspec_tensor *tensor, const char *elements, size_t bytes) {
    layer_text head = {0};
    add_head(&head, tensor);
    layer_file file = layer_file_of(head.failed ? -1 : layer_open(folder, name, O_WRONLY | O_CREAT | O_EXCL));
    const bool done = file.number >= 0 && layer_write(&file, head.at, head.length) && layer_write(&file, elements, bytes);
    layer_close(&file);
    layer_free(&head);
    return done;
}

/* ---- copying */

typedef int32_t (*memory_copy)(void *to, size_t room, const void *from, size_t count, int32_t kind);

/* Copy a tensor from the device into a file; the result is NULL, or why that is not possible. */
static const char *copy(const layer_shot *one, int folder, const char *name) {
    memory_copy from_device = (memory_copy)layer_real(LAYER_aclrtMemcpy);
    int64_t strides[MOST_AXES];
    const aclspec_tensor tensor = taken(&one->tensor->is.tensor, strides);
    extent where;
    if (layer_npy_name(tensor.dtype) == NULL) {
        return DTYPE;
    }
    if (from_device == NULL || !measure(&tensor, &where) || (one->address == NULL && where.elements > 0)) {
        return FAILED;
    }
    const size_t bytes = where.elements * where.width;
    const size_t span = where.elements == 0 ? 0 : (size_t)(where.high - where.low + 1) * where.width;
    if (full || atomic_fetch_add(&written, bytes) + bytes > layer_is.record_data_limit || span > layer_is.record_data_limit) {
        if (!atomic_exchange(&full, true)) {
            layer_say_line(LAYER_TEXT("The data of calls is recorded no longer: the limit (%llu bytes) is reached; ACLSPEC_RECORD_DATA_LIMIT raises it.",
                                      "不再录制调用的数据：已达到上限（%llu 字节）；可用 ACLSPEC_RECORD_DATA_LIMIT 提高。"),
                           (unsigned long long)layer_is.record_data_limit);
        }
        return LIMIT;
    }
    char *raw = malloc(span + 1), *elements = malloc(bytes + 1);
    bool done = raw != NULL && elements != NULL;
    if (done && span > 0) {
        done = from_device(raw, span, one->address + where.low * (int64_t)where.width, span, DEVICE_TO_HOST) == 0;
    }
    if (done) {
        gather(&tensor, &where, raw, elements);
        done = write_npy(folder, name, &tensor, elements, bytes);
    }
    free(raw);
    free(elements);
    return done ? NULL : FAILED;
}

static void add_missing(layer_text *text, const char *why) { layer_add(text, "{\"missing\": \"%s\"}", why); }

/* Copy the inputs or the outputs, and write the names of their files as a JSON object. */
static void copy_all(layer_text *text, const layer_data *data, bool outputs) {
    char record[PATH_MAX - 512], name[PATH_MAX];
    layer_file_name(layer_is.record, record, sizeof record);
    const char *slash = strrchr(record, '/'), *base = slash != NULL ? slash + 1 : record;
    snprintf(name, sizeof name, "%s.data", record);
    mkdir(name, 0755); /* if it cannot be made, no file can */
    const int folder = layer_open(AT_FDCWD, name, O_RDONLY | O_DIRECTORY);
    layer_put(text, "{");
    bool any = false;
    for (size_t at = 0; at < data->count; at++) {
        const layer_shot *one = &data->shots[at];
        if (!(outputs ? one->param->output : one->param->input)) {
            continue;
        }
        if (one->element <= 0) {
            layer_add(text, "%s\"%s\": %s", any ? ", " : "", one->param->name, one->element == 0 ? "[" : "");
        } else {
            layer_put(text, ", ");
        }
        any = true;
        char place[300], element[24] = "";
        if (one->element != NO_ELEMENT) {
            snprintf(element, sizeof element, ".%lld", (long long)one->element);
        }
        snprintf(place, sizeof place, "%ld-%llu.%llu.%.150s%s.%s.npy", (long)getpid(), (unsigned long long)layer_started(),
                 (unsigned long long)data->number, one->param->name, element, outputs ? "out" : "in");
        const char *why = one->tensor != NULL ? copy(one, folder, place) : NULL;
        if (one->tensor == NULL) {
            layer_put(text, "null");
        } else if (why != NULL) {
            add_missing(text, why);
        } else {
            snprintf(name, sizeof name, "%s.data/%s", base, place);
            layer_add_json(text, name);
        }
        const bool last = at + 1 == data->count || data->shots[at + 1].param != one->param;
        layer_put(text, one->element != NO_ELEMENT && last ? "]" : "");
    }
    layer_put(text, "}");
    if (folder >= 0) {
        close(folder);
    }
}

/* ---- when */

static bool is_captured(void *stream) {
    int32_t (*ask)(void *, int32_t *, void **) = (int32_t(*)(void *, int32_t *, void **))layer_getter(LAYER_aclmdlRICaptureGetInfo);
    int32_t state = 0;
    void *graph = NULL;
    const bool captured = ask != NULL && ask(stream, &state, &graph) == 0 && state != 0;
    if (captured && !atomic_exchange(&told_capture, true)) {
        layer_say_line("%s", LAYER_TEXT("A graph is captured; the data of its calls is not recorded.", "正在捕获图；不录制其调用的数据。"));
    }
    return captured;
}

static bool wait_for(void *stream) {
    int32_t (*synchronize)(void *) = (int32_t(*)(void *))layer_real(LAYER_aclrtSynchronizeStream);
    return synchronize != NULL && synchronize(stream) == 0;
}

void layer_data_before(layer_data *data, bool repeatable, void *stream) {
    layer_free(&data->inputs);
    data->missing = data->cut ? CUT : data->moved ? MOVED : repeatable && data->unseen ? UNSEEN : full ? LIMIT : is_captured(stream) ? CAPTURED : NULL;
    if (data->missing != NULL) {
        return;
    }
    if (!atomic_exchange(&told, true)) {
        layer_say_line("%s", LAYER_TEXT("The data of calls is recorded: each call waits for its stream (ACLSPEC_RECORD_DATA).",
                                        "正在录制调用的数据：每次调用都会同步其 stream（ACLSPEC_RECORD_DATA）。"));
    }
    if (!wait_for(stream)) {
        data->missing = FAILED;
        return;
    }
    data->number = atomic_fetch_add(&calls, 1) + 1;
    copy_all(&data->inputs, data, false);
}

char *layer_data_after(const layer_data *data, bool repeatable, void *stream, int32_t status) {
    layer_text text = {0};
    const char *missing = data != NULL ? data->missing : repeatable ? BUSY : KEPT;
    if (missing == NULL && (status != 0 || !wait_for(stream) || data->inputs.failed)) {
        missing = FAILED;
    }
    if (missing != NULL) {
        add_missing(&text, missing);
    } else {
        layer_add(&text, "{\"inputs\": %s, \"outputs\": ", data->inputs.at);
        copy_all(&text, data, true);
        layer_put(&text, "}");
    }
    if (text.failed) {
        layer_free(&text);
    }
    return text.at;
}
