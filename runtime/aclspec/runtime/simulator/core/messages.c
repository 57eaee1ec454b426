/* The messages of each thread's last failing call, as aclGetRecentErrMsg answers them: newest first, gone once read. What
 * a program does not read of a call, as of one that only asks whether there is a context, is gone when a later one fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

enum { KEPT = 16 };

typedef struct messages {
    char *kept[KEPT]; /* the newest last */
    size_t count;
    uint64_t call; /* that left them */
    char *answered;
    int last; /* of the runtime */
} messages;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static __thread uint64_t call; /* that this thread is in, or made last */

void sim_begin(void) { call++; }

static void clear(messages *mine) {
    while (mine->count > 0) {
        free(mine->kept[--mine->count]);
    }
}

static void discard(void *value) {
    messages *mine = value;
    clear(mine);
    free(mine->answered);
    free(mine);
}

static void make_key(void) { pthread_key_create(&key, discard); }

static messages *of_thread(bool make) {
    pthread_once(&once, make_key);
    messages *mine = pthread_getspecific(key);
    if (mine == NULL && make) {
        mine = calloc(1, sizeof *mine);
        pthread_setspecific(key, mine);
    }
    return mine;
}

/* At the end of the process the main thread's messages go too: its keys have no destructor called. */
__attribute__((destructor)) static void discard_last(void) {
    messages *mine = of_thread(false);
    if (mine != NULL) {
        pthread_setspecific(key, NULL);
        discard(mine);
    }
}

/* What kind of mistake a code stands for, in the words and with the numbers of the real messages. */
static const char *category(int code) {
    switch (code) {
    case 161001:
    case 161002:
        return "AclNN_Parameter_Error(EZ1001)";
    case 361001:
        return "AclNN_Runtime_Error(EZ9903)";
    case 207001:
    case 207018:
        return "Memory_Allocation_Failure(EL0004)";
    default:
        if (code / 1000 == 561) {
            return "AclNN_Inner_Error(EZ9999)";
        }
        return code / 1000 == 107 || code / 1000 == 100 ? "Invalid_Argument(EE1001)" : "Inner_Error(EE9999)";
    }
}

static char *stamped(int code, const char *sentence) {
    struct timespec now;
    struct tm parts;
    char date[32];
    char *text = NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    strftime(date, sizeof date, "%Y-%m-%d-%H:%M:%S", &parts);
    if (asprintf(&text, "[PID: %ld] %s.%03ld.%03ld %s: %s", (long)getpid(), date, now.tv_nsec / 1000000,
                 now.tv_nsec / 1000 % 1000, category(code), sentence) < 0) {
        return NULL;
    }
    return text;
}

static void keep(char *text) {
    messages *mine = of_thread(true);
    if (mine == NULL || text == NULL) {
        free(text);
        return;
    }
    if (mine->call != call) {
        clear(mine);
        mine->call = call;
    }
    if (mine->count == KEPT) {
        free(mine->kept[0]);
        memmove(mine->kept, mine->kept + 1, sizeof mine->kept[0] * (KEPT - 1));
        mine->count--;
    }
    mine->kept[mine->count++] = text;
}

/* Whether the simulator is as taciturn as a library that gives a status and no reason. */
static bool is_silent(void) {
    const char *value = getenv("ACLSPEC_SIMULATOR_SILENT");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static void note_code(const sim_site *site, int code) {
    messages *mine = strncmp(site->function, "aclrt", 5) == 0 ? of_thread(true) : NULL;
    if (mine != NULL) {
        mine->last = code;
    }
}

int sim_last_error(bool take) {
    messages *mine = of_thread(false);
    const int code = mine != NULL ? mine->last : 0;
    if (mine != NULL && take) {
        mine->last = 0;
    }
    return code;
}

int sim_fail(const sim_site *site, int code, const char *format, ...) {
    va_list arguments;
    char *sentence = NULL;
    note_code(site, code);
    if (is_silent()) {
        return code;
    }
    va_start(arguments, format);
    const int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return code;
    }
    /* A sentence of the checks says where it comes from; the others are told here. */
    if (strstr(sentence, " - while calling ") == NULL) {
        char *with_place = NULL;
        if (asprintf(&with_place, "%s\n - while calling %s", sentence, site->function) >= 0) {
            free(sentence);
            sentence = with_place;
        }
    }
    keep(stamped(code, sentence));
    free(sentence);
    return code;
}

const char *sim_recent_message(void) {
    messages *mine = of_thread(false);
    if (mine == NULL || mine->count == 0) {
        return NULL;
    }
    size_t bytes = 1;
    for (size_t at = 0; at < mine->count; at++) {
        bytes += strlen(mine->kept[at]) + 1;
    }
    char *text = malloc(bytes);
    if (text == NULL) {
        return NULL;
    }
    char *end = text;
    while (mine->count > 0) {
        char *newest = mine->kept[--mine->count];
        end = stpcpy(end, newest);
        *end++ = '\n';
        free(newest);
    }
    end[-1] = '\0';
    free(mine->answered);
    mine->answered = text;
    return text;
}

void sim_say(const char *format, ...) {
    va_list arguments;
    char line[4096];
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "aclspec simulator: %s\n", line);
}
