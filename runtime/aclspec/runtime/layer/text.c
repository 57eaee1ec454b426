/* Texts that grow. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

void layer_put_bytes(layer_text *text, const char *bytes, size_t count) {
    if (text->room - text->length <= count) {
        layer_add(text, "%.*s", (int)count, bytes); /* which makes room */
        return;
    }
    memcpy(text->at + text->length, bytes, count);
    text->length += count;
    text->at[text->length] = '\0';
}

void layer_put_integer(layer_text *text, int64_t value) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    layer_put_bytes(text, at, (size_t)(digits + sizeof digits - at));
}

/* How many bytes stand as they are in JSON, a character of UTF-8 or ASCII; 0: the byte is escaped. */
static size_t plain_bytes(const unsigned char *at) {
    if (at[0] < 0x80) {
        return at[0] >= 0x20 && at[0] != '"' && at[0] != '\\' && at[0] != 0x7F;
    }
    const size_t more = at[0] >= 0xC2 && at[0] <= 0xDF ? 1 : at[0] >= 0xE0 && at[0] <= 0xEF ? 2 : at[0] >= 0xF0 && at[0] <= 0xF4 ? 3 : 0;
    uint32_t code = more == 1 ? at[0] & 0x1Fu : more == 2 ? at[0] & 0x0Fu : at[0] & 0x07u;
    for (size_t next = 1; next <= more; next++) {
        if ((at[next] & 0xC0) != 0x80) {
            return 0;
        }
        code = code << 6 | (at[next] & 0x3Fu);
    }
    const bool is_character = more == 1 || (more == 2 && code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) ||
                              (more == 3 && code >= 0x10000 && code <= 0x10FFFF);
    return is_character ? more + 1 : 0;
}

void layer_add_json(layer_text *text, const char *value) {
    layer_put(text, "\"");
    while (*value != '\0') {
        const char *plain = value;
        for (size_t bytes; (bytes = plain_bytes((const unsigned char *)value)) > 0;) {
            value += bytes;
        }
        layer_put_bytes(text, plain, (size_t)(value - plain));
        if (*value != '\0') {
            layer_add(text, "\\u%04x", (unsigned char)*value++);
        }
    }
    layer_put(text, "\"");
}

void layer_free(layer_text *text) {
    free(text->at);
    *text = (layer_text){0};
}
