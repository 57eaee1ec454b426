/* CANN's own message of a failure. Reading it clears it, so it is read only where the program asks for it through the layer,
 * which then hands it over. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

typedef struct {
    char *kept;     /* read by the layer, not yet by the program */
    char *answered; /* what the program holds */
} messages;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void discard(void *value) {
    messages *mine = value;
    free(mine->kept);
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

typedef const char *(*recent)(void);

static const char *real_message(void) {
    recent real = (recent)layer_real(LAYER_aclGetRecentErrMsg);
    return real != NULL ? real() : NULL;
}

/* Newer text before older, as CANN has it. */
static char *joined(const char *newer, const char *older) {
    const size_t length = newer != NULL ? strlen(newer) : 0;
    char *text = malloc(length + strlen(older) + 2);
    if (text != NULL) {
        memcpy(text, newer != NULL ? newer : "", length);
        strcpy(length > 0 ? (text[length] = '\n', text + length + 1) : text, older);
    }
    return text;
}

const char *layer_message(bool *read) {
    *read = layer_is_preloaded();
    messages *mine = *read ? of_thread(true) : NULL;
    const char *newer = mine != NULL ? real_message() : NULL;
    if (newer == NULL) {
        return NULL;
    }
    char *text = joined(newer, mine->kept != NULL ? mine->kept : "");
    if (text != NULL && mine->kept == NULL) {
        text[strlen(newer)] = '\0';
    }
    free(mine->kept);
    mine->kept = text;
    return text;
}

LAYER_API const char *aclGetRecentErrMsg(void) {
    messages *mine = layer_is.mode != LAYER_OFF ? of_thread(false) : NULL;
    const char *newer = real_message();
    if (mine == NULL || mine->kept == NULL) {
        return newer;
    }
    char *text = newer != NULL ? joined(newer, mine->kept) : mine->kept;
    if (newer != NULL) {
        free(mine->kept);
    }
    free(mine->answered);
    mine->kept = NULL;
    mine->answered = text;
    return text;
}
