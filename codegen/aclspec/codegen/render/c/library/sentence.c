/* Makes the sentences of rules: the parts of their templates, one after the other. */
#include "aclspec_evaluator.h"

static void put_template(writer *out, int32_t at);

/* Write on trial what a function writes of an argument. */
static void try_out(writer *out, trial *found, void (*write)(writer *, int32_t), int32_t argument)
{
    trial *const before = out->trial;
    memset(found, 0, sizeof *found);
    out->trial = found;
    write(out, argument);
    out->trial = before;
}

static void put_node(writer *out, int32_t at)
{
    value found;
    if (aclspec_evaluate(out->call, at, &found) == YES)
        aclspec_put_value(out, &found);
    else
        aclspec_put(out, "UNDEFINED");
}

static void put_aside(writer *out, int32_t at)
{
    value found;
    if (aclspec_evaluate(out->call, at, &found) != YES)
        return;
    trial shown;
    try_out(out, &shown, put_node, at);
    const bool is_shape = shown.length > 1 && shown.head[0] == '(' && shown.last == ')';
    aclspec_put(out, is_shape ? " " : " (");
    aclspec_put_value(out, &found);
    aclspec_put(out, is_shape ? "" : ")");
}

/* --- Terms with the values of their operands --- */

static int precedence(const node *at)
{
    switch (at->op) {
    case OP_ADD:
    case OP_SUBTRACT:
        return 1;
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_MODULO:
        return 2;
    default:
        return 3;
    }
}

static void put_term(writer *out, int32_t index);

static void put_operand(writer *out, int32_t index, bool brackets)
{
    aclspec_put(out, brackets ? "(" : "");
    put_term(out, index);
    aclspec_put(out, brackets ? ")" : "");
}

static void put_term(writer *out, int32_t index)
{
    static const char *const signs[] = {" + ", " - ", " * ", " // ", " % "};
    const node *at = &aclspec_nodes[index];
    const int own = precedence(at);
    trial shown;
    if (at->op == OP_NEGATE) {
        try_out(out, &shown, put_term, at->a);
        aclspec_put(out, "-");
        put_operand(out, at->a, shown.has_space || shown.head[0] == '-');
    } else if (own < 3) {
        put_operand(out, at->a, precedence(&aclspec_nodes[at->a]) < own);
        aclspec_put(out, signs[at->op - OP_ADD]);
        bool brackets = precedence(&aclspec_nodes[at->b]) <= own;
        if (!brackets) {
            try_out(out, &shown, put_term, at->b);
            brackets = shown.head[0] == '-';
        }
        put_operand(out, at->b, brackets);
    } else
        put_node(out, index);
}

static void put_worked(writer *out, int32_t index)
{
    trial term, result;
    try_out(out, &term, put_term, index);
    try_out(out, &result, put_node, index);
    const bool same = term.length == result.length && term.length <= sizeof term.head &&
                      memcmp(term.head, result.head, term.length) == 0;
    if (!same) {
        put_term(out, index);
        aclspec_put(out, " = ");
    }
    put_node(out, index);
}

/* --- Parts --- */

static void put_strides(writer *out, int32_t at)
{
    value found, strides = {.kind = LIST, .source = INTS, .element = INT};
    if (aclspec_evaluate(out->call, at, &found) == YES) {
        strides.as.list.items = found.as.tensor->strides;
        strides.as.list.length = (int64_t)found.as.tensor->rank;
    }
    aclspec_put_value(out, &strides);
}

/* One text for true and one for false; a third, else that for false, where there is no value. */
static void put_choice(writer *out, const part_row *part)
{
    const truth found = aclspec_test(out->call, part->a);
    put_template(out, CHILD(part->b + (found == YES ? 0 : found == NO ? 1 : part->c - 1)));
}

/* The clauses that hold, joined by "and"; all of them, joined by "or", where none does. */
static void put_clauses(writer *out, const part_row *part)
{
    uint64_t held = 0;
    trial shown;
    bool is_compound = false;
    int count = 0;
    for (int at = 0; at < part->c; ++at) {
        const int32_t condition = CHILD(part->b + 2 * at);
        if (condition < 0 || aclspec_test(out->call, condition) == YES)
            held |= (uint64_t)1 << at;
    }
    const bool by_or = held == 0;
    held = by_or ? ~(uint64_t)0 : held;
    for (int at = 0; at < part->c; ++at)
        if (held >> at & 1) {
            try_out(out, &shown, put_template, CHILD(part->b + 2 * at + 1));
            is_compound = is_compound || shown.is_compound;
            ++count;
        }
    const bool is_long = (count > 2 && out->language == ACLSPEC_EN) || is_compound;
    for (int at = 0, shown_before = 0; at < part->c; ++at)
        if (held >> at & 1) {
            if (shown_before++ > 0)
                aclspec_put_join(out, is_long, by_or);
            put_template(out, CHILD(part->b + 2 * at + 1));
        }
}

static void put_element(writer *out, const part_row *part)
{
    context *call = out->call;
    const node *quantifier = &aclspec_nodes[part->a];
    const int32_t used = call->used;
    const truth deciding = quantifier->op == OP_ANY ? YES : NO;
    value *over = aclspec_room(call, 1);
    if (aclspec_evaluate(call, quantifier->a, over) == YES)
        for (int64_t index = 0; index < over->as.list.length; ++index)
            if (aclspec_item(call, over, index, &call->variables[quantifier->c]) == YES &&
                aclspec_test(call, quantifier->b) == deciding) {
                call->places[quantifier->c] = index;
                put_template(out, CHILD(part->b));
                call->used = used;
                return;
            }
    call->used = used;
    if (part->c > 1)
        put_template(out, CHILD(part->b + part->c - 1));
}

static void put_part(writer *out, const part_row *part)
{
    switch (part->kind) {
    case P_TEXT:
        aclspec_put(out, STRING(part->a));
        break;
    case P_VALUE:
        put_node(out, part->a);
        break;
    case P_ASIDE:
        put_aside(out, part->a);
        break;
    case P_WORKED:
        put_worked(out, part->a);
        break;
    case P_STRIDES:
        put_strides(out, part->a);
        break;
    case P_PLACE:
        aclspec_put_integer(out, out->call->places[part->a]);
        break;
    case P_PRODUCT:
        aclspec_put(out, aclspec_products[out->call->product_index]);
        break;
    case P_CHOICE:
        put_choice(out, part);
        break;
    case P_CLAUSES:
        put_clauses(out, part);
        break;
    case P_ELEMENT:
        put_element(out, part);
        break;
    default:
        aclspec_put_unsupported(out, part->b, part->c);
    }
}

static void put_template(writer *out, int32_t at)
{
    const template_row *row = &aclspec_templates[at];
    for (int32_t part = 0; part < row->count; ++part)
        put_part(out, &aclspec_parts[row->first + part]);
}

size_t aclspec_explain_operator(int operator, int product, const aclspec_argument *arguments,
                                const aclspec_verdict *verdict, aclspec_language language, char *buffer, size_t size)
{
    context call;
    writer out = {.buffer = buffer, .size = size, .language = language, .call = &call};
    if (verdict->rule != NULL && verdict->index >= 0 && product >= 0 && product < ACLSPEC_PRODUCT_COUNT) {
        aclspec_begin(&call, operator, product, verdict->as_library, arguments);
        const answer_row *rule = &aclspec_answers[call.op->first_rule + verdict->index];
        if (rule->failure[language] >= 0) {
            put_template(&out, rule->failure[language]);
            aclspec_finish(&out);
        }
        if (out.length == 0 || call.unseen >= 0) {
            out.length = 0;
            aclspec_put_raw(&out, STRING(rule->requirement[language]), strlen(STRING(rule->requirement[language])));
        }
    }
    if (size > 0)
        buffer[out.length < size ? out.length : size - 1] = '\0';
    return out.length;
}
