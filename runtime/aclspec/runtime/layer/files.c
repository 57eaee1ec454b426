/* The files that the layer writes. They are never mistaken for the program's: each is known by device and inode before a write, its
 * descriptor is none that a program expects, and no write raises a signal, waits for a reader, or goes through another's link. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer.h"

enum { FIRST_NUMBER = 900, SIGNALS = 2 };
static const uint64_t PATIENCE = 100000000; /* nanoseconds for which a reader is waited for */
static const int raised[SIGNALS] = {SIGPIPE, SIGXFSZ};

static bool is_child;
static uint64_t started;

static uint64_t now_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t layer_now(void) { return now_of(CLOCK_MONOTONIC); }
void layer_files_start(void) { started = now_of(CLOCK_REALTIME); }
uint64_t layer_started(void) { return started; }
bool layer_is_child(void) { return is_child; }

void layer_files_in_child(void) {
    is_child = true;
    layer_files_start();
}

/* ---- names */

void layer_file_name(const char *pattern, char *name, size_t size) {
    size_t length = 0;
    for (const char *at = pattern; *at != '\0' && length + 64 < size; at++) {
        if (at[0] == '%' && at[1] == 'p') {
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
}

/* ---- opening */

/* Whether others than root and this user may put a link into a folder. */
static bool is_shared(int folder) {
    struct stat status;
    return fstat(folder, &status) != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
           (status.st_uid != 0 && status.st_uid != geteuid());
}

static void close_quietly(int number) {
    const int before = errno;
    close(number);
    errno = before;
}

/* The same file under a number that the program does not get for its own; -1 with errno where there is none. */
static int moved_away(int number) {
    const int moved = number >= 0 ? fcntl(number, F_DUPFD_CLOEXEC, FIRST_NUMBER) : -1;
    if (moved < 0 && number > STDERR_FILENO) {
        return number;
    }
    if (number >= 0) {
        close_quietly(number);
    }
    return moved;
}

int layer_open(int folder, const char *name, int flags) {
    char above[PATH_MAX];
    const char *slash = strrchr(name, '/'), *last = slash != NULL ? slash + 1 : name;
    snprintf(above, sizeof above, "%.*s", slash != NULL ? (int)(last - name) : 1, slash != NULL ? name : ".");
    const int parent = openat(folder, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0) {
        return -1;
    }
    const int more = O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (is_shared(parent) ? O_NOFOLLOW : 0);
    const int number = openat(parent, last, flags | more, 0644);
    close_quietly(parent);
    return moved_away(number);
}

layer_file layer_file_of(int number) {
    struct stat status;
    layer_file file = {.number = -1};
    if (number >= 0 && fstat(number, &status) == 0) {
        file = (layer_file){.number = number, .device = status.st_dev, .inode = status.st_ino};
    }
    return file;
}

bool layer_is_same(const layer_file *file) {
    const layer_file now = layer_file_of(file->number);
    return now.number >= 0 && now.device == file->device && now.inode == file->inode;
}

bool layer_have(layer_file *file, const char *name) {
    if (!layer_is_same(file)) { /* its number may be the program's by now, so it is not closed */
        *file = layer_file_of(layer_open(AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND));
    }
    return file->number >= 0;
}

void layer_close(layer_file *file) {
    if (layer_is_same(file)) {
        close_quietly(file->number);
    }
    file->number = -1;
}

/* ---- writing */

typedef struct {
    sigset_t before;
    bool was_pending[SIGNALS];
} signals;

/* Let writing raise no signal in this thread. */
static void hold_signals(signals *held) {
    sigset_t both, pending;
    sigemptyset(&both);
    for (int at = 0; at < SIGNALS; at++) {
        sigaddset(&both, raised[at]);
    }
    pthread_sigmask(SIG_BLOCK, &both, &held->before);
    sigemptyset(&pending);
    if (sigismember(&held->before, SIGPIPE) || sigismember(&held->before, SIGXFSZ)) {
        sigpending(&pending);
    }
    for (int at = 0; at < SIGNALS; at++) {
        held->was_pending[at] = sigismember(&pending, raised[at]);
    }
}

/* Take back a signal that the writing raised; what was pending before is the program's. */
static void let_signals_go(const signals *held, int error) {
    const int raised_now = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    for (int at = 0; at < SIGNALS; at++) {
        if (raised[at] == raised_now && !held->was_pending[at]) {
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, raised_now);
            while (sigtimedwait(&one, NULL, &(struct timespec){0}) < 0 && errno == EINTR) {
            }
        }
    }
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

/* Wait until there is room to write; false where there is none at that time. */
static bool has_room(int number, uint64_t until) {
    struct pollfd one = {.fd = number, .events = POLLOUT};
    int found;
    do {
        const uint64_t now = layer_now();
        found = poll(&one, 1, now < until ? (int)((until - now) / 1000000) + 1 : 0);
    } while (found < 0 && errno == EINTR && layer_now() < until);
    return found > 0;
}

bool layer_write(layer_file *file, const char *at, size_t length) {
    const uint64_t until = layer_now() + (file->stuck ? 0 : PATIENCE);
    bool ready = !file->inherited; /* a descriptor of the program's blocks, so there must be room for what is written */
    signals held;
    int error = 0;
    hold_signals(&held);
    while (length > 0 && error == 0) {
        if (!ready && !has_room(file->number, until)) {
            error = EAGAIN;
            break;
        }
        const ssize_t written = write(file->number, at, file->inherited && length > PIPE_BUF ? PIPE_BUF : length);
        if (written > 0) {
            at += written;
            length -= (size_t)written;
        } else if (written == 0 || (errno != EINTR && errno != EAGAIN)) {
            error = written == 0 ? EIO : errno;
        }
        ready = !file->inherited && (written > 0 || errno == EINTR);
    }
    let_signals_go(&held, error);
    file->stuck = error == EAGAIN;
    errno = error;
    return error == 0;
}
