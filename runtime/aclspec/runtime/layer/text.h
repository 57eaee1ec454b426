/* Texts that grow; the layer and the simulator share this. */
#ifndef ACLSPEC_LAYER_TEXT_H
#define ACLSPEC_LAYER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    char *at;
    size_t length, room;
    bool failed;
} layer_text;

__attribute__((format(printf, 2, 3))) void layer_add(layer_text *text, const char *format, ...);
/* The same for what needs no format, faster. */
void layer_put_bytes(layer_text *text, const char *bytes, size_t count);
static inline void layer_put(layer_text *text, const char *value) { layer_put_bytes(text, value, strlen(value)); }
void layer_put_integer(layer_text *text, int64_t value);
void layer_add_json(layer_text *text, const char *value);
void layer_free(layer_text *text);

#endif
