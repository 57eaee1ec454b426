/* What the layer says: each finding once, whole reports at a time, and a count at the end. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "layer.h"

enum { KEPT = 4096 };

typedef struct {
    layer_finding finding;
    int operator_index;
    const char *rule;
    uint64_t digest;
    uint64_t count;
} entry;

static entry entries[KEPT]; /* a table with open addressing; one that is full counts the rest together */
static uint64_t kept, beyond;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static layer_file log_file = {.number = -1}, standard_error = {.number = -1};
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;
static bool told_of_log;
static uint64_t dropped;

bool layer_is_muted(const char *rule) {
    const size_t length = rule != NULL ? strlen(rule) : 0;
    for (const char *at = layer_is.mute; length > 0 && at != NULL && *at != '\0';) {
        at += strspn(at, ", ");
        const size_t word = strcspn(at, ", ");
        if (word == length && strncmp(at, rule, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

bool layer_first_time(layer_finding finding, int operator_index, const char *rule, uint64_t digest) {
    const entry wanted = {finding, operator_index, rule, digest, 1};
    const uint64_t key = (digest ^ (uint64_t)(uintptr_t)rule ^ (uint64_t)operator_index << 32 ^ (uint64_t)finding) * 0x9E3779B97F4A7C15u;
    bool is_new = false;
    if (layer_is_muted(rule)) {
        return false;
    }
    pthread_mutex_lock(&guard);
    for (uint64_t step = 0; step < KEPT; step++) {
        entry *at = &entries[(key + step) % KEPT];
        if (at->count == 0) {
            is_new = kept < KEPT - 1;
            if (is_new) {
                *at = wanted;
                kept++;
            } else {
                beyond++;
            }
            break;
        }
        if (at->finding == finding && at->operator_index == operator_index && at->rule == rule && at->digest == digest) {
            at->count++;
            break;
        }
    }
    pthread_mutex_unlock(&guard);
    return is_new;
}

/* Write a report to a file, whole, with process and rank before each line where there are several. */
static bool say_to(layer_file *file, const layer_text *text) {
    layer_text out = {0};
    char before[96] = "";
    if (layer_is.rank != NULL) {
        snprintf(before, sizeof before, "[process %ld, rank %.32s] ", (long)getpid(), layer_is.rank);
    } else if (layer_is_child() || layer_is.log != NULL) {
        snprintf(before, sizeof before, "[process %ld] ", (long)getpid());
    }
    const char *line = text->at;
    for (int at = 0; line != NULL && *line != '\0'; at++) {
        const size_t length = strcspn(line, "\n");
        layer_add(&out, "%s%s%.*s\n", before, at == 0 ? "aclspec layer: " : "  ", (int)length, line);
        line += length + (line[length] == '\n');
    }
    const bool done = out.at != NULL && layer_write(file, out.at, out.length);
    layer_free(&out);
    return done;
}

void layer_start_saying(void) {
    standard_error = layer_file_of(STDERR_FILENO);
    standard_error.inherited = true;
}

/* Say it where reports go. */
static bool say(const layer_text *text) {
    if (layer_is.log != NULL && layer_have(&log_file, layer_is.log)) {
        return say_to(&log_file, text);
    }
    if (!layer_is_same(&standard_error)) {
        return false; /* another file of the program's has its number */
    }
    if (layer_is.log != NULL && !told_of_log) {
        char *line = LAYER_TEXT("The file of ACLSPEC_LAYER_LOG cannot be opened; the report goes to the standard error.",
                                "无法打开 ACLSPEC_LAYER_LOG 指定的文件；报告输出到标准错误。");
        told_of_log = say_to(&standard_error, &(layer_text){.at = line, .length = strlen(line)});
    }
    return say_to(&standard_error, text);
}

/* Where nobody reads, or no room is left, the program goes on, and the report is counted. */
void layer_say(const layer_text *text) {
    const int before = errno;
    int cancelled; /* writing is a point where a thread may be cancelled, and would keep the lock */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
    pthread_mutex_lock(&saying);
    dropped += !say(text);
    pthread_mutex_unlock(&saying);
    pthread_setcancelstate(cancelled, NULL);
    errno = before;
}

void layer_say_line(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    layer_say(&(layer_text){.at = line, .length = strlen(line)});
}

/* What the count of a finding says, with %s for who answered. */
static const char *noun(layer_finding finding) {
    switch (finding) {
    case LAYER_REFUSED: return LAYER_TEXT("refused by %s", "被%s拒绝");
    case LAYER_UNEXPLAINED: return LAYER_TEXT("refused by %s, explained by no rule", "被%s拒绝，无规则可解释");
    case LAYER_UNJUDGED: return LAYER_TEXT("refused by %s, not judged", "被%s拒绝，未判断");
    case LAYER_UNPORTABLE: return LAYER_TEXT("accepted by %s, forbidden by the documents", "被%s接受，但文档禁止");
    case LAYER_SECOND: return LAYER_TEXT("refused by %s in phase two", "在第二阶段被%s拒绝");
    case LAYER_ENFORCED: return LAYER_TEXT("refused by the layer", "被本层拒绝");
    case LAYER_DOUBTFUL: return LAYER_TEXT("accepted by %s, refused by the spec: the spec may be wrong", "被%s接受而规格拒绝：规格可能有误");
    case LAYER_ODD: return LAYER_TEXT("accepted by %s, with an argument that looks wrong", "被%s接受，但参数可疑");
    default: return LAYER_TEXT("misuse of a handle", "句柄误用");
    }
}

/* Add up the entries of a finding, an operator and a rule; each is taken once. */
static uint64_t take(const entry *like) {
    uint64_t sum = 0;
    for (int at = 0; at < KEPT; at++) {
        if (entries[at].count > 0 && entries[at].finding == like->finding && entries[at].operator_index == like->operator_index &&
            entries[at].rule == like->rule) {
            sum += entries[at].count;
            entries[at].count = 0;
        }
    }
    return sum;
}

/* The rule, which begins with the operator's name; else the operator, and what the layer found itself. */
static void add_subject(layer_text *text, const entry *of) {
    const char *name = of->operator_index >= 0 ? aclspec_operators[of->operator_index].name : "";
    const char *rule = of->rule != NULL ? of->rule : "";
    const bool is_rule = strchr(rule, '.') != NULL;
    layer_add(text, "%s%s%s\n", is_rule ? "" : name, !is_rule && name[0] != '\0' && rule[0] != '\0' ? " " : "", rule);
}

void layer_say_end(void) {
    layer_text text = {0};
    pthread_mutex_lock(&guard);
    for (int at = 0; at < KEPT; at++) {
        if (entries[at].count > 0) {
            const entry like = entries[at];
            const uint64_t sum = take(&like);
            layer_add(&text, "%s%llu ", text.length == 0 ? LAYER_TEXT("In all:\n", "总计：\n") : "", (unsigned long long)sum);
            layer_add(&text, noun(like.finding), layer_who());
            layer_add(&text, ": ");
            add_subject(&text, &like);
        }
    }
    if (beyond > 0) {
        layer_add(&text, LAYER_TEXT("%llu others were not told apart.\n", "另有 %llu 次未逐一区分。\n"), (unsigned long long)beyond);
    }
    pthread_mutex_unlock(&guard);
    if (dropped > 0) {
        layer_add(&text, LAYER_TEXT("Reports that could not be written: %llu; ACLSPEC_LAYER_LOG names a file for them.\n",
                                    "未能写出的报告：%llu；可用 ACLSPEC_LAYER_LOG 指定文件。\n"), (unsigned long long)dropped);
    }
    const uint64_t lost = dropped;
    if (text.length > 0) {
        layer_say(&text);
    }
    pthread_mutex_lock(&saying);
    dropped = dropped == lost ? 0 : dropped; /* that was told */
    pthread_mutex_unlock(&saying);
    layer_free(&text);
}

uint64_t layer_lost_reports(void) {
    pthread_mutex_lock(&saying);
    const uint64_t count = dropped;
    pthread_mutex_unlock(&saying);
    return count;
}

void layer_in_child(void) {
    pthread_mutex_init(&guard, NULL);
    pthread_mutex_init(&saying, NULL);
    dropped = 0;
    memset(entries, 0, sizeof entries);
    kept = beyond = 0;
}
