/* libacl_op_compiler: operators that are called by their type, and the options of their compiler. */
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "build.h"
#include "core/objects.h"

/* ---- operators ---------------------------------------------------------------------------------------------------- */

static const char *const COPIES[] = SIM_COPIES;

static bool is_copy(const char *type) {
    for (size_t at = 0; COPIES[at] != NULL; at++) {
        if (strcmp(type, COPIES[at]) == 0) {
            return true;
        }
    }
    return false;
}

static int copy(const sim_site *site, const char *type, int inputs, const aclDataBuffer *const from[], int outputs,
                aclDataBuffer *const to[], aclrtStream stream) {
    if (inputs != 1 || outputs != 1 || from == NULL || to == NULL || from[0] == NULL || to[0] == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "%s has one input and one output; %d and %d are given.", type, inputs, outputs);
    }
    int code = sim_check(site, SIM_DATA_BUFFER, from[0], ACL_ERROR_INVALID_PARAM);
    code = code != 0 ? code : sim_check(site, SIM_DATA_BUFFER, to[0], ACL_ERROR_INVALID_PARAM);
    if (code != 0) {
        return code;
    }
    const size_t count = from[0]->size < to[0]->size ? from[0]->size : to[0]->size;
    return count == 0 ? 0 : aclrtMemcpyAsync(to[0]->data, to[0]->size, from[0]->data, count, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static int run(const sim_site *site, const char *type, int inputs, const aclDataBuffer *const from[], int outputs,
               aclDataBuffer *const to[], aclrtStream stream) {
    if (type == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The type of the operator is null.");
    }
    if (!is_copy(type)) {
        return sim_fail(site, ACL_ERROR_OP_NOT_FOUND,
                        "The operator %s is called by its type, by aclopCompileAndExecute; the simulator computes aclnn functions alone.",
                        type);
    }
    return copy(site, type, inputs, from, outputs, to, stream);
}

aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs, const aclTensorDesc *const outputDesc[],
                                aclDataBuffer *const outputs[], const aclopAttr *attr, aclopEngineType engineType,
                                aclopCompileType compileFlag, const char *opPath, aclrtStream stream) {
    SIM_ENTER;
    (void)inputDesc, (void)outputDesc, (void)attr, (void)engineType, (void)compileFlag, (void)opPath;
    return run(site, opType, numInputs, inputs, numOutputs, outputs, stream);
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[], aclDataBuffer *inputs[],
                                  int numOutputs, aclTensorDesc *outputDesc[], aclDataBuffer *outputs[], aclopAttr *attr,
                                  aclopEngineType engineType, aclopCompileType compileFlag, const char *opPath,
                                  aclrtStream stream) {
    SIM_ENTER;
    (void)inputDesc, (void)outputDesc, (void)attr, (void)engineType, (void)compileFlag, (void)opPath;
    return run(site, opType, numInputs, (const aclDataBuffer *const *)inputs, numOutputs, outputs, stream);
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

enum { OPTIONS = ACL_OP_DEBUG_OPTION + 1, LONGEST = 256 };
static char values[OPTIONS][LONGEST] = {[ACL_OP_JIT_COMPILE] = "disable"};

static int check(const sim_site *site, aclCompileOpt opt, const void *value) {
    if ((int)opt < 0 || (int)opt >= OPTIONS) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The option (%d) is unknown.", (int)opt);
    }
    return value != NULL ? 0 : sim_fail(site, ACL_ERROR_INVALID_PARAM, "The value of the option (%d) is null.", (int)opt);
}

aclError aclSetCompileopt(aclCompileOpt opt, const char *value) {
    SIM_ENTER;
    const int code = check(site, opt, value);
    if (code != 0) {
        return code;
    }
    if (strlen(value) >= LONGEST) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The value of the option (%d) has more than %d characters.", (int)opt, LONGEST - 1);
    }
    strcpy(values[opt], value);
    return 0;
}

/* With the null behind the text. */
size_t aclGetCompileoptSize(aclCompileOpt opt) {
    SIM_SITE;
    return check(site, opt, "") == 0 ? strlen(values[opt]) + 1 : 0;
}

aclError aclGetCompileopt(aclCompileOpt opt, char *value, size_t length) {
    SIM_ENTER;
    const int code = check(site, opt, value);
    if (code != 0) {
        return code;
    }
    if (length <= strlen(values[opt])) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The value of the option (%d) needs %zu characters; there is room for %zu.",
                        (int)opt, strlen(values[opt]) + 1, length);
    }
    strcpy(value, values[opt]);
    return 0;
}
