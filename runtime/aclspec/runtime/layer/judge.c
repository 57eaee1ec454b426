/* The calls: the real phase one and two, and what the rules say of a call. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "lives.h"

enum { NULL_POINTER = 161001, NO_FUNCTION = 561000, SENTENCE = 4096 };
enum { RUNTIME_FAILED = 361001, TILING = 561002, NO_KERNEL = 561003, INNER_NULL = 561103, NO_OPP = 561107, NO_PACKAGE = 561112 };

/* ---- reports */

/* `phase`: what follows the operator's name in that of the function. */
static void begin_phase(layer_text *text, int operator_index, const char *phase, int32_t status, const char *what) {
    const char *name = layer_status(status);
    layer_add(text, "%s%s %s %d%s%s%s\n", aclspec_operators[operator_index].name, phase, what, (int)status, name != NULL ? " (" : "",
              name != NULL ? name : "", name != NULL ? ")" : "");
}

static void begin(layer_text *text, int operator_index, int32_t status, const char *what) {
    begin_phase(text, operator_index, "GetWorkspaceSize", status, what);
}

/* The rule's sentence with the call's values, and where it comes from. */
static void add_sentence(layer_text *text, const layer_decoded *decoded, int product, const aclspec_verdict *verdict,
                         char sentence[SENTENCE]) {
    decoded->op->explain(product, decoded->arguments, verdict, layer_is.language, sentence, SENTENCE);
    layer_add(text, LAYER_TEXT("%s\n - while checking rule %s for %s\n", "%s\n - 检查规则 %s（产品 %s）\n"), sentence, verdict->rule,
              aclspec_products[product]);
}

/* What the library says itself, unless it is the sentence that is there already. */
static void add_message(layer_text *text, const char *sentence) {
    bool read;
    const char *message = layer_message(&read), *who = layer_who();
    const char *older = message != NULL ? strstr(message, "\n[PID:") : NULL; /* of failures before this one, which is the newest */
    const size_t length = older != NULL ? (size_t)(older - message) : message != NULL ? strlen(message) : 0;
    const char *said = message != NULL && sentence[0] != '\0' ? strstr(message, sentence) : NULL;
    if (said != NULL && said < message + length) {
        return;
    }
    if (message != NULL) {
        layer_add(text, LAYER_TEXT(" - %s says: %.*s\n", " - %s的消息：%.*s\n"), who, (int)length, message);
    } else {
        layer_add(text, read ? LAYER_TEXT(" - %s says nothing\n", " - %s没有给出消息\n")
                             : LAYER_TEXT(" - %s's message was left for the program\n", " - %s的消息留给程序读取\n"), who);
    }
}

/* `refused`: by the library, and the sentence that says why; NULL where it accepted. */
static void end(layer_text *text, const layer_decoded *decoded, bool assumed, const char *refused) {
    layer_add(text, LAYER_TEXT(" - while calling %sGetWorkspaceSize(", " - 调用 %sGetWorkspaceSize("), decoded->op->name);
    layer_add_call(text, decoded);
    layer_add(text, ")\n");
    layer_add_python(text);
    if (assumed) {
        layer_add(text, "%s", LAYER_TEXT(" - the device does not say which product it is; set ACLSPEC_PRODUCT\n",
                                         " - 设备未说明其产品；请设置 ACLSPEC_PRODUCT\n"));
    }
    for (int oddity = 0; refused != NULL && oddity < LAYER_ODDITIES; oddity++) {
        layer_add_oddity(text, decoded, (layer_oddity)oddity, LAYER_TEXT(" - note: ", " - 注意："));
    }
    if (refused != NULL) {
        add_message(text, refused);
    }
    layer_say(text);
    layer_free(text);
}

/* A null workspaceSize or executor, which every operator refuses; NULL where both are there. */
static const char *null_pointer(const layer_call *call) {
    return call->workspace_size == NULL ? "workspaceSize is null" : call->executor == NULL ? "executor is null" : NULL;
}

/* Whether a rule refuses the call; a shortcut decides too, and lets it work. */
static bool refuses(const aclspec_verdict *verdict, bool library) {
    return verdict->rule != NULL && (library ? verdict->library : verdict->document) != 0;
}

static void add_unjudged(layer_text *text, const layer_decoded *decoded, const char *unknown) {
    if (decoded->op->check == NULL) {
        layer_add(text, "%s\n", LAYER_TEXT("The specs have no rules for this operator, so the call is not judged.",
                                           "规格中没有该算子的规则，未判断此调用。"));
    } else if (decoded->unseen != NULL && layer_is_preloaded()) {
        layer_add(text, LAYER_TEXT("The call is not judged: %s is a handle of another type, or none that the layer saw being created.\n",
                                   "未判断此调用：%s 是其他类型的句柄，或本层未看到其创建。\n"), unknown);
    } else {
        layer_add(text, LAYER_TEXT("The call is not judged: the layer did not see what %s holds. Let it see: LD_PRELOAD=%s\n",
                                   "未判断此调用：本层未看到 %s 的内容。请让本层可见：LD_PRELOAD=%s\n"), unknown, layer_path());
    }
}

/* What a status means that no rule gives: the checks passed, and something behind them failed. */
static const char *behind_the_checks(int32_t status) {
    switch (status) {
    case NO_KERNEL:
    case INNER_NULL:
        return LAYER_TEXT("CANN most likely has no kernel for this here: its checks passed, and a step inside the library failed. "
                          "Look at the kernels package of this SoC: aclspec doctor",
                          "CANN 在此处很可能没有可用的内核：其检查已通过，但库内部某一步失败。请检查该 SoC 的内核包：aclspec doctor");
    case NO_OPP:
    case NO_PACKAGE:
        return LAYER_TEXT("CANN does not find the kernels package of this SoC; the call is not at fault. Look at it: aclspec doctor",
                          "CANN 找不到该 SoC 的内核包，与调用本身无关。请检查：aclspec doctor");
    case TILING:
        return LAYER_TEXT("CANN's checks passed, and its tiling refuses this: a limit on shapes or attributes that the specs do not know.",
                          "CANN 的检查已通过，但任务切分（tiling）拒绝了该调用：这是规格未知的形状或属性限制。");
    case RUNTIME_FAILED:
        return LAYER_TEXT("A call of the runtime below the operator failed: look at the device, its memory and the driver.",
                          "算子之下的运行时调用失败：请检查设备、内存与驱动。");
    default:
        return LAYER_TEXT("No rule of the specs explains this. Please report the call to whoever keeps the specs.",
                          "规格中没有规则可解释此失败。请将此调用报告给规格维护者。");
    }
}

/* CANN refused: say why, once for each operator, rule and shapes of the arguments. */
static void explain_refusal(const layer_call *call, const layer_decoded *decoded, int product, bool assumed, aclspec_verdict *verdict) {
    layer_text text = {0};
    const char *null = call->status == NULL_POINTER ? null_pointer(call) : NULL;
    const bool judged = decoded->op->check != NULL && decoded->unseen == NULL;
    aclspec_caveat caveat = {0};
    bool known = false;
    if (judged) {
        aclspec_verdict by_document = {0};
        known = decoded->op->caveat(product, true, decoded->arguments, verdict, &caveat);
        if (!known && !refuses(verdict, true) && verdict->unknown == NULL) { /* perhaps a rule that only the documents have */
            known = decoded->op->caveat(product, false, decoded->arguments, &by_document, &caveat);
            *verdict = refuses(&by_document, false) ? by_document : *verdict;
        }
    }
    const bool refused = refuses(verdict, true) || refuses(verdict, false);
    const bool is_case = known && caveat.kind != ACLSPEC_NOT_JUDGED;
    const bool unjudged = !judged || verdict->unknown != NULL || (known && !is_case);
    const layer_finding finding = null != NULL || refused || is_case ? LAYER_REFUSED : unjudged ? LAYER_UNJUDGED : LAYER_UNEXPLAINED;
    const uint64_t digest = layer_digest(decoded) ^ (uint64_t)(uint32_t)call->status << 16;
    const char *why = null != NULL ? null : is_case ? caveat.id : verdict->rule;
    if (!layer_first_time(finding, call->operator_index, why, digest)) {
        return;
    }
    layer_ask_who(call->operator_index);
    begin(&text, call->operator_index, call->status, LAYER_TEXT("returned", "返回"));
    char sentence[SENTENCE] = "";
    if (null != NULL) {
        layer_add(&text, "%s\n", call->workspace_size == NULL ? LAYER_TEXT("The pointer workspaceSize is null.", "指针 workspaceSize 为空。")
                                                             : LAYER_TEXT("The pointer executor is null.", "指针 executor 为空。"));
    } else if (refused) {
        add_sentence(&text, decoded, product, verdict, sentence);
        if (verdict->library == 0) {
            layer_add(&text, "%s\n", LAYER_TEXT(" - only the documents have this rule, so CANN may have had another reason",
                                                " - 只有文档中有此规则，CANN 拒绝的原因可能另有其他"));
        }
        const int32_t status = verdict->library != 0 ? verdict->library : verdict->document;
        if (status != call->status) {
            layer_add(&text, LAYER_TEXT(" - the rule's own status is %d\n", " - 该规则自身的状态码为 %d\n"), (int)status);
        }
    } else if (known) {
        layer_add_caveat(&text, &caveat);
        layer_add_worked(&text, call->operator_index, decoded);
    } else if (finding == LAYER_UNJUDGED) {
        add_unjudged(&text, decoded, decoded->unseen != NULL ? decoded->unseen : verdict->unknown);
    } else {
        layer_add(&text, "%s\n", behind_the_checks(call->status));
        layer_add_worked(&text, call->operator_index, decoded);
    }
    end(&text, decoded, assumed, sentence);
}

/* CANN accepted: what the documents forbid (in mode portability), and what the spec says of the library, which is then wrong. */
static void examine_success(const layer_call *call, const layer_decoded *decoded, int product, bool assumed, aclspec_verdict *verdict) {
    layer_finding finding = LAYER_DOUBTFUL;
    aclspec_caveat caveat; /* of a case that a rule leaves out nothing is known that the success could be held against */
    decoded->op->caveat(product, true, decoded->arguments, verdict, &caveat);
    if (!refuses(verdict, true)) {
        if (layer_is.mode != LAYER_PORTABILITY) {
            return;
        }
        finding = LAYER_UNPORTABLE;
        decoded->op->caveat(product, false, decoded->arguments, verdict, &caveat);
        if (!refuses(verdict, false)) {
            return;
        }
    }
    if (!layer_first_time(finding, call->operator_index, verdict->rule, layer_digest(decoded)) || finding == LAYER_DOUBTFUL) {
        return; /* a doubt is told at the end */
    }
    layer_text text = {0};
    char sentence[SENTENCE] = "";
    begin(&text, call->operator_index, verdict->document, LAYER_TEXT("succeeded, and the documents forbid the call with", "成功，但文档禁止此调用，状态码为"));
    add_sentence(&text, decoded, product, verdict, sentence);
    end(&text, decoded, assumed, NULL);
}

/* CANN accepted: arguments that it does not look at, and that are certainly not meant. */
static void tell_oddities(const layer_call *call, const layer_decoded *decoded) {
    static const char *const ids[LAYER_POINTER] = {[LAYER_VIEW] = "view-beyond-storage", [LAYER_LOST] = "float-lost"};
    for (int oddity = 0; oddity < LAYER_POINTER; oddity++) {
        layer_text text = {0};
        if (layer_add_oddity(&text, decoded, (layer_oddity)oddity, "") &&
            layer_first_time(LAYER_ODD, call->operator_index, ids[oddity], layer_digest(decoded))) {
            layer_ask_who(call->operator_index);
            end(&text, decoded, false, NULL);
        }
        layer_free(&text);
    }
}

/* ---- phase one */

/* In mode enforce: whether the documents allow the call. */
static bool is_allowed(layer_call *call) {
    layer_decoded decoded;
    aclspec_verdict verdict = {0};
    bool assumed, allowed = true;
    layer_decode(&decoded, call->operator_index, call->values, false);
    if (decoded.op->check != NULL && decoded.spent == NULL && decoded.unseen == NULL && null_pointer(call) == NULL) {
        const int product = layer_product(&assumed);
        aclspec_caveat caveat;
        decoded.op->caveat(product, false, decoded.arguments, &verdict, &caveat);
        allowed = !refuses(&verdict, false) || layer_is_muted(verdict.rule);
        if (!allowed) {
            call->status = verdict.document;
            call->refused = true;
            call->verdict = verdict;
            if (layer_first_time(LAYER_ENFORCED, call->operator_index, verdict.rule, layer_digest(&decoded))) {
                layer_text text = {0};
                char sentence[SENTENCE] = "";
                begin(&text, call->operator_index, call->status, LAYER_TEXT("is refused by the layer with", "被本层拒绝，状态码为"));
                add_sentence(&text, &decoded, product, &verdict, sentence);
                end(&text, &decoded, assumed, NULL);
            }
        }
    }
    layer_let_go(&decoded);
    return allowed;
}

bool layer_before(layer_call *call, int operator_index, const layer_value *values, uint64_t *workspace_size, void **executor,
                  const void *caller) {
    *call = (layer_call){.operator_index = operator_index, .watched = layer_watches(), .values = values,
                         .workspace_size = workspace_size, .executor = executor, .caller = caller};
    if (call->watched) {
        if (layer_is.mode == LAYER_ENFORCE) {
            const int before = errno;
            layer_depth++;
            const bool allowed = is_allowed(call);
            layer_depth--;
            errno = before;
            if (!allowed) {
                return false;
            }
        }
        call->started = layer_records() ? layer_now() : 0;
    }
    layer_depth++;
    return true;
}

static void examine(layer_call *call, uint64_t nanoseconds) {
    layer_decoded decoded;
    aclspec_verdict verdict = call->verdict;
    bool assumed = false;
    layer_decode(&decoded, call->operator_index, call->values, call->status == 0);
    const int product = layer_product(&assumed);
    if (decoded.spent != NULL) {
        layer_used_after(call->operator_index, decoded.spent, call->status);
    } else if (call->status != 0 && !call->refused) {
        explain_refusal(call, &decoded, product, assumed, &verdict);
    } else if (call->status == 0) {
        layer_remember_worked(call->operator_index, &decoded);
        tell_oddities(call, &decoded);
        if (decoded.op->check != NULL && decoded.unseen == NULL) {
            examine_success(call, &decoded, product, assumed, &verdict);
        }
    }
    uint64_t number = 0;
    char *line = NULL;
    const uint64_t workspace = call->status == 0 ? *call->workspace_size : 0;
    if (layer_records()) {
        number = layer_record_one(&decoded, aclspec_products[product], call->status, &verdict, workspace, nanoseconds, call->caller,
                                  &line);
    }
    if (call->status == 0) {
        layer_executor_made(*call->executor, call->operator_index, workspace, number,
                            number > 0 && layer_is.record_data ? layer_data_of(&decoded) : NULL, line);
    }
    layer_let_go(&decoded);
}

int32_t layer_after(layer_call *call, int32_t status) {
    const int before = errno;
    if (!call->refused) {
        call->status = status;
    } else {
        layer_depth++; /* the real function was not called */
    }
    if (call->watched) {
        examine(call, call->started > 0 ? layer_now() - call->started : 0);
    }
    layer_depth--;
    errno = before;
    return call->status;
}

int32_t layer_missing(int operator_index) {
    layer_say_line(LAYER_TEXT("The function %s is in none of CANN's libraries.", "CANN 的库中没有函数 %s。"),
                   aclspec_operators[operator_index].name);
    return NO_FUNCTION;
}

/* ---- phase two */

/* No rule speaks of phase two: say that it failed, once for each operator and status, and what the library says. */
static void tell_second(int operator_index, int32_t status) {
    layer_text text = {0};
    if (!layer_first_time(LAYER_SECOND, operator_index, NULL, (uint32_t)status)) {
        return;
    }
    layer_ask_who(operator_index);
    begin_phase(&text, operator_index, "", status, LAYER_TEXT("returned", "返回"));
    layer_add(&text, "%s\n", LAYER_TEXT("Phase two failed.", "第二阶段失败。"));
    layer_add_python(&text);
    add_message(&text, "");
    layer_say(&text);
    layer_free(&text);
}

typedef int32_t (*second)(void *workspace, uint64_t size, void *executor, void *stream);

int32_t layer_phase_two(int operator_index, void *workspace, uint64_t size, void *executor, void *stream) {
    second real = (second)layer_real(2 * operator_index + 1);
    if (real == NULL) {
        return layer_missing(operator_index);
    }
    if (!layer_watches()) {
        return real(workspace, size, executor, stream);
    }
    const int saved = errno;
    layer_object *object = layer_executor_runs(operator_index, executor, workspace, size);
    layer_depth++;
    layer_data *data = layer_executor_data(object, stream);
    const uint64_t started = layer_records() ? layer_now() : 0;
    errno = saved;
    const int32_t status = real(workspace, size, executor, stream);
    const int after = errno;
    const uint64_t nanoseconds = layer_records() ? layer_now() - started : 0;
    char *files = NULL;
    if (object != NULL && layer_is.record_data && layer_records()) {
        files = layer_data_after(data, object->is.executor.repeatable, stream, status);
    }
    layer_executor_keeps(object, data);
    const bool spent = layer_executor_ran(object, operator_index, status, nanoseconds, files);
    if (status != 0 && !spent) {
        tell_second(operator_index, status);
    }
    free(files);
    layer_depth--;
    errno = after;
    return status;
}
