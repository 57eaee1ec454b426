/* The names of numbers. */
#include "layer.h"

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
const char *layer_npy_name(int32_t dtype) { return name_of(layer_npy_names, dtype); }
bool layer_is_public(int32_t format) { return name_of(layer_public_formats, format) != NULL; }
