/* libascendcl: graphs that are captured from streams. */
#include "core/sim.h"

FORWARD(aclError, aclmdlRICaptureBegin, (aclrtStream stream, aclmdlRICaptureMode mode), sim_capture_begin(site, stream, (int)mode))
FORWARD(aclError, aclmdlRICaptureEnd, (aclrtStream stream, aclmdlRI *modelRI), sim_capture_end(site, stream, modelRI))
FORWARD(aclError, aclmdlRIDebugPrint, (aclmdlRI modelRI), sim_print_graph(site, modelRI))
FORWARD(aclError, aclmdlRIExecuteAsync, (aclmdlRI modelRI, aclrtStream stream), sim_run_graph(site, modelRI, stream))
FORWARD(aclError, aclmdlRIDestroy, (aclmdlRI modelRI), sim_destroy_graph(site, modelRI))
FORWARD(aclError, aclmdlRICaptureTaskGrpBegin, (aclrtStream stream), sim_group_begin(site, stream))
FORWARD(aclError, aclmdlRICaptureTaskGrpEnd, (aclrtStream stream, aclrtTaskGrp *handle), sim_group_end(site, stream, handle))
FORWARD(aclError, aclmdlRICaptureTaskUpdateBegin, (aclrtStream stream, aclrtTaskGrp handle), sim_update_begin(site, stream, handle))
FORWARD(aclError, aclmdlRICaptureTaskUpdateEnd, (aclrtStream stream), sim_update_end(site, stream))

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI) {
    SIM_ENTER;
    int found = 0;
    const int code = sim_capture_info(site, stream, status == NULL ? NULL : &found, modelRI);
    if (code == 0) {
        *status = (aclmdlRICaptureStatus)found;
    }
    return code;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode) {
    SIM_ENTER;
    int given = mode == NULL ? 0 : (int)*mode;
    const int code = sim_capture_mode(site, mode == NULL ? NULL : &given);
    if (code == 0) {
        *mode = (aclmdlRICaptureMode)given;
    }
    return code;
}

/* The limit of time never passes: a simulated graph has run when the call returns. */
aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
    SIM_ENTER;
    (void)timeout;
    const int code = sim_run_graph(site, modelRI, NULL);
    return code != 0 ? code : sim_synchronize(site, NULL);
}
