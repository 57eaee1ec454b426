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

enum { ROOM = 1 << 16, VERSION = 1 };
static const double LONGEST = 1.0; /* seconds that a line waits, as long as there are calls */

static char waiting[ROOM];
static size_t waiting_length;
static double waiting_since;
static int file = -1;
static bool failed;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

double layer_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool layer_records(void) { return layer_is.record != NULL && !failed; }

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

static void put(const layer_text *line) {
    pthread_mutex_lock(&guard);
    if (file < 0 && !failed) {
        open_file();
    }
    const double now = layer_now();
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
                       uint64_t workspace, double seconds) {
    layer_text line = {0};
    layer_add(&line, "{\"operator\": \"%s\", \"product\": \"%s\", \"arguments\": ", decoded->op->name, product);
    layer_add_call_json(&line, decoded);
    layer_add(&line, ", \"status\": %d, \"rule\": ", (int)status);
    if (verdict->rule != NULL && (verdict->library != 0 || verdict->document != 0)) {
        layer_add_json(&line, verdict->rule);
    } else {
        layer_add(&line, "null");
    }
    layer_add(&line, ", \"workspace\": %llu, \"seconds\": %.9f", (unsigned long long)workspace, seconds);
    if (line.failed) {
        layer_free(&line);
        return NULL;
    }
    return line.at;
}

static void add_two(layer_text *line, bool two, int32_t status, double seconds, const char *executor) {
    if (two) {
        layer_add(line, ", \"second\": {\"status\": %d, \"seconds\": %.9f, \"executor\": \"%s\"}", (int)status, seconds, executor);
    } else {
        layer_add(line, ", \"second\": null");
    }
    layer_add(line, ", \"thread\": %ld}\n", (long)syscall(SYS_gettid));
}

void layer_record_two(const char *start, bool two, int32_t status, double seconds, bool repeated) {
    layer_text line = {0};
    layer_add(&line, "%s", start);
    add_two(&line, two, status, seconds, repeated ? "repeated" : "new");
    put(&line);
    layer_free(&line);
}

void layer_record_cached(int operator_index, int32_t status, double seconds) {
    layer_text line = {0};
    layer_add(&line, "{\"operator\": \"%s\"", aclspec_operators[operator_index].name);
    add_two(&line, true, status, seconds, "cached");
    put(&line);
    layer_free(&line);
}

static void record_unrun(const layer_object *object, void *state) {
    (void)state;
    if (object->kind == LAYER_EXECUTOR && object->is.executor.runs == 0 && object->is.executor.line != NULL) {
        layer_record_two(object->is.executor.line, false, 0, 0, false);
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
