/* How much memory a device has: what ACLSPEC_DEVICE_MEMORY says, else a part of what the machine can give, and never more
 * than the product. A program that keeps to it is not ended for want of memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "internal.h"

enum { LONGEST = 4096, PERCENT = 80 }; /* of what is free, for all devices */

static const size_t DRY = (size_t)4 << 40; /* of the dry device, which has addresses alone */

static size_t minimum(size_t one, size_t other) { return one < other ? one : other; }

/* "4G", "512M", a number of bytes; 0 for what is none. */
static size_t read_size(const char *text) {
    static const char units[] = "KMGT";
    char *end;
    if (text[0] < '0' || text[0] > '9') {
        return 0;
    }
    size_t size = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    for (const char *each = units; unit != NULL && each <= unit; each++) {
        if (__builtin_mul_overflow(size, (size_t)1024, &size)) {
            return 0;
        }
    }
    return *end == '\0' || (unit != NULL && end[1] == '\0') ? size : 0;
}

/* The number behind a word at the start of a line of a file, or its first one where the word is empty; SIZE_MAX for none. */
static size_t number_in(const char *path, const char *word) {
    char line[256];
    size_t number = SIZE_MAX;
    FILE *file = fopen(path, "r");
    while (file != NULL && number == SIZE_MAX && fgets(line, sizeof line, file) != NULL) {
        const size_t length = strlen(word);
        char *end;
        if (strncmp(line, word, length) == 0) {
            const size_t value = strtoull(line + length, &end, 10);
            number = end != line + length ? value : number;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

/* What a control group leaves, its cache of files aside; SIZE_MAX where it sets no limit. */
static size_t left_by(const char *folder, const char *limit, const char *usage, const char *cache) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    const size_t most = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, usage);
    const size_t used = number_in(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const size_t files = number_in(path, cache);
    if (most == SIZE_MAX || used == SIZE_MAX) {
        return SIZE_MAX;
    }
    const size_t held = used - minimum(used, files == SIZE_MAX ? 0 : files);
    return most - minimum(most, held);
}

/* What the control groups of this process leave, each inside of the one above it. */
static size_t left_by_groups(void) {
    char line[LONGEST], folder[2 * LONGEST];
    size_t left = SIZE_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        const bool second = controllers[1] == '\0'; /* version 2 has one hierarchy */
        if (!second && strcmp(controllers + 1, "memory") != 0) {
            continue;
        }
        for (char *slash = path + strlen(path); slash != NULL; slash = strrchr(path, '/')) {
            *slash = '\0';
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", second ? "" : "/memory", path);
            left = minimum(left, second ? left_by(folder, "memory.max", "memory.current", "inactive_file ")
                                        : left_by(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "));
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return left;
}

/* For each of the devices. */
static size_t of_machine(void) {
    const sim_site site = {__func__, NULL};
    const size_t free_kib = number_in("/proc/meminfo", "MemAvailable:");
    const size_t left = minimum(free_kib == SIZE_MAX ? SIZE_MAX : free_kib * 1024, left_by_groups());
    const int devices = sim_device_count(&site);
    return left == SIZE_MAX ? left : left / 100 * PERCENT / (size_t)(devices > 0 ? devices : 1);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t total;

static void measure(void) {
    const char *value = getenv("ACLSPEC_DEVICE_MEMORY");
    size_t said = value != NULL && value[0] != '\0' ? read_size(value) : 0;
    if (value != NULL && value[0] != '\0' && said == 0) {
        sim_say("The value of the environment variable ACLSPEC_DEVICE_MEMORY (%s) is not a size such as 4G or 512M.", value);
    }
    total = sim_dry() ? minimum(DRY, said != 0 ? said : DRY) : minimum(SIM_DEVICE_MEMORY, said != 0 ? said : of_machine());
    total -= total % 4096;
}

size_t sim_device_memory(void) {
    pthread_once(&once, measure);
    return total;
}
