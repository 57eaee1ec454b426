/* Starts Python as the executable does that the simulator was built with, whatever the environment says: an interpreter
 * that guesses its own prefix finds another library, or none. */
#include <stdio.h>

#include "bridge.h"
#include "build.h"

static int refused(PyStatus status, PyConfig *config, char *why, size_t size) {
    snprintf(why, size, "%s", status.err_msg != NULL ? status.err_msg : "no reason given");
    PyConfig_Clear(config);
    return -1;
}

int bridge_start_interpreter(char *why, size_t size) {
    PyPreConfig before;
    PyConfig config;
    PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&before);
    PyConfig_InitIsolatedConfig(&config);
    if (!PyStatus_Exception(status)) {
        status = PyConfig_SetBytesString(&config, &config.program_name, SIM_PYTHON);
    }
    if (!PyStatus_Exception(status)) {
        status = PyConfig_SetBytesString(&config, &config.executable, SIM_PYTHON);
    }
    config.write_bytecode = 1;
    if (!PyStatus_Exception(status)) {
        status = Py_InitializeFromConfig(&config);
    }
    if (PyStatus_Exception(status)) {
        return refused(status, &config, why, size);
    }
    PyConfig_Clear(&config);
    return 0;
}
