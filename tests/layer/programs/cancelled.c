/* Threads that are cancelled while they call, each followed by a call of the main thread, which must not wait for ever. */
#include <pthread.h>
#include <unistd.h>

#include "stubbed.h"

static void call(void) {
    void *executor;
    uint64_t size;
    aclnnAbsGetWorkspaceSize(NULL, NULL, &size, &executor);
}

static void *work(void *given) {
    for (;;) {
        call();
        pthread_testcancel();
    }
    return given;
}

int main(void) {
    for (int at = 0; at < 50; at++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        call();
    }
    puts("done");
    return 0;
}
