/* Evaluates nodes, by the logic of Kleene: false decides an "and" and true an "or", whatever has no value beside it. */
#include "aclspec_evaluator.h"

/* --- Arguments --- */

static truth list_of(const void *items, uint64_t length, int from, value *out)
{
    out->kind = LIST;
    out->source = (uint8_t)from;
    out->element = INT;
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

static bool is_predicate(const node *at) { return (at->op & ~NEGATED) <= OP_IS_NULL; }

static truth negated(truth found) { return found <= YES ? (truth)!found : found; }

static truth both(context *call, const node *at, value *left, value *right)
{
    const truth found = aclspec_evaluate(call, at->a, left);
    return found == YES ? aclspec_evaluate(call, at->b, right) : found;
}

/* An integer, a dtype or a format. */
static inline truth integer(context *call, int32_t index, wide *out)
{
    const node *at = &aclspec_nodes[index];
    if (at->op == OP_NUMBER) {
        *out = aclspec_numbers[at->a];
        return YES;
    }
    if (at->op == OP_FACT && at->b == T_TENSOR) { /* the most frequent ones */
        const aclspec_tensor *tensor = call->arguments[at->a].tensor;
        if (tensor == NULL)
            return UNDEFINED;
        if (at->c == F_rank || at->c == F_dtype || at->c == F_format) {
            *out = at->c == F_rank ? (wide)tensor->rank : at->c == F_dtype ? tensor->dtype : tensor->format;
            return YES;
        }
    }
    value found;
    const truth one = aclspec_evaluate(call, index, &found);
    *out = found.as.integer;
    return one;
}

static truth compared_integers(context *call, const node *at)
{
    wide left, right;
    truth found = integer(call, at->a, &left);
    found = found == YES ? integer(call, at->b, &right) : found;
    if (found != YES)
        return found;
    const int op = at->op & ~NEGATED;
    return op == OP_EQUAL ? left == right : op == OP_LESS ? left < right : left <= right;
}

static truth compared(context *call, const node *at)
{
    const int32_t used = call->used;
    value *left = aclspec_room(call, 2), *right = left + 1;
    truth found = both(call, at, left, right);
    if (found == YES) {
        const int op = at->op & ~NEGATED;
        if (op == OP_IN)
            found = aclspec_contains(call, right, left);
        else if (op == OP_EQUAL && left->kind < REAL && right->kind < REAL)
            found = left->as.integer == right->as.integer;
        else if (op == OP_EQUAL)
            found = aclspec_equal(call, left, right);
        else {
            const int order = aclspec_compare(left, right);
            found = order == -1 || (order == 0 && op == OP_AT_MOST);
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

/* Whether a parameter is null, or what a variable stands for. */
static bool asks_null(const context *call, const node *at)
{
    if (at->b >= 0)
        return is_null(&call->arguments[at->a], at->b);
    const value *variable = &call->variables[at->a];
    return variable->kind == TENSOR ? variable->as.tensor == NULL
                                    : variable->kind == SCALAR && variable->as.scalar == NULL;
}

static truth in_set(context *call, const node *at)
{
    wide found;
    const truth one = integer(call, at->a, &found);
    return one != YES ? one : found < 0 || found > 63 ? NO : (truth)(aclspec_sets[at->b] >> (int)found & 1);
}

static truth value_test(context *call, const node *at)
{
    value found;
    const truth one = aclspec_evaluate(call, (int32_t)(at - aclspec_nodes), &found);
    return one == YES ? found.as.integer != 0 : one;
}

static truth fresh_test(context *call, const node *at)
{
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
        return negated(aclspec_test(call, at->a));
    case OP_EQUAL:
    case OP_LESS:
    case OP_AT_MOST:
        return at->kind == INT ? compared_integers(call, at) : compared(call, at);
    case OP_EQUAL | NEGATED:
    case OP_LESS | NEGATED:
    case OP_AT_MOST | NEGATED:
        return negated(at->kind == INT ? compared_integers(call, at) : compared(call, at));
    case OP_IN:
        return compared(call, at);
    case OP_IN | NEGATED:
        return negated(compared(call, at));
    case OP_IN_SET:
        return in_set(call, at);
    case OP_IN_SET | NEGATED:
        return negated(in_set(call, at));
    case OP_ALL:
    case OP_ANY:
        return quantified(call, at);
    case OP_IN_ROWS:
        return aclspec_in_rows(call, at);
    case OP_IS_NULL:
        return asks_null(call, at);
    case OP_IS_NULL | NEGATED:
        return !asks_null(call, at);
    default:
        return value_test(call, at);
    }
}

truth aclspec_test(context *call, int32_t index)
{
    const node *at = &aclspec_nodes[index];
    if (at->slot == 0 || !is_predicate(at))
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

static truth fact(context *call, const node *at, value *out)
{
    value of;
    const truth found = aclspec_argument_value(call, at->a, at->b, &of);
    return found == YES ? aclspec_functions[at->c](call, (int32_t)(at - aclspec_nodes), &of, 1, out) : found;
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
    case OP_FACT:
        return fact(call, at, out);
    default:
        found = aclspec_test(call, (int32_t)(at - aclspec_nodes));
        out->kind = BOOL;
        out->as.integer = found;
        return found <= YES ? YES : found;
    }
}

/* Hold the elements of a list that is kept, where they are integers and there is room; else they are evaluated again. */
static void keep_elements(context *call, value *list)
{
    const int64_t length = list->as.list.length;
    int64_t *room = call->elements + call->elements_used;
    value one = {.kind = INT};
    if (length > ACLSPEC_ELEMENTS - call->elements_used)
        return;
    call->elements_used += (int32_t)length; /* before lists inside it are kept */
    for (int64_t index = 0; index < length; ++index) {
        if (aclspec_item(call, list, index, &one) != YES || one.kind >= REAL || one.as.integer < INT64_MIN ||
            one.as.integer > INT64_MAX)
            return;
        room[index] = (int64_t)one.as.integer;
    }
    list->source = INTS;
    list->element = one.kind;
    list->as.list.items = room;
}

truth aclspec_evaluate(context *call, int32_t index, value *out)
{
    const node *at = &aclspec_nodes[index];
    if (at->slot == 0 || is_predicate(at))
        return fresh_value(call, at, out);
    if (call->kept[at->slot] != 0) {
        *out = call->memory[at->slot];
        return (truth)(call->kept[at->slot] - 1);
    }
    const truth found = fresh_value(call, at, out);
    if (found != UNSEEN) {
        if (found == YES && out->kind == LIST && out->source == NODE)
            keep_elements(call, out);
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

bool aclspec_names_null(const context *call, int column)
{
    return column >= 0 && call->columns != NULL && (call->columns[column] & SET_NULL_IN_SOME) != 0;
}

/* Whether one row has what is given in each column. */
static bool in_one_row(const context *call, const uint64_t *given, const int32_t *columns, int count)
{
    for (int at = 0; at < call->op->row_count; ++at) {
        const dtype_row *row = &aclspec_rows[call->op->first_row + at];
        if ((row->products & call->product) == 0 || (row->modes & call->mode) == 0)
            continue;
        int one = 0;
        for (; one < count; ++one) {
            const int32_t cell = CHILD(row->cells + columns[one]);
            if (cell >= 0 && (given[one] & ~aclspec_cells[cell].set) != 0)
                break;
        }
        if (one == count)
            return true;
    }
    return false;
}

/* What a call gives a parameter that the rows look at; `skipped` where they do not. */
static truth checked_dtypes(context *call, int param, bool joint, bool *skipped, uint64_t *set)
{
    const param_row *row = &aclspec_params[call->op->first_param + param];
    if (row->type != T_DTYPE && is_null(&call->arguments[param], row->type)) {
        *set = SET_NULL;
        *skipped = !joint || !aclspec_names_null(call, row->column);
        return YES;
    }
    const truth checked = row->checked < 0 ? YES : aclspec_test(call, row->checked);
    if (checked == UNSEEN)
        return UNSEEN;
    bool null;
    *skipped = checked != YES;
    return *skipped ? YES : aclspec_given(call, param, &null, set);
}

truth aclspec_in_rows(context *call, const node *rows)
{
    uint64_t given[ACLSPEC_JOINT];
    int32_t columns[ACLSPEC_JOINT];
    int count = 0, found = 0;
    bool alone = true;
    for (int at = 0; at < rows->b; ++at) {
        const int param = CHILD(rows->a + at);
        const int32_t column = aclspec_params[call->op->first_param + param].column;
        bool skipped;
        uint64_t set = 0;
        const truth one = checked_dtypes(call, param, rows->b > 1, &skipped, &set);
        if (one != YES)
            return one;
        if (skipped)
            continue;
        ++found;
        if (column < 0 || call->columns == NULL)
            continue; /* every row takes it */
        alone = alone && (set & ~call->columns[column]) == 0;
        if (alone && (set & (set - 1)) != 0) /* the dtypes of a list, which one row has to have */
            alone = in_one_row(call, &set, &column, 1);
        given[count] = set;
        columns[count++] = column;
    }
    if (found == 0 || call->columns == NULL)
        return UNDEFINED;
    if (!alone)
        return rows->b == 1 ? NO : UNDEFINED;
    return count < 2 || in_one_row(call, given, columns, count);
}
