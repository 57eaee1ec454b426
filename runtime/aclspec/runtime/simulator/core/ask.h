/* What the device process is asked, and what it answers. */
#ifndef ACLSPEC_ASK_H
#define ACLSPEC_ASK_H

#include "objects.h"

/* The answer about a call. `message` and `lengths` are from malloc. */
typedef struct sim_answer {
    int status;
    uint64_t workspace;
    const char *effect;
    char *message;
    sim_wire_length *lengths;
    size_t length_count;
} sim_answer;

/* A message, or a part of it: words from malloc. */
typedef struct sim_words {
    int64_t *at;
    size_t count, room;
    bool failed;
} sim_words;

/* The message about a call, whose memory is held. */
void sim_write(sim_words *to, const aclOpExecutor *call, sim_wire_kind kind, bool document);

/* Ask about a call, whose memory is held. What no device answers is an answer, too. */
void sim_ask(const aclOpExecutor *call, sim_wire_kind kind, bool document, sim_answer *answer);
/* Keep the message of an answer, if it has one, and answer its status. */
int sim_told(const sim_site *site, const sim_answer *answer);
/* The recorded failure of a device that has died, which all later calls have until it is reset; 0 of one that lives. */
int sim_device_failure(const sim_site *site);
/* Start the device process, unless one runs or has died; its interpreter gets ready while the program goes on. */
void sim_start_device(void);
/* The end of a device process that has died: the next one is a new one. */
void sim_reset_dead_device(void);
/* Whether it could be started, as far as files tell: 0, else the failure is recorded and said on standard error. */
int sim_find_device(const sim_site *site);
/* In a forked process: the device stays the other one's. */
void sim_leave_device(void);

#endif
