/* One message and one answer for each call that Python computes. A device process that has died is a failure that stays until
 * the device is reset. */
#include "ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "aclnn_status.h"
#include "aclspec_evaluator.h"
#include "arena.h"
#include "internal.h"
#include "layer/text.h"
#include "process.h"

enum { DEAD = ACL_ERROR_RT_DRV_INTERNAL_ERROR, LONGEST = 4096, ERRORS = 1 << 16, SHOWN = 8 };

typedef enum sim_state { NONE, STARTED, READY, GONE } sim_state;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of all below; held from a message to its answer */
static sim_state state;
static sim_process device = {-1, -1, -1};
static int code;              /* that calls of a device have that is gone */
static char failure[LONGEST]; /* why it is gone */

static const char *AGAIN = "Build the simulator again with: aclspec simulator build";

/* ---- the end of a device ------------------------------------------------------------------------------------------- */

/* With the guard held. What the process said last: what a signal did, or the last line of an error; false where it said nothing. */
static bool last_words(char *words, size_t size) {
    static char text[ERRORS];
    static const char fatal[] = "Fatal Python error: ";
    const off_t end = device.errors >= 0 ? lseek(device.errors, 0, SEEK_END) : 0;
    const off_t from = end > ERRORS - 1 ? end - (ERRORS - 1) : 0;
    const ssize_t length = end > 0 ? pread(device.errors, text, sizeof text - 1, from) : 0;
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    const char *found = strstr(text, fatal);
    if (found == NULL) {
        for (char *last = text + length - 1; last > text && *last == '\n'; last--) {
            *last = '\0';
        }
        found = strrchr(text, '\n') != NULL ? strrchr(text, '\n') + 1 : text;
    }
    snprintf(words, size, "%.*s", (int)strcspn(found, "\n"), found);
    return words[0] != '\0';
}

static void add_slot(layer_text *text, const char *name, const sim_view *view) {
    const char *dtype = aclspec_dtype_name((int)view->dtype);
    layer_add(text, "%s=%s[", name, dtype != NULL ? dtype : "?");
    for (uint64_t at = 0; at < view->rank; at++) {
        layer_add(text, at > 0 ? ", %lld" : "%lld", (long long)view->dims[at]);
    }
    layer_add(text, "]");
}

/* "aclnnAdd(self=FLOAT[4, 4], other=FLOAT[4, 4], out=FLOAT[4, 4])" */
static void describe(const aclOpExecutor *call, layer_text *text) {
    size_t shown = 0;
    layer_add(text, "%s(", call->op->name);
    for (size_t at = 0; at < call->op->count; at++) {
        for (size_t slot = call->first[at]; slot < call->first[at + 1]; slot++) {
            if (call->slots[slot].tensor != NULL && shown++ < SHOWN) {
                layer_add(text, shown > 1 ? ", " : "");
                add_slot(text, call->op->params[at].name, &call->slots[slot].view);
            }
        }
    }
    layer_add(text, shown > SHOWN ? ", and %zu more)" : ")", shown - SHOWN);
}

/* With the guard held: nothing answers any more. */
static void end(const aclOpExecutor *call) {
    char words[LONGEST / 4] = "";
    const bool said = last_words(words, sizeof words);
    layer_text text = {0};
    if (state == READY) {
        describe(call, &text);
        code = DEAD;
        snprintf(failure, sizeof failure, "The device process has ended (%s) in %.2048s. Every call that needs it fails until aclrtResetDevice.",
                 said ? words : "without a word, as of SIGKILL or for want of memory", text.at != NULL ? text.at : call->op->name);
    } else {
        code = ACLNN_ERR_INNER;
        snprintf(failure, sizeof failure, "The device process cannot be started from %.1024s (%s). %s.", sim_python(),
                 said ? words : "it ended without a word", AGAIN);
        sim_say("%s", failure);
    }
    layer_free(&text);
    sim_close_process(&device);
    state = GONE;
}

/* ---- a message and its answer -------------------------------------------------------------------------------------- */

static bool send_all(const void *bytes, size_t size) {
    for (size_t sent = 0; sent < size;) {
        const ssize_t more = send(device.socket, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR) {
            return false;
        }
        sent += more > 0 ? (size_t)more : 0;
    }
    return true;
}

static bool receive(void *bytes, size_t size) {
    for (size_t held = 0; held < size;) {
        const ssize_t more = recv(device.socket, (char *)bytes + held, size - held, MSG_WAITALL);
        if (more == 0 || (more < 0 && errno != EINTR)) {
            return false;
        }
        held += more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* With the guard held: the rest of an answer; false where none comes. */
static bool read_rest(const sim_wire_answer *head, const aclOpExecutor *call, sim_answer *answer) {
    static const char *const effects[] = SIM_WIRE_EFFECTS;
    const size_t lengths = sizeof *answer->lengths * (size_t)head->lengths, text = (size_t)head->length - sizeof *head - lengths;
    answer->status = (int)head->status;
    answer->workspace = (uint64_t)head->workspace;
    answer->effect = effects[head->effect];
    answer->length_count = (size_t)head->lengths;
    answer->lengths = lengths > 0 ? malloc(lengths) : NULL;
    answer->message = text > 0 ? calloc(1, text + 1) : NULL;
    if ((lengths > 0 && (answer->lengths == NULL || !receive(answer->lengths, lengths))) ||
        (text > 0 && (answer->message == NULL || !receive(answer->message, text)))) {
        return false;
    }
    if (head->broken != 0 && answer->message != NULL) { /* nobody foresaw this: one sentence for whoever reads the terminal */
        char *reason = answer->message;
        sim_say("The simulator itself fails in %s (%s).", call->op->name, reason);
        if (asprintf(&answer->message, "The simulator itself fails (%s).", reason) < 0) {
            answer->message = NULL;
        }
        free(reason);
    }
    return true;
}

static bool exchange(const sim_words *message, const aclOpExecutor *call, sim_answer *answer) {
    sim_wire_answer head;
    if (state == STARTED) {
        if (!receive(&head, sizeof head)) {
            return false;
        }
        state = READY;
    }
    return send_all(message->at, sizeof *message->at * message->count) && receive(&head, sizeof head) && read_rest(&head, call, answer);
}

static void refuse(sim_answer *answer, int status, const char *sentence) {
    free(answer->message);
    free(answer->lengths);
    *answer = (sim_answer){.status = status, .message = strdup(sentence)};
}

/* With the guard held. */
static void start(void) {
    if (state != NONE) {
        return;
    }
    if (sim_start_process(sim_arena(), &device)) {
        state = STARTED;
    } else {
        state = GONE;
        code = ACLNN_ERR_INNER;
        snprintf(failure, sizeof failure, "The device process cannot be started (%s).", strerror(errno));
        sim_say("%s", failure);
    }
}

void sim_ask(const aclOpExecutor *call, sim_wire_kind kind, bool document, sim_answer *answer) {
    sim_words message = {0};
    sim_write(&message, call, kind, document);
    if (message.failed) {
        refuse(answer, ACLNN_ERR_INNER, "There is no memory for a message to the device.");
        free(message.at);
        return;
    }
    pthread_mutex_lock(&guard);
    start();
    if (state != GONE && !exchange(&message, call, answer)) {
        end(call);
    }
    if (state == GONE) {
        refuse(answer, code, failure);
    }
    pthread_mutex_unlock(&guard);
    free(message.at);
}

int sim_told(const sim_site *site, const sim_answer *answer) {
    if (answer->message != NULL) {
        sim_fail(site, answer->status, "%s", answer->message);
        free(answer->message);
    }
    return answer->status;
}

/* ---- its life ------------------------------------------------------------------------------------------------------ */

void sim_start_device(void) {
    pthread_mutex_lock(&guard);
    start();
    pthread_mutex_unlock(&guard);
}

void sim_reset_dead_device(void) {
    pthread_mutex_lock(&guard);
    state = state == GONE ? NONE : state;
    pthread_mutex_unlock(&guard);
}

int sim_device_failure(const sim_site *site) {
    char sentence[LONGEST] = "";
    pthread_mutex_lock(&guard);
    if (state == GONE && code == DEAD) {
        memcpy(sentence, failure, sizeof sentence);
    }
    pthread_mutex_unlock(&guard);
    return sentence[0] != '\0' ? sim_fail(site, DEAD, "%s", sentence) : 0;
}

int sim_find_device(const sim_site *site) {
    static bool found, told;
    if (__atomic_load_n(&found, __ATOMIC_RELAXED) || access(sim_python(), X_OK) == 0) {
        __atomic_store_n(&found, true, __ATOMIC_RELAXED);
        return 0;
    }
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) {
        sim_say("The Python that the simulator was built with (%s) is not there. %s.", sim_python(), AGAIN);
    }
    return sim_fail(site, ACL_ERROR_INTERNAL_ERROR, "The Python that the simulator was built with (%s) is not there. %s.", sim_python(), AGAIN);
}

void sim_leave_device(void) { sim_close_process(&device); }
