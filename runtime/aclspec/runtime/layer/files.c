/* The files that the layer writes: their names, and bytes that are written whole. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

static bool is_child;

void layer_files_in_child(void) { is_child = true; }
bool layer_is_child(void) { return is_child; }

void layer_file_name(const char *pattern, char *name, size_t size) {
    size_t length = 0;
    bool has_process = false;
    for (const char *at = pattern; *at != '\0' && length + 64 < size; at++) {
        if (at[0] == '%' && at[1] == 'p') {
            has_process = true;
            length += (size_t)snprintf(name + length, size - length, "%ld", (long)getpid());
            at++;
        } else if (at[0] == '%' && at[1] == 'r') {
            length += (size_t)snprintf(name + length, size - length, "%.32s", layer_is.rank != NULL ? layer_is.rank : "0");
            at++;
        } else {
            name[length++] = *at;
        }
    }
    name[length] = '\0';
    if (is_child && !has_process) {
        snprintf(name + length, size - length, ".%ld", (long)getpid());
    }
}

bool layer_write(int file, const char *at, size_t length) {
    while (length > 0) {
        const ssize_t written = write(file, at, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        at += written;
        length -= (size_t)written;
    }
    return true;
}
