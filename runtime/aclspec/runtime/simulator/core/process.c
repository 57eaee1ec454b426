/* Starts the device process. It is no child of the program: a process in between starts it and ends, so that whoever waits for
 * the program's children, or is told of their ends, never sees it. In a session of its own it is spared the signals of the
 * terminal. */
#include "process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT "aclspec_python.txt"

enum { FILES = 6, ABOVE = 10, MOST_VARIABLES = 256, LONGEST = 512 };

extern char **environ;

/* The text beside the folder of this library: a line with the Python, and the packages that the process is told of. */
static char *python, *packages = (char *)"";

/* When the library is loaded, since a path that the loader was given may begin in the folder where the program is then. */
__attribute__((constructor)) static void read_text(void) {
    Dl_info own;
    char path[PATH_MAX];
    size_t size = 0;
    const char *const name = dladdr((void *)&python, &own) != 0 ? own.dli_fname : "";
    const char *const slash = strrchr(name, '/');
    snprintf(path, sizeof path, "%.*s../" TEXT, slash != NULL ? (int)(slash + 1 - name) : 0, name);
    FILE *const file = fopen(path, "re");
    if (file != NULL && getdelim(&python, &size, '\0', file) > 0) {
        char *const end = python + strcspn(python, "\n");
        packages = *end != '\0' ? end + 1 : end;
        *end = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
}

const char *sim_python(void) { return python != NULL ? python : "none, for " TEXT " cannot be read"; }

/* What the process takes over of the program's environment: where files are, and what decides about computing. */
static bool is_wanted(const char *variable) {
    static const char *const names[] = {"PATH=", "HOME=", "TMPDIR=", "LANG=", "LC_", "LD_LIBRARY_PATH=", "ACLSPEC_", "OMP_", "OPENBLAS_", "MKL_"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (strncmp(variable, names[at], strlen(names[at])) == 0) {
            return true;
        }
    }
    return false;
}

static void select_environment(char **chosen) {
    size_t count = 0;
    for (char **one = environ; one != NULL && *one != NULL && count < MOST_VARIABLES; one++) {
        if (is_wanted(*one)) {
            chosen[count++] = *one;
        }
    }
    chosen[count++] = (char *)"TORCH_DEVICE_BACKEND_AUTOLOAD=0"; /* PyTorch would load the program's backend here */
    chosen[count] = NULL;
}

/* In the new process, where only what is safe in a signal handler is called. */
static _Noreturn void become(const int *files, char *const *words, char *const *environment) {
    int above[FILES];
    sigset_t none;
    for (int at = 0; at < FILES; at++) {
        above[at] = fcntl(files[at], F_DUPFD, ABOVE);
    }
    for (int at = 0; at < FILES; at++) {
        if (above[at] < 0 || dup2(above[at], at) < 0) {
            _exit(1);
        }
    }
    if (syscall(SYS_close_range, FILES, ~0u, 0) != 0) {
        for (int at = FILES; at < LONGEST; at++) {
            close(at);
        }
    }
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(words[0], words, environment);
    _exit(1);
}

/* A copy of this process whose end nobody is told of; as of `fork`, whose handlers are not run. */
static pid_t copy(int signal_at_end) { return (pid_t)syscall(SYS_clone, signal_at_end, NULL, NULL, NULL, NULL); }

static bool start(const int *files) {
    char *const words[] = {(char *)sim_python(), (char *)"-I", (char *)"-X", (char *)"utf8", (char *)"-m", (char *)"aclspec.runtime.simulator.device_process", packages, NULL};
    char *environment[MOST_VARIABLES + 2];
    sigset_t all, before;
    select_environment(environment);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t between = copy(0);
    if (between == 0) {
        const pid_t device = copy(SIGCHLD);
        if (device == 0) {
            become(files, words, environment);
        }
        _exit(device < 0);
    }
    const int error = errno;
    int status = 1;
    while (between > 0 && waitpid(between, &status, __WCLONE) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = between < 0 ? error : EAGAIN;
    return between > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Connect to a device that somebody started in a terminal: it is handed the memory, and the packages of operators. */
static bool attach(const char *path, int memory, sim_process *made) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec text = {packages, strlen(packages) + 1};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof memory);
    memcpy(CMSG_DATA(head), &memory, sizeof memory);
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= (int)sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    made->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return made->socket >= 0 && connect(made->socket, (const struct sockaddr *)&address, sizeof address) == 0 &&
           sendmsg(made->socket, &message, MSG_NOSIGNAL) == (ssize_t)text.iov_len;
}

static bool attach_or_close(const char *path, int memory, sim_process *made) {
    *made = (sim_process){-1, -1, -1};
    const bool attached = memory >= 0 && attach(path, memory, made);
    const int error = errno;
    if (!attached) {
        sim_close_process(made);
    }
    errno = error;
    return attached;
}

bool sim_start_process(int memory, sim_process *made) {
    const char *path = getenv("ACLSPEC_DEVICE_SOCKET");
    if (path != NULL && path[0] != '\0') {
        return attach_or_close(path, memory, made);
    }
    int ends[2] = {-1, -1}, life[2] = {-1, -1};
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    *made = (sim_process){-1, -1, memfd_create("aclspec-errors", MFD_CLOEXEC)};
    bool started = nothing >= 0 && memory >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && pipe2(life, O_CLOEXEC) == 0;
    if (started) {
        const int files[FILES] = {nothing, nothing, made->errors >= 0 ? made->errors : nothing, ends[1], memory, life[0]};
        started = start(files);
    }
    const int error = errno;
    const int others[] = {nothing, ends[1], life[0]};
    for (size_t at = 0; at < sizeof others / sizeof *others; at++) {
        if (others[at] >= 0) {
            close(others[at]);
        }
    }
    made->socket = ends[0];
    made->life = life[1];
    if (!started) {
        sim_close_process(made);
    }
    errno = error;
    return started;
}

void sim_close_process(sim_process *process) {
    const int files[] = {process->socket, process->life, process->errors};
    for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
        if (files[at] >= 0) {
            close(files[at]);
        }
    }
    *process = (sim_process){-1, -1, -1};
}
