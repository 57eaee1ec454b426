/* Refused calls, whose reports nobody may read; then what they left of the thread's signals and of errno. With an argument both
 * signals are blocked and pending before. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "stubbed.h"

enum { CALLS = 100 };

static void tell(const char *what, const sigset_t *set) {
    printf("%s: pipe %d, size %d\n", what, sigismember(set, SIGPIPE), sigismember(set, SIGXFSZ));
}

int main(int count, char **arguments) {
    (void)arguments;
    sigset_t both, set;
    sigemptyset(&both);
    sigaddset(&both, SIGPIPE);
    sigaddset(&both, SIGXFSZ);
    if (count > 1) {
        pthread_sigmask(SIG_BLOCK, &both, NULL);
        raise(SIGPIPE);
        raise(SIGXFSZ);
    }
    const int flags = fcntl(STDERR_FILENO, F_GETFL);
    int kept = 0;
    for (int64_t at = 0; at < CALLS; at++) { /* each has a finding of its own */
        const int64_t shape[] = {at + 1};
        void *out = tensor_of(1, shape, 0), *executor;
        uint64_t size;
        errno = 77;
        aclnnAbsGetWorkspaceSize(NULL, out, &size, &executor);
        kept += errno == 77;
        aclDestroyTensor(out);
    }
    printf("errno is kept by %d calls\n", kept);
    printf("flags are kept: %d\n", fcntl(STDERR_FILENO, F_GETFL) == flags);
    sigpending(&set);
    tell("pending", &set);
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    tell("blocked", &set);
    struct sigaction action;
    sigaction(SIGPIPE, NULL, &action);
    printf("the program's own action: %d\n", action.sa_handler == SIG_DFL);
    return 0;
}
