/* A number of calls, the last of which has no phase two, and then an end without a destructor. Arguments: how many calls; kill, exit,
 * fault, or the way on: fork, exec, spawn, or again, which runs this program in the same process and lets that one end. */
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stubbed.h"

extern char **environ;

static void calls(int wanted) {
    static char workspace[64];
    static float numbers[] = {-1, 2};
    const int64_t shape[] = {2};
    for (int at = 0; at < wanted; at++) {
        void *self = aclCreateTensor(shape, 1, 0, NULL, 0, 2, shape, 1, numbers), *executor;
        uint64_t size;
        aclnnAbsGetWorkspaceSize(self, self, &size, &executor);
        if (at + 1 < wanted) {
            aclnnAbs(workspace, size, executor, NULL);
        }
        aclDestroyTensor(self);
    }
}

static volatile int *volatile nowhere;

static void end(const char *way) {
    if (strcmp(way, "kill") == 0) {
        kill(getpid(), SIGKILL);
    } else if (strcmp(way, "fault") == 0) {
        *nowhere = 1;
    }
    _exit(3);
}

int main(int count, char **arguments) {
    const char *number = count > 1 ? arguments[1] : "1", *way = count > 2 ? arguments[2] : "exit";
    char *other[] = {arguments[0], (char *)number, "exit", NULL};
    pid_t child = -1;
    calls(atoi(number));
    if (strcmp(way, "again") == 0) {
        execv(arguments[0], other);
    } else if (strcmp(way, "fork") == 0 || strcmp(way, "exec") == 0) {
        child = fork();
        if (child == 0 && way[0] == 'e') {
            execv(arguments[0], other);
        } else if (child == 0) {
            calls(atoi(number));
        }
    } else if (strcmp(way, "spawn") == 0) {
        posix_spawn(&child, arguments[0], NULL, NULL, other, environ);
    }
    if (child > 0) {
        calls(atoi(number));
        waitpid(child, NULL, 0);
    }
    end(way);
}
