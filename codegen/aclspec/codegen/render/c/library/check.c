/* Walks the rules of an operator. Products and modes are tested by a mask before any predicate. */
#include "aclspec_evaluator.h"

void aclspec_begin(context *call, int operator, int product, bool library, const aclspec_argument *arguments)
{
    call->arguments = arguments;
    call->op = &aclspec_table[operator];
    call->product = product >= 0 && product < ACLSPEC_PRODUCT_COUNT ? (uint32_t)1 << product : 0;
    call->product_index = product;
    call->mode = library ? 2 : 1;
    call->unseen = -1;
    call->used = 0;
    call->elements_used = 0;
    const int32_t place = call->product ? CHILD(call->op->columns + library * ACLSPEC_PRODUCT_COUNT + product) : -1;
    call->columns = place < 0 ? NULL : &aclspec_sets[place];
    memset(call->kept, 0, sizeof call->kept);
}

/* Whether a rule that is asked here decides the call. */
static truth decides(context *call, const rule_row *rule)
{
    const truth guard = rule->when < 0 ? YES : aclspec_test(call, rule->when);
    if (guard != YES || rule->shortcut)
        return guard == UNDEFINED ? NO : guard;
    const truth found = rule->require < 0 ? NO : aclspec_test(call, rule->require);
    return found == UNSEEN ? UNSEEN : found == NO;
}

/* Whether a call is a case that the spec knows beside its rules. */
static bool is_case(context *call, const caveat_row *caveat)
{
    return (caveat->products & call->product) != 0 && (caveat->modes & call->mode) != 0 &&
           (caveat->when < 0 || aclspec_test(call, caveat->when) == YES);
}

/* Whether a rule leaves the case out that a call is. */
static bool is_silent(context *call, int rule)
{
    for (int at = 0; at < call->op->caveat_count; ++at) {
        const caveat_row *caveat = &aclspec_caveats[call->op->first_caveat + at];
        for (int32_t place = 0; place < caveat->rule_count; ++place)
            if (CHILD(caveat->rules + place) == rule && is_case(call, caveat))
                return true;
    }
    return false;
}

static void walk(context *call, bool with_caveats, aclspec_verdict *verdict)
{
    bool left_out = false;
    *verdict = (aclspec_verdict){.index = -1, .as_library = call->mode == 2};
    for (int at = 0; at < call->op->rule_count; ++at) {
        const rule_row *rule = &aclspec_rules[call->op->first_rule + at];
        if ((rule->products & call->product) == 0 || (rule->modes & call->mode) == 0)
            continue;
        call->unseen = -1;
        const truth found = decides(call, rule);
        if (found == UNSEEN) {
            verdict->unknown = STRING(call->unseen);
            return;
        }
        if (found != YES)
            continue;
        if (with_caveats && rule->shortcut && left_out)
            return; /* a call that breaks a rule ends early in no other */
        if (with_caveats && !rule->shortcut && is_silent(call, at)) {
            if (rule->require < 0)
                return; /* of a product that is not listed no other rule says anything */
            left_out = true;
        } else {
            const answer_row *answer = &aclspec_answers[call->op->first_rule + at];
            verdict->rule = STRING(answer->id);
            verdict->document = answer->document;
            verdict->library = answer->library;
            verdict->effect = answer->effect < 0 ? NULL : STRING(answer->effect);
            verdict->index = at;
            return;
        }
    }
}

void aclspec_check_operator(int operator, int product, bool library, const aclspec_argument *arguments,
                            aclspec_verdict *verdict)
{
    context call;
    aclspec_begin(&call, operator, product, library, arguments);
    walk(&call, false, verdict);
}

bool aclspec_caveat_operator(int operator, int product, bool library, const aclspec_argument *arguments,
                             aclspec_verdict *verdict, aclspec_caveat *found)
{
    context call;
    aclspec_begin(&call, operator, product, library, arguments);
    walk(&call, true, verdict);
    for (int at = 0; verdict->rule == NULL && verdict->unknown == NULL && at < call.op->caveat_count; ++at) {
        const caveat_row *caveat = &aclspec_caveats[call.op->first_caveat + at];
        if (is_case(&call, caveat)) {
            *found = (aclspec_caveat){STRING(caveat->id), (aclspec_caveat_kind)caveat->kind, caveat->status,
                                      {STRING(caveat->because[0]), STRING(caveat->because[1])}};
            return true;
        }
    }
    return false;
}

bool aclspec_operator_writes(int operator, int param, const aclspec_argument *arguments)
{
    context call;
    aclspec_begin(&call, operator, -1, true, arguments);
    const int32_t required = aclspec_params[call.op->first_param + param].required;
    return required < 0 || aclspec_test(&call, required) == YES;
}
