/* The recording: one JSON object a line. Lines are collected and written whole; a file belongs to one process. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "layer.h"

enum { ROOM = 1 << 16, VERSION = 3, TYPICAL = 2048 };
static const uint64_t LONGEST = 1000000000; /* nanoseconds that a line waits, as long as there are calls */

static char waiting[ROOM];
static size_t waiting_length;
static uint64_t waiting_since;
static int file = -1;
static bool failed;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

uint64_t layer_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool layer_records(void) { return (layer_is.record != NULL && !failed) || layer_keeps_refused(); }

static void give_up(const char *why) {
    failed = true;
    layer_say_line(LAYER_TEXT("The recording stops: %s.", "录制停止：%s。"), why);
}

static void write_out(const char *at, size_t length) {
    if (!failed && !layer_write(file, at, length)) {
        give_up(strerror(errno));
    }
}

static void open_file(void) {
    char name[PATH_MAX];
    layer_text head = {0};
    layer_file_name(layer_is.record, name, sizeof name);
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
        give_up(strerror(errno));
        return;
    }
    layer_add(&head, "{\"aclspec_record\": %d, \"process\": %ld, \"rank\": ", (int)VERSION, (long)getpid());
    layer_add_json(&head, layer_is.rank != NULL ? layer_is.rank : "");
    layer_add(&head, "}\n");
    if (!head.failed) {
        write_out(head.at, head.length);
    }
    layer_free(&head);
}

static void flush(void) {
    if (waiting_length > 0) {
        write_out(waiting, waiting_length);
        waiting_length = 0;
    }
}

/* A call and the status of its last phase. */
static void put(const layer_text *line, int32_t status) {
    if (status != 0) {
        layer_keep_refused(line);
    }
    if (layer_is.record == NULL || (status == 0 && layer_is.record_refused)) {
        return;
    }
    pthread_mutex_lock(&guard);
    if (file < 0 && !failed) {
        open_file();
    }
    const uint64_t now = layer_now();
    if (!line->failed && !failed) {
        if (waiting_length + line->length > ROOM || (waiting_length > 0 && now - waiting_since > LONGEST)) {
            flush();
        }
        if (line->length > ROOM) {
            write_out(line->at, line->length);
        } else {
            waiting_since = waiting_length == 0 ? now : waiting_since;
            memcpy(waiting + waiting_length, line->at, line->length);
            waiting_length += line->length;
        }
    }
    pthread_mutex_unlock(&guard);
}

char *layer_record_one(const layer_decoded *decoded, const char *product, int32_t status, const aclspec_verdict *verdict,
                       uint64_t workspace, uint64_t nanoseconds) {
    layer_text line = {.at = malloc(TYPICAL)};
    line.room = line.at != NULL ? TYPICAL : 0;
    layer_put(&line, "{\"operator\": \"");
    layer_put(&line, decoded->op->name);
    layer_put(&line, "\", \"product\": \"");
    layer_put(&line, product);
    layer_put(&line, "\", \"arguments\": ");
    layer_add_call_json(&line, decoded);
    layer_put(&line, ", \"status\": ");
    layer_put_integer(&line, status);
    layer_put(&line, ", \"rule\": ");
    if (verdict->rule != NULL && (verdict->library != 0 || verdict->document != 0)) {
        layer_add_json(&line, verdict->rule);
    } else {
        layer_put(&line, "null");
    }
    if (status != 0) {
        layer_add_python_json(&line);
    }
    layer_put(&line, ", \"workspace\": ");
    layer_put_integer(&line, (int64_t)workspace);
    layer_put(&line, ", \"nanoseconds\": ");
    layer_put_integer(&line, (int64_t)nanoseconds);
    if (line.failed) {
        layer_free(&line);
        return NULL;
    }
    return line.at;
}

/* The system's number of this thread, asked once. */
static long thread_number(void) {
    static _Thread_local long number;
    if (number == 0) {
        number = (long)syscall(SYS_gettid);
    }
    return number;
}

static void add_two(layer_text *line, bool two, int32_t status, uint64_t nanoseconds, const char *executor, const char *data) {
    if (two) {
        layer_put(line, ", \"second\": {\"status\": ");
        layer_put_integer(line, status);
        layer_put(line, ", \"nanoseconds\": ");
        layer_put_integer(line, (int64_t)nanoseconds);
        layer_put(line, ", \"executor\": \"");
        layer_put(line, executor);
        layer_put(line, "\"}");
    } else {
        layer_put(line, ", \"second\": null");
    }
    if (data != NULL) {
        layer_put(line, ", \"data\": ");
        layer_put(line, data);
    }
    layer_put(line, ", \"thread\": ");
    layer_put_integer(line, thread_number());
    layer_put(line, "}\n");
}

void layer_record_two(const char *start, bool two, int32_t status, uint64_t nanoseconds, bool repeated, const char *data) {
    layer_text line = {.at = malloc(TYPICAL)};
    line.room = line.at != NULL ? TYPICAL : 0;
    layer_put(&line, start);
    add_two(&line, two, status, nanoseconds, repeated ? "repeated" : "new", data);
    put(&line, status);
    layer_free(&line);
}

void layer_record_cached(int operator_index, int32_t status, uint64_t nanoseconds) {
    layer_text line = {0};
    layer_add(&line, "{\"operator\": \"%s\"", aclspec_operators[operator_index].name);
    add_two(&line, true, status, nanoseconds, "cached", NULL);
    put(&line, status);
    layer_free(&line);
}

static void record_unrun(const layer_object *object, void *state) {
    (void)state;
    if (object->kind == LAYER_EXECUTOR && object->is.executor.runs == 0 && object->is.executor.line != NULL) {
        layer_record_two(object->is.executor.line, false, 0, 0, false, NULL);
    }
}

void layer_record_end(void) {
    layer_each(record_unrun, NULL);
    pthread_mutex_lock(&guard);
    flush();
    pthread_mutex_unlock(&guard);
}

void layer_record_in_child(void) {
    pthread_mutex_init(&guard, NULL);
    if (file >= 0) {
        close(file);
    }
    waiting_length = 0;
    file = -1;
}
