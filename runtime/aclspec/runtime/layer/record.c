/* The recording: one JSON object a line, which is handed to the system before the program has the status of that phase. So it
 * survives the process. Several processes may append to one file: a line is written at once and says which process it is of. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layer.h"

enum { VERSION = 4, TYPICAL = 2048 };

static layer_file file = {.number = -1};
static pid_t owner; /* the process whose head the file has, and which opened it */
static atomic_bool failed;
static atomic_ullong calls;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

bool layer_records(void) { return (layer_is.record != NULL && !failed) || layer_keeps_refused(); }

static void give_up(int error) {
    failed = true;
    const char *why = error == ELOOP ? LAYER_TEXT("the file is a link, in a folder that others may write to", "文件是链接，且所在目录可由他人写入")
                                     : strerror(error);
    layer_diagnose_stop(why);
    layer_say_line(LAYER_TEXT("The recording stops: %s.", "录制停止：%s。"), why);
}

/* Have the file open, with the head of this process. */
static bool prepare(pid_t process) {
    char name[PATH_MAX];
    if (owner == process && layer_is_same(&file)) {
        return true;
    }
    layer_file_name(layer_is.record, name, sizeof name);
    if (owner != process) {
        layer_close(&file); /* of the process that forked */
    }
    if (!layer_have(&file, name)) {
        return false;
    }
    owner = process;
    layer_text head = {0};
    struct stat status;
    if (fstat(file.number, &status) == 0 && status.st_size > 0) {
        layer_put(&head, "\n"); /* the line before may have been cut */
    }
    layer_add(&head, "{\"aclspec_record\": %d, \"process\": %ld, \"started\": %llu, \"rank\": ", (int)VERSION, (long)process,
              (unsigned long long)layer_started());
    char rank[33] = ""; /* as much as names of files have of it */
    strncat(rank, layer_is.rank != NULL ? layer_is.rank : "", sizeof rank - 1);
    layer_add_json(&head, rank);
    layer_add(&head, "}\n");
    errno = ENOMEM;
    const bool done = !head.failed && layer_write(&file, head.at, head.length);
    layer_free(&head);
    return done;
}

/* End a line with its process and its thread. */
static void finish(layer_text *line) {
    static _Thread_local long thread; /* the system's number, asked once */
    static _Thread_local pid_t thread_of;
    const pid_t process = getpid();
    if (thread_of != process) {
        thread = (long)syscall(SYS_gettid);
        thread_of = process;
    }
    layer_put(line, ", \"process\": ");
    layer_put_integer(line, process);
    layer_put(line, ", \"thread\": ");
    layer_put_integer(line, thread);
    layer_put(line, "}\n");
}

/* Append a line to the recording; the first that cannot be written ends it. */
static void put(const layer_text *line) {
    int cancelled; /* writing is a point where a thread may be cancelled, and would keep the lock */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    pthread_mutex_lock(&guard);
    if (!line->failed && !failed && !(prepare(getpid()) && layer_write(&file, line->at, line->length))) {
        give_up(errno);
    }
    pthread_mutex_unlock(&guard);
    pthread_setcancelstate(cancelled, NULL);
}

/* Give a line of a call, or of its phase two, to all who want it. */
static void tell(const layer_text *line, bool is_refused) {
    if (is_refused) {
        layer_keep_refused(line);
    }
    if (layer_is.record != NULL && (is_refused || !layer_is.record_refused)) {
        put(line);
    }
}

static layer_text begin(int operator_index) {
    layer_text line = {.at = malloc(TYPICAL)};
    line.room = line.at != NULL ? TYPICAL : 0;
    layer_put(&line, "{\"operator\": \"");
    layer_put(&line, aclspec_operators[operator_index].name);
    layer_put(&line, "\"");
    return line;
}

static void add_number(layer_text *line, const char *name, uint64_t number) {
    layer_put(line, ", \"");
    layer_put(line, name);
    layer_put(line, "\": ");
    layer_put_integer(line, (int64_t)number);
}

uint64_t layer_record_one(const layer_decoded *decoded, const char *product, int32_t status, const aclspec_verdict *verdict,
                          uint64_t workspace, uint64_t nanoseconds, const void *caller, char **kept) {
    const uint64_t call = atomic_fetch_add(&calls, 1) + 1;
    layer_text line = begin((int)(decoded->op - aclspec_operators));
    layer_put(&line, ", \"product\": \"");
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
    if (status != 0 || layer_is.record_places) {
        layer_add_place_json(&line, caller);
    }
    add_number(&line, "workspace", workspace);
    add_number(&line, "nanoseconds", nanoseconds);
    add_number(&line, "call", call);
    finish(&line);
    tell(&line, status != 0);
    if (status == 0 && !line.failed && (layer_is.record_refused || layer_keeps_refused())) {
        *kept = line.at;
    } else {
        layer_free(&line);
    }
    return call;
}

void layer_record_two(int operator_index, uint64_t call, int32_t status, uint64_t nanoseconds, bool again, const char *data,
                      const char *kept) {
    layer_text line = begin(operator_index);
    if (call > 0) {
        add_number(&line, "call", call);
    }
    layer_put(&line, ", \"second\": {\"status\": ");
    layer_put_integer(&line, status);
    add_number(&line, "nanoseconds", nanoseconds);
    layer_put(&line, ", \"executor\": \"");
    layer_put(&line, call == 0 ? "cached" : again ? "repeated" : "new");
    layer_put(&line, "\"}");
    if (data != NULL) {
        layer_put(&line, ", \"data\": ");
        layer_put(&line, data);
    }
    finish(&line);
    if (status != 0 && kept != NULL) {
        const layer_text one = {.at = (char *)kept, .length = strlen(kept)};
        layer_keep_refused(&one);
        if (layer_is.record_refused) {
            put(&one);
        }
    }
    tell(&line, status != 0);
    layer_free(&line);
}

void layer_record_in_child(void) { pthread_mutex_init(&guard, NULL); }
