/* What is known of a call that no rule refuses: from its spec, and from the calls of its operator that CANN took. */
#include <string.h>

#include "layer.h"

/* What the spec knows of a call beside its rules: that it has no kernel, that old versions refuse it, or that it is not judged. */
void layer_add_caveat(layer_text *text, const aclspec_caveat *caveat) {
    static const char *const heads[][2] = {
        [ACLSPEC_NOT_JUDGED] = {"The specs do not judge this call. ", "规格未判断此调用。"},
        [ACLSPEC_NO_KERNEL] = {"CANN has no kernel for this. ", "CANN 没有用于该调用的内核。"},
        [ACLSPEC_OLD_VERSIONS] = {"", ""},
    };
    const int language = layer_is.language == ACLSPEC_ZH;
    layer_add(text, "%s%s\n", heads[caveat->kind][language], caveat->because[language]);
    layer_add(text, LAYER_TEXT(" - the case %s of the specs\n", " - 规格中的情形 %s\n"), caveat->id);
}

/* The dtypes of the first tensor in calls of an operator that CANN took in this process: what is known to work here. */
static _Atomic uint64_t worked[LAYER_OPERATORS];

static const aclspec_tensor *first_tensor(const layer_decoded *decoded, const char **name) {
    for (int param = 0; param < decoded->op->param_count; param++) {
        *name = decoded->op->params[param].name;
        if (strcmp(decoded->op->params[param].type, "tensor") == 0) {
            return decoded->arguments[param].tensor;
        }
    }
    return NULL;
}

void layer_remember_worked(int operator_index, const layer_decoded *decoded) {
    const char *name;
    const aclspec_tensor *tensor = decoded->unseen == NULL ? first_tensor(decoded, &name) : NULL;
    if (tensor != NULL && tensor->dtype >= 0 && tensor->dtype < 64) {
        atomic_fetch_or_explicit(&worked[operator_index], (uint64_t)1 << tensor->dtype, memory_order_relaxed);
    }
}

void layer_add_worked(layer_text *text, int operator_index, const layer_decoded *decoded) {
    const char *name, *comma = "";
    const aclspec_tensor *tensor = decoded->unseen == NULL ? first_tensor(decoded, &name) : NULL;
    uint64_t dtypes = atomic_load_explicit(&worked[operator_index], memory_order_relaxed);
    if (tensor == NULL || dtypes == 0) {
        return;
    }
    layer_add(text, LAYER_TEXT(" - CANN took other calls of this operator here, with %s of ", " - CANN 在此处接受了该算子的其他调用，其 %s 为 "), name);
    for (int dtype = 0; dtypes != 0; dtype++, dtypes >>= 1) {
        const char *known = (dtypes & 1) != 0 ? layer_dtype(dtype) : NULL;
        if (known != NULL) {
            layer_add(text, "%s%s", comma, known);
            comma = LAYER_TEXT(", ", "、");
        }
    }
    layer_add(text, "\n");
}
