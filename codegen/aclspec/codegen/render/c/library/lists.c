/* Lists, whose elements are read or evaluated one by one, and comparisons of values. */
#include "aclspec_evaluator.h"

static truth node_item(context *call, int32_t at, int64_t index, value *out)
{
    const node *list = &aclspec_nodes[at];
    const int32_t used = call->used;
    value *inner = aclspec_room(call, 2), *result = inner + 1;
    truth found;
    switch (list->op) {
    case OP_LIST:
        found = aclspec_evaluate(call, CHILD(list->a + (int32_t)index), result);
        break;
    case OP_EACH:
        found = aclspec_evaluate(call, list->a, inner);
        found = found == YES ? aclspec_item(call, inner, index, result) : found;
        if (found == YES) {
            call->variables[list->c] = *result;
            found = aclspec_evaluate(call, list->b, result);
        }
        break;
    case OP_JOIN:
        found = aclspec_evaluate(call, list->a, inner);
        if (found == YES && index >= inner->as.list.length) {
            index -= inner->as.list.length;
            found = aclspec_evaluate(call, list->b, inner);
        }
        found = found == YES ? aclspec_item(call, inner, index, result) : found;
        break;
    default:
        found = aclspec_function_item(call, at, index, result);
    }
    *out = *result;
    call->used = used;
    return found;
}

truth aclspec_item(context *call, const value *list, int64_t index, value *out)
{
    const void *items = list->as.list.items;
    switch (list->source) {
    case RANGE:
        out->kind = INT;
        out->as.integer = list->as.list.first + index;
        return YES;
    case INTS:
        out->kind = list->element;
        out->as.integer = ((const int64_t *)items)[index];
        return YES;
    case BOOLS:
        out->kind = BOOL;
        out->as.integer = ((const bool *)items)[index];
        return YES;
    case FLOATS:
        out->kind = REAL;
        out->as.real = (double)((const float *)items)[index];
        return YES;
    case TENSORS:
        out->kind = TENSOR;
        out->as.tensor = ((const aclspec_tensor *const *)items)[index];
        return YES;
    case SCALARS:
        out->kind = SCALAR;
        out->as.scalar = ((const aclspec_scalar *const *)items)[index];
        return YES;
    default:
        return node_item(call, list->node, index, out);
    }
}

wide aclspec_integer(context *call, const value *list, int64_t index)
{
    if (list->source == INTS)
        return ((const int64_t *)list->as.list.items)[index];
    value found;
    return aclspec_item(call, list, index, &found) == YES ? found.as.integer : 0;
}

/* --- Comparisons --- */

/* An integer and a double, exactly as they are. */
static int compare_mixed(wide left, double right)
{
    const double limit = 85070591730234615865843651857942052864.0; /* LIMIT */
    if (right != right)
        return 2;
    if (right > limit)
        return -1;
    if (right < -limit)
        return 1;
    const wide whole = (wide)right; /* towards 0 */
    if (left != whole)
        return left < whole ? -1 : 1;
    const double rest = right - (double)whole;
    return rest > 0 ? -1 : rest < 0;
}

int aclspec_compare(const value *left, const value *right)
{
    if (left->kind == REAL && right->kind == REAL) {
        const double one = left->as.real, other = right->as.real;
        return one < other ? -1 : one > other ? 1 : one == other ? 0 : 2;
    }
    if (right->kind == REAL)
        return compare_mixed(left->as.integer, right->as.real);
    if (left->kind == REAL) {
        const int order = compare_mixed(right->as.integer, left->as.real);
        return order == 2 ? 2 : -order;
    }
    const wide one = left->as.integer, other = right->as.integer;
    return one < other ? -1 : one > other;
}

static truth equal_lists(context *call, const value *left, const value *right)
{
    const int64_t length = left->as.list.length;
    if (length != right->as.list.length)
        return NO;
    if (left->source == INTS && right->source == INTS)
        return length == 0 || memcmp(left->as.list.items, right->as.list.items, (size_t)length * sizeof(int64_t)) == 0;
    value one, other;
    for (int64_t index = 0; index < length; ++index) {
        truth found = aclspec_item(call, left, index, &one);
        found = found == YES ? aclspec_item(call, right, index, &other) : found;
        found = found == YES ? aclspec_equal(call, &one, &other) : found;
        if (found != YES)
            return found;
    }
    return YES;
}

truth aclspec_equal(context *call, const value *left, const value *right)
{
    if (left->kind == LIST)
        return equal_lists(call, left, right);
    if (left->kind == TEXT)
        return strcmp(left->as.text, right->as.text) == 0;
    return aclspec_compare(left, right) == 0;
}

truth aclspec_contains(context *call, const value *list, const value *wanted)
{
    value one;
    for (int64_t index = 0; index < list->as.list.length; ++index) {
        truth found = aclspec_item(call, list, index, &one);
        found = found == YES ? aclspec_equal(call, &one, wanted) : found;
        if (found != NO)
            return found;
    }
    return NO;
}
