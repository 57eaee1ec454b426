/* A call, then every descriptor is closed and files of the program's own take the numbers; calls again. What the files hold in the
 * end is what the program wrote. Argument: the folder of the files. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stubbed.h"

enum { FILES = 300, MOST = 400, WRONG = 20 };

static void wrong(int64_t size) {
    static char workspace[64];
    uint64_t needed;
    void *executor;
    void *tensor = tensor_of(1, &size, 0);
    aclnnAbsGetWorkspaceSize(NULL, tensor, &needed, &executor); /* each is a finding of its own */
    if (aclnnAbsGetWorkspaceSize(tensor, tensor, &needed, &executor) == 0) {
        aclnnAbs(workspace, needed, executor, NULL);
    }
    aclDestroyTensor(tensor);
}

int main(int count, char **arguments) {
    char path[4096];
    wrong(1);
    for (int at = 0; at < MOST; at++) {
        close(at);
    }
    int status = count > 1 ? 0 : 10;
    for (int at = 0; at < FILES; at++) {
        snprintf(path, sizeof path, "%s/%d", arguments[1], at);
        status = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644) == at ? status : 11; /* the lowest number that is free */
    }
    for (int64_t at = 2; at < WRONG; at++) {
        wrong(at);
    }
    for (int at = 0; at < FILES; at++) {
        struct stat found;
        status = fstat(at, &found) == 0 && found.st_size == 0 ? status : 12;
    }
    snprintf(path, sizeof path, "%s/last", arguments[1]);
    status = open(path, O_RDWR | O_CREAT, 0644) == FILES ? status : 13;
    return status;
}
