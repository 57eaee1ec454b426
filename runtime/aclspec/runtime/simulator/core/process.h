/* The device process, as it is started. */
#ifndef ACLSPEC_PROCESS_H
#define ACLSPEC_PROCESS_H

#include <stdbool.h>

/* The program's ends: a socket, a pipe that tells the process by closing that the program has ended, and the file that is the
 * standard error of the process, -1 where there is none. */
typedef struct sim_process {
    int socket, life, errors;
} sim_process;

/* The Python that computes, as the simulator's folder says; where it says nothing, a text that is no program. */
const char *sim_python(void);

/* Start it, or connect to the one that waits at ACLSPEC_DEVICE_SOCKET; false with the number of the error in `errno`. */
bool sim_start_process(int memory, sim_process *made);
void sim_close_process(sim_process *process);

#endif
