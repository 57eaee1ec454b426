/* What phase one answers, by the checks in C. Left to Python, in the device process, are calls of an operator with a planted
 * fault, and those with a scalar whose value only Python reads, of a dtype narrower than 16 bits. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "aclnn_status.h"
#include "build.h"

enum { API_NOT_SUPPORT = 200001, LARGEST = 1 << 24, LINE = 512 };

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *name_of(const aclOpExecutor *call) { return call->op->name; }

/* ---- the environment ----------------------------------------------------------------------------------------------- */

typedef struct choices {
    bool library;         /* the conformance mode */
    bool refuses_missing; /* phase one refuses what phase two cannot compute */
} choices;

static int read_choices(const sim_site *site, choices *found) {
    const char *mode = variable("ACLSPEC_CONFORMANCE"), *missing = variable("ACLSPEC_MISSING"), *kernels = variable("ACLSPEC_KERNELS");
    *found = (choices){mode == NULL || strcmp(mode, "library") == 0, missing != NULL};
    if (!found->library && strcmp(mode, "document") != 0) {
        return sim_fail(site, ACLNN_ERR_INNER,
                        "The value of the environment variable ACLSPEC_CONFORMANCE (%s) is neither document nor library.", mode);
    }
    if (kernels != NULL && strcmp(kernels, "numpy") != 0 && strcmp(kernels, "torch") != 0) {
        return sim_fail(site, ACLNN_ERR_INNER, "The value of the environment variable ACLSPEC_KERNELS (%s) is neither numpy nor torch.",
                        kernels);
    }
    if (missing != NULL && strcmp(missing, "refuse") != 0) {
        return sim_fail(site, ACLNN_ERR_INNER, "The value of the environment variable ACLSPEC_MISSING (%s) is not refuse.", missing);
    }
    return 0;
}

/* ---- numbers that no enum has -------------------------------------------------------------------------------------- */

static bool is_one_of(const int *numbers, size_t count, int64_t number) {
    for (size_t at = 0; at < count; at++) {
        if (numbers[at] == number) {
            return true;
        }
    }
    return false;
}

static bool is_dtype(int64_t number) {
    static const int dtypes[] = SIM_DTYPES;
    return is_one_of(dtypes, sizeof dtypes / sizeof *dtypes, number);
}

static bool is_format(int64_t number) {
    static const int formats[] = SIM_FORMATS;
    return is_one_of(formats, sizeof formats / sizeof *formats, number);
}

/* "self", or "tensors[2]" of a list. */
static const char *slot_name(const aclOpExecutor *call, size_t slot) {
    static __thread char text[256];
    size_t at = 0;
    while (call->first[at + 1] <= slot) {
        at++;
    }
    const sim_param *param = &call->op->params[at];
    if (param->type == SIM_T_TENSOR) {
        return param->name;
    }
    snprintf(text, sizeof text, "%s[%zu]", param->name, slot - call->first[at]);
    return text;
}

static int no_member(const sim_site *site, const char *noun, const char *name, int64_t number) {
    return sim_fail(site, ACLNN_ERR_PARAM_INVALID,
                    "The %s of %s (%lld) is not one that aclnn has.\n - while converting %s\n - while calling %s", noun, name,
                    (long long)number, name, site->function);
}

static int check_numbers(const sim_site *site, const aclOpExecutor *call) {
    for (size_t at = 0; at < call->op->count; at++) {
        const sim_param *param = &call->op->params[at];
        if (param->type == SIM_T_DTYPE && !is_dtype(call->values[at].integer)) {
            return no_member(site, "dtype", param->name, call->values[at].integer);
        }
        for (size_t slot = call->first[at]; slot < call->first[at + 1]; slot++) {
            const sim_view *view = &call->slots[slot].view;
            if (call->slots[slot].tensor != NULL && !is_dtype(view->dtype)) {
                return no_member(site, "dtype", slot_name(call, slot), view->dtype);
            }
            if (call->slots[slot].tensor != NULL && !is_format(view->format)) {
                return no_member(site, "format", slot_name(call, slot), view->format);
            }
        }
    }
    return 0;
}

/* ---- refusals ------------------------------------------------------------------------------------------------------ */

static int no_rules(const sim_site *site, const aclOpExecutor *call, const choices *how) {
    return sim_fail(site, how->refuses_missing ? ACLNN_ERR_INNER_FIND_KERNEL_ERROR : API_NOT_SUPPORT,
                    "No rule of %s is known: neither that the call works nor that it fails. Its spec only declares it.", name_of(call));
}

static int no_kernel(const sim_site *site, const aclOpExecutor *call) {
    return sim_fail(site, ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                    "The call passes the checks of %s, but %s has no kernel to compute it: its level is checked.\n - while calling %s",
                    name_of(call), name_of(call), name_of(call));
}

/* Whether the library lets a call pass that its document forbids. */
static bool library_passes(const aclspec_operator *checks, int product, const aclspec_argument *arguments) {
    aclspec_verdict verdict = {0};
    checks->check(product, true, arguments, &verdict);
    return verdict.rule == NULL || verdict.effect != NULL;
}

static const char HINT[] = "\n - set ACLSPEC_CONFORMANCE=library to let it pass, as the library does";

static int refused(const sim_site *site, const aclspec_operator *checks, int product, const aclspec_argument *arguments,
                   const aclspec_verdict *verdict) {
    const size_t length = checks->explain(product, arguments, verdict, ACLSPEC_EN, NULL, 0);
    char *sentence = malloc(length + 1);
    if (sentence == NULL) {
        return verdict->as_library ? verdict->library : verdict->document;
    }
    checks->explain(product, arguments, verdict, ACLSPEC_EN, sentence, length + 1);
    const bool passes = !verdict->as_library && library_passes(checks, product, arguments);
    const int code = sim_fail(site, verdict->as_library ? verdict->library : verdict->document,
                              "%s\n - while checking rule %s for %s\n - while calling %s%s%s", sentence, verdict->rule,
                              aclspec_products[product], site->function,
                              passes ? "\n - CANN itself takes this call; its document forbids it" : "", passes ? HINT : "");
    free(sentence);
    return code;
}

/* Two outputs with an element in common, which the library does not look for. */
static int check_overlap(const sim_site *site, const aclOpExecutor *call, const aclspec_operator *checks, int product,
                         const aclspec_argument *arguments) {
    sim_overlap found;
    if (!sim_find_overlap(call, &found)) {
        return 0;
    }
    char one[256];
    snprintf(one, sizeof one, "%s", slot_name(call, found.one));
    size_t at = 0;
    while (call->first[at + 1] <= found.one) {
        at++;
    }
    return sim_fail(site, ACLNN_ERR_PARAM_INVALID,
                    "The memory of the output %s overlaps that of the output %s.\n - while converting %s\n - while calling %s%s", one,
                    slot_name(call, found.before), call->op->params[at].name, site->function,
                    library_passes(checks, product, arguments) ? HINT : "");
}

/* ---- what is accepted ---------------------------------------------------------------------------------------------- */

static void note_written(aclOpExecutor *call, const aclspec_operator *checks, const aclspec_argument *arguments) {
    for (size_t at = 0; at < call->op->count; at++) {
        const bool written = call->first[at] < call->first[at + 1] && (call->op->params[at].direction & SIM_OUT) != 0 &&
                             (checks->writes == NULL || checks->writes((int)at, arguments));
        for (size_t slot = call->first[at]; slot < call->first[at + 1]; slot++) {
            call->slots[slot].written = written;
        }
    }
}

static uint64_t bytes_of(const sim_view *view) {
    uint64_t bytes = sim_type_size(view->dtype);
    for (uint64_t axis = 0; axis < view->rank; axis++) {
        if (view->dims[axis] < 0) {
            return 0;
        }
    }
    for (uint64_t axis = 0; axis < view->rank; axis++) {
        if (__builtin_mul_overflow(bytes, (uint64_t)view->dims[axis], &bytes)) {
            return LARGEST;
        }
    }
    return bytes < LARGEST ? bytes : LARGEST;
}

/* As much as the tensors take, those that are switched off left out, within limits, in whole lines of memory. */
static uint64_t workspace_of(const aclOpExecutor *call) {
    uint64_t total = 0;
    for (size_t at = 0; at < call->op->count; at++) {
        const bool pure = call->op->params[at].direction == SIM_OUT;
        for (size_t slot = call->first[at]; slot < call->first[at + 1] && total < LARGEST; slot++) {
            const sim_slot *one = &call->slots[slot];
            total += one->tensor != NULL && (!pure || one->written) ? bytes_of(&one->view) : 0;
        }
    }
    total = total < 1 ? 1 : total > LARGEST ? LARGEST : total;
    return (total + LINE - 1) / LINE * LINE;
}

static int accept(const sim_site *site, aclOpExecutor *call, const aclspec_operator *checks, const choices *how, const char *effect) {
    if (effect == NULL && how->refuses_missing && !sim_dry() && strcmp(checks->level, "computed") != 0) {
        return no_kernel(site, call);
    }
    call->effect = effect;
    call->workspace = effect != NULL ? 0 : workspace_of(call);
    return 0;
}

/* ---- calls --------------------------------------------------------------------------------------------------------- */

static int judge_in_python(const sim_site *site, aclOpExecutor *call, const choices *how) {
    sim_answer answer = {0};
    sim_ask(call, SIM_KIND_JUDGE, !how->library, &answer);
    call->workspace = answer.workspace;
    call->effect = answer.effect;
    return sim_told(site, &answer);
}

static bool is_planted(const aclOpExecutor *call) {
    const char *faults = variable("ACLSPEC_SIMULATOR_FAULT");
    return faults != NULL && strstr(faults, name_of(call)) != NULL;
}

static int judge(const sim_site *site, aclOpExecutor *call, const aclspec_operator *checks, const char *product, const choices *how,
                 const aclspec_argument *arguments) {
    const int number = aclspec_find_product(product);
    aclspec_verdict verdict = {0};
    note_written(call, checks, arguments);
    if (checks->check == NULL) {
        return accept(site, call, checks, how, NULL); /* on the dry device: nobody judges it */
    }
    const int code = how->library ? 0 : check_overlap(site, call, checks, number, arguments);
    if (code != 0) {
        return code;
    }
    checks->check(number, how->library, arguments, &verdict);
    if (verdict.unknown != NULL && !sim_dry()) {
        return judge_in_python(site, call, how);
    }
    return verdict.rule != NULL && verdict.effect == NULL ? refused(site, checks, number, arguments, &verdict)
                                                          : accept(site, call, checks, how, verdict.effect);
}

int sim_judge(const sim_site *site, aclOpExecutor *call, const char *product) {
    const aclspec_operator *checks = aclspec_find_operator(name_of(call));
    if (checks == NULL) { /* a process has the core of one simulator, and may have operators of another */
        return sim_fail(site, ACLNN_ERR_INNER, "The operator %s is not one of this simulator; a process can use only one.", name_of(call));
    }
    choices how;
    int code = read_choices(site, &how);
    if (code != 0) {
        return code;
    }
    if (checks->check == NULL && !sim_dry()) {
        return no_rules(site, call, &how);
    }
    code = check_numbers(site, call);
    if (code != 0) {
        return code;
    }
    if (is_planted(call) && !sim_dry()) {
        sim_suffer(call);
        return judge_in_python(site, call, &how);
    }
    aclspec_argument *arguments = sim_arguments(call);
    if (arguments == NULL) {
        return sim_fail(site, ACLNN_ERR_INNER_CREATE_EXECUTOR, "There is no memory for an executor.");
    }
    code = judge(site, call, checks, product, &how, arguments);
    free(arguments);
    return code;
}
