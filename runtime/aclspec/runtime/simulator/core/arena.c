/* The bytes of device memory: one file without a name, of which each allocation has a part, and which the device process maps,
 * too. A page costs nothing until it is touched, and a part that is given back is a hole in the file. */
#include "arena.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { KEPT = 256, LONGEST = 4096 };

typedef struct part {
    size_t start, size;
} part;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static bool on_disk;
static size_t length;    /* of the file, which only grows */
static part spare[KEPT]; /* holes for the next part of the same size, the newest last */
static size_t spare_count;

/* In the folder for temporary files, where the system has no files in memory. */
static int open_on_disk(void) {
    char path[LONGEST];
    const char *folder = getenv("TMPDIR");
    if (snprintf(path, sizeof path, "%s/aclspec-device-XXXXXX", folder != NULL && folder[0] != '\0' ? folder : "/tmp") >= (int)sizeof path) {
        return -1;
    }
    const int made = mkostemp(path, O_CLOEXEC);
    if (made >= 0) {
        unlink(path);
    }
    return made;
}

/* With the guard held. */
static bool open_file(void) {
    if (file < 0) {
        file = memfd_create("aclspec-device", MFD_CLOEXEC);
        on_disk = file < 0;
        file = on_disk ? open_on_disk() : file;
    }
    return file >= 0;
}

int sim_arena(void) {
    pthread_mutex_lock(&guard);
    open_file();
    pthread_mutex_unlock(&guard);
    return file;
}

size_t sim_part_size(size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* A file that is to grow beyond the limit of the process would end it by a signal. */
static bool may_be(size_t size) {
    struct rlimit limit;
    return size <= INT64_MAX && (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

/* With the guard held: a hole of this size; SIZE_MAX where none is kept. */
static size_t take_spare(size_t size) {
    for (size_t at = spare_count; at-- > 0;) {
        if (spare[at].size == size) {
            const size_t start = spare[at].start;
            spare[at] = spare[--spare_count];
            return start;
        }
    }
    return SIZE_MAX;
}

/* On a disk the bytes are taken at once: a full one would end the process when it touches them. */
static bool grow(size_t start, size_t size) {
    return ftruncate(file, (off_t)(start + size)) == 0 && (!on_disk || posix_fallocate(file, (off_t)start, (off_t)size) == 0);
}

size_t sim_take_part(size_t size) {
    pthread_mutex_lock(&guard);
    size_t start = on_disk ? SIZE_MAX : take_spare(size);
    if (start == SIZE_MAX && open_file() && may_be(length + size) && grow(length, size)) {
        start = length;
        length += size;
    }
    pthread_mutex_unlock(&guard);
    return start;
}

void sim_give_part(size_t start, size_t size) {
    pthread_mutex_lock(&guard);
    if (file >= 0 && fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)size) == 0) {
        if (spare_count == KEPT) {
            spare_count--;
        }
        spare[spare_count++] = (part){start, size};
    }
    pthread_mutex_unlock(&guard);
}

unsigned char *sim_map_part(void *place, size_t start, size_t size) {
    const int flags = MAP_SHARED | MAP_NORESERVE | (place != NULL ? MAP_FIXED : 0);
    void *found = mmap(place, size, PROT_READ | PROT_WRITE, flags, file, (off_t)start);
    if (found == MAP_FAILED) {
        return NULL;
    }
    madvise(found, size, MADV_DONTFORK);
    return found;
}

/* Read once: what is shown must be hidden again. */
static bool is_visible(void) {
    static atomic_int answer; /* 0: not read yet */
    if (answer == 0) {
        const char *value = getenv("ACLSPEC_DEVICE_VISIBLE");
        answer = value != NULL && value[0] != '\0' && strcmp(value, "0") != 0 ? 1 : -1;
    }
    return answer > 0;
}

bool sim_show_part(uintptr_t address, size_t start, size_t size) {
    return !is_visible() || sim_map_part((void *)address, start, size) != NULL;
}

void sim_hide_part(uintptr_t address, size_t size) {
    if (address != 0 && is_visible()) {
        mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    }
}

void sim_leave_arena(void) {
    if (file >= 0) {
        close(file);
        file = -1;
    }
}
