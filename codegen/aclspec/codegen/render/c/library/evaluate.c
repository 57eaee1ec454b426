/* Evaluates nodes, by the logic of Kleene: false decides an "and" and true an "or", whatever has no value beside it. */
#include "aclspec_evaluator.h"

/* --- Arguments --- */

static truth list_of(const void *items, uint64_t length, int from, value *out)
{
    out->kind = LIST;
    out->source = (uint8_t)from;
    out->as.list.items = items;
    out->as.list.length = (int64_t)length;
    return YES;
}

static truth unseen(context *call, int param)
{
    if (call->unseen < 0)
        call->unseen = aclspec_params[call->op->first_param + param].name;
    return UNSEEN;
}

#define LISTED(member, from)                                                                                           \
    if (argument->member == NULL)                                                                                      \
        return UNDEFINED;                                                                                              \
    return argument->member->known ? list_of(argument->member->items, argument->member->length, from, out)             \
                                   : unseen(call, param)
#define PLAIN(member, of, is)                                                                                          \
    out->kind = is;                                                                                                    \
    out->as.member = of;                                                                                               \
    return YES

truth aclspec_argument_value(context *call, int param, int type, value *out)
{
    const aclspec_argument *argument = &call->arguments[param];
    switch (type) {
    case T_TENSOR:
        out->kind = TENSOR;
        out->as.tensor = argument->tensor;
        return argument->tensor == NULL ? UNDEFINED : YES;
    case T_SCALAR:
        out->kind = SCALAR;
        out->as.scalar = argument->scalar;
        return argument->scalar == NULL ? UNDEFINED : argument->scalar->known ? YES : unseen(call, param);
    case T_TENSORS:
        LISTED(tensors, TENSORS);
    case T_SCALARS:
        LISTED(scalars, SCALARS);
    case T_INTS:
        LISTED(ints, INTS);
    case T_BOOLS:
        LISTED(bools, BOOLS);
    case T_FLOATS:
        LISTED(floats, FLOATS);
    case T_STRING:
        out->kind = TEXT;
        out->as.text = argument->text;
        return argument->text == NULL ? UNDEFINED : YES;
    case T_BOOL:
        PLAIN(integer, argument->boolean, BOOL);
    case T_NATURAL:
        PLAIN(integer, (uint64_t)argument->integer, INT);
    case T_FLOAT:
        PLAIN(real, argument->real, REAL);
    case T_DTYPE:
        PLAIN(integer, (int32_t)argument->integer, DTYPE);
    default:
        PLAIN(integer, argument->integer, INT);
    }
}

static bool is_null(const aclspec_argument *argument, int type)
{
    return type == T_STRING ? argument->text == NULL : argument->tensor == NULL;
}

/* --- Predicates --- */

static truth both(context *call, const node *at, value *left, value *right)
{
    const truth found = aclspec_evaluate(call, at->a, left);
    return found == YES ? aclspec_evaluate(call, at->b, right) : found;
}

static truth compared(context *call, const node *at)
{
    const int32_t used = call->used;
    value *left = aclspec_room(call, 2), *right = left + 1;
    truth found = both(call, at, left, right);
    if (found == YES) {
        if (at->op == OP_IN)
            found = aclspec_contains(call, right, left);
        else if (at->op == OP_EQUAL && left->kind < REAL && right->kind < REAL)
            found = left->as.integer == right->as.integer;
        else if (at->op == OP_EQUAL)
            found = aclspec_equal(call, left, right);
        else {
            const int order = aclspec_compare(left, right);
            found = order == -1 || (order == 0 && at->op == OP_AT_MOST);
        }
    }
    call->used = used;
    return found;
}

static truth quantified(context *call, const node *at)
{
    const int32_t used = call->used;
    const truth deciding = at->op == OP_ANY ? YES : NO;
    value *over = aclspec_room(call, 1);
    truth found = aclspec_evaluate(call, at->a, over);
    if (found == YES) {
        found = (truth)!deciding;
        for (int64_t index = 0; index < over->as.list.length; ++index) {
            truth one = aclspec_item(call, over, index, &call->variables[at->c]);
            one = one == YES ? aclspec_test(call, at->b) : one;
            if (one == deciding) {
                found = deciding;
                break;
            }
            found = one > found ? one : found;
        }
    }
    call->used = used;
    return found;
}

/* Whether what `is_null` asks of is a null element of a list. */
static truth is_null_element(const node *at, const value *variables)
{
    const value *variable = &variables[at->a];
    return variable->kind == TENSOR ? variable->as.tensor == NULL
                                    : variable->kind == SCALAR && variable->as.scalar == NULL;
}

static truth fresh_test(context *call, const node *at)
{
    value found;
    truth one;
    switch (at->op) {
    case OP_AND: {
        truth all = YES;
        for (int32_t child = at->a, stop = at->a + at->b; child < stop; ++child) {
            one = aclspec_test(call, CHILD(child));
            if (one == NO)
                return NO;
            all = one > all ? one : all;
        }
        return all;
    }
    case OP_OR: {
        truth any = NO;
        for (int32_t child = at->a, stop = at->a + at->b; child < stop; ++child) {
            one = aclspec_test(call, CHILD(child));
            if (one == YES)
                return YES;
            any = one > any ? one : any;
        }
        return any;
    }
    case OP_NOT:
        one = aclspec_test(call, at->a);
        return one <= YES ? (truth)!one : one;
    case OP_EQUAL:
    case OP_LESS:
    case OP_AT_MOST:
    case OP_IN:
        return compared(call, at);
    case OP_IN_SET:
        one = aclspec_evaluate(call, at->a, &found);
        return one != YES ? one
               : found.as.integer < 0 || found.as.integer > 63
                   ? NO
                   : (truth)(aclspec_sets[at->b] >> (int)found.as.integer & 1);
    case OP_ALL:
    case OP_ANY:
        return quantified(call, at);
    case OP_IN_ROWS:
        return aclspec_in_rows(call, at);
    case OP_IS_NULL:
        return at->b < 0 ? is_null_element(at, call->variables) : is_null(&call->arguments[at->a], at->b);
    default:
        one = aclspec_evaluate(call, (int32_t)(at - aclspec_nodes), &found);
        return one == YES ? found.as.integer != 0 : one;
    }
}

truth aclspec_test(context *call, int32_t index)
{
    const node *at = &aclspec_nodes[index];
    if (at->slot == 0 || at->op > OP_IS_NULL)
        return fresh_test(call, at);
    if (call->kept[at->slot] != 0)
        return (truth)(call->kept[at->slot] - 1);
    const truth found = fresh_test(call, at);
    if (found != UNSEEN)
        call->kept[at->slot] = (uint8_t)(found + 1);
    return found;
}

/* --- Values --- */

static truth arithmetic(context *call, const node *at, value *out)
{
    const int32_t used = call->used;
    value *left = aclspec_room(call, 2), *right = left + 1;
    truth found = both(call, at, left, right);
    call->used = used;
    if (found != YES)
        return found;
    const wide one = left->as.integer, other = right->as.integer;
    wide result;
    switch (at->op) {
    case OP_ADD:
        return aclspec_bounded(one + other, out);
    case OP_SUBTRACT:
        return aclspec_bounded(one - other, out);
    case OP_MULTIPLY:
        return __builtin_mul_overflow(one, other, &result) ? UNDEFINED : aclspec_bounded(result, out);
    default:
        if (other == 0)
            return UNDEFINED;
        result = aclspec_floor_div(one, other);
        return aclspec_bounded(at->op == OP_DIVIDE ? result : one - result * other, out);
    }
}

/* Whether every element of a list has a value. */
static truth all_defined(context *call, value *list, value *out)
{
    truth found = YES;
    for (int64_t index = 0; found == YES && index < list->as.list.length; ++index)
        found = aclspec_item(call, list, index, out);
    return found;
}

static truth lazy(context *call, const node *at, int64_t length, value *out)
{
    const int32_t used = call->used;
    value *list = aclspec_room(call, 1);
    *list = (value){.kind = LIST, .source = NODE, .node = (int32_t)(at - aclspec_nodes)};
    list->as.list.length = length;
    const truth found = at->op == OP_JOIN ? YES : all_defined(call, list, out);
    *out = *list;
    call->used = used;
    return found;
}

static truth list_value(context *call, const node *at, value *out)
{
    if (at->op == OP_LIST)
        return lazy(call, at, at->b, out);
    truth found = aclspec_evaluate(call, at->a, out);
    if (found != YES)
        return found;
    int64_t length = out->as.list.length;
    if (at->op == OP_JOIN) {
        found = aclspec_evaluate(call, at->b, out);
        length += out->as.list.length;
    }
    return found == YES ? lazy(call, at, length, out) : found;
}

static truth indexed(context *call, const node *at, value *out)
{
    const int32_t used = call->used;
    value *list = aclspec_room(call, 2), *index = list + 1;
    truth found = both(call, at, list, index);
    if (found == YES) {
        const wide place = index->as.integer;
        found = place < 0 || place >= list->as.list.length ? UNDEFINED : aclspec_item(call, list, (int64_t)place, out);
        if (found == YES && ((out->kind == TENSOR && out->as.tensor == NULL) ||
                             (out->kind == SCALAR && out->as.scalar == NULL)))
            found = UNDEFINED;
    }
    call->used = used;
    return found;
}

static truth called(context *call, const node *at, value *out)
{
    const int32_t used = call->used;
    value *args = aclspec_room(call, at->b);
    truth found = YES;
    for (int32_t child = 0; found == YES && child < at->b; ++child)
        found = aclspec_evaluate(call, CHILD(at->a + child), &args[child]);
    if (found == YES)
        found = aclspec_functions[at->c](call, (int32_t)(at - aclspec_nodes), args, at->b, out);
    call->used = used;
    return found;
}

static truth fresh_value(context *call, const node *at, value *out)
{
    truth found;
    switch (at->op) {
    case OP_NUMBER:
        out->kind = at->kind;
        out->as.integer = aclspec_numbers[at->a];
        return YES;
    case OP_REAL:
        PLAIN(real, aclspec_reals[at->a], REAL);
    case OP_TEXT:
        PLAIN(text, STRING(at->a), TEXT);
    case OP_PARAM:
        return aclspec_argument_value(call, at->a, at->b, out);
    case OP_VARIABLE:
        *out = call->variables[at->a];
        return (out->kind == TENSOR && out->as.tensor == NULL) || (out->kind == SCALAR && out->as.scalar == NULL)
                   ? UNDEFINED
                   : YES;
    case OP_SAME:
        return aclspec_evaluate(call, at->a, out);
    case OP_NEGATE:
        found = aclspec_evaluate(call, at->a, out);
        if (found == YES && out->kind == REAL)
            out->as.real = -out->as.real;
        else if (found == YES)
            out->as.integer = -out->as.integer;
        return found;
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_MODULO:
        return arithmetic(call, at, out);
    case OP_IF:
        found = aclspec_test(call, at->a);
        return found <= YES ? aclspec_evaluate(call, found == YES ? at->b : at->c, out) : found;
    case OP_INDEX:
        return indexed(call, at, out);
    case OP_LIST:
    case OP_JOIN:
    case OP_EACH:
        return list_value(call, at, out);
    case OP_CALL:
        return called(call, at, out);
    default:
        found = aclspec_test(call, (int32_t)(at - aclspec_nodes));
        out->kind = BOOL;
        out->as.integer = found;
        return found <= YES ? YES : found;
    }
}

truth aclspec_evaluate(context *call, int32_t index, value *out)
{
    const node *at = &aclspec_nodes[index];
    if (at->slot == 0 || at->op <= OP_IS_NULL)
        return fresh_value(call, at, out);
    if (call->kept[at->slot] != 0) {
        *out = call->memory[at->slot];
        return (truth)(call->kept[at->slot] - 1);
    }
    const truth found = fresh_value(call, at, out);
    if (found != UNSEEN) {
        call->kept[at->slot] = (uint8_t)(found + 1);
        call->memory[at->slot] = *out;
    }
    return found;
}

/* --- Rows of dtypes --- */

truth aclspec_given(context *call, int param, bool *null, uint64_t *set)
{
    const param_row *row = &aclspec_params[call->op->first_param + param];
    value given;
    *null = false;
    if (row->type != T_DTYPE && is_null(&call->arguments[param], row->type)) {
        *null = true;
        return UNDEFINED;
    }
    const truth found = aclspec_argument_value(call, param, row->type, &given);
    if (found != YES)
        return found;
    *set = 0;
    if (given.kind != LIST) {
        *set = aclspec_set_of(given.kind == DTYPE    ? (int)given.as.integer
                              : given.kind == TENSOR ? given.as.tensor->dtype
                                                     : given.as.scalar->dtype);
        return YES;
    }
    for (int64_t index = 0; index < given.as.list.length; ++index) {
        value one;
        aclspec_item(call, &given, index, &one);
        if (one.as.tensor == NULL)
            return UNDEFINED;
        *set |= aclspec_set_of(one.kind == TENSOR ? one.as.tensor->dtype : one.as.scalar->dtype);
    }
    return YES;
}

static bool is_here(const context *call, const dtype_row *row)
{
    return (row->products & call->product) != 0 && (row->modes & call->mode) != 0;
}

/* Whether some rows say that a parameter may be null, and others do not. */
bool aclspec_names_null(const context *call, int column)
{
    bool some = false, other = false;
    for (int at = 0; column >= 0 && at < call->op->row_count; ++at) {
        const dtype_row *row = &aclspec_rows[call->op->first_row + at];
        const int32_t cell = is_here(call, row) ? CHILD(row->cells + column) : -2;
        some = some || (cell >= 0 && (aclspec_cells[cell].set & SET_NULL) != 0);
        other = other || (cell != -2 && !(cell >= 0 && (aclspec_cells[cell].set & SET_NULL) != 0));
    }
    return some && other;
}

static bool fits(const dtype_row *row, int column, uint64_t given)
{
    const int32_t cell = CHILD(row->cells + column);
    return cell < 0 || (given & ~aclspec_cells[cell].set) == 0;
}

truth aclspec_in_rows(context *call, const node *rows)
{
    uint64_t given[ACLSPEC_JOINT];
    int columns[ACLSPEC_JOINT], count = 0;
    for (int at = 0; at < rows->b; ++at) {
        const int param = CHILD(rows->a + at);
        const param_row *row = &aclspec_params[call->op->first_param + param];
        bool null;
        uint64_t set = 0;
        const bool is_dtype = row->type == T_DTYPE;
        if (!is_dtype && is_null(&call->arguments[param], row->type)) {
            if (rows->b == 1 || !aclspec_names_null(call, row->column))
                continue;
            set = SET_NULL;
        } else {
            const truth checked = row->checked < 0 ? YES : aclspec_test(call, row->checked);
            if (checked == UNSEEN)
                return UNSEEN;
            if (checked != YES)
                continue;
            const truth found = aclspec_given(call, param, &null, &set);
            if (found != YES)
                return found;
        }
        given[count] = set;
        columns[count++] = row->column;
    }
    bool some = false, together = false;
    uint32_t alone = 0;
    for (int at = 0; at < call->op->row_count; ++at) {
        const dtype_row *row = &aclspec_rows[call->op->first_row + at];
        if (!is_here(call, row))
            continue;
        uint32_t fitting = 0;
        for (int one = 0; one < count; ++one)
            fitting |= (uint32_t)(columns[one] < 0 || fits(row, columns[one], given[one])) << one;
        some = true;
        alone |= fitting;
        together = together || fitting == (uint32_t)(((uint64_t)1 << count) - 1);
    }
    if (!some || count == 0)
        return UNDEFINED;
    if (rows->b > 1 && alone != (uint32_t)(((uint64_t)1 << count) - 1))
        return UNDEFINED;
    return together;
}
