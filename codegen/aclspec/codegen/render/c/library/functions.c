/* The functions of the predicate language, one below the other. A function that the language has and that is not here
 * is named by the compiler: the table at the end has an entry for each of ACLSPEC_FUNCTIONS. */
#include "aclspec_evaluator.h"

#define FUNCTION(name)                                                                                                 \
    static truth name##_(context *call, int32_t at, const value *args, int count, value *out)
#define UNUSED (void)call, (void)at, (void)args, (void)count
#define SHAPE(argument) ((argument).as.tensor->shape)
#define RANK(argument) ((int64_t)(argument).as.tensor->rank)
#define NUMBER(argument) ((argument).as.integer)
#define LENGTH(argument) ((argument).as.list.length)

static truth said(bool holds, value *out)
{
    out->kind = BOOL;
    out->as.integer = holds;
    return YES;
}

static truth whole(wide number, value *out)
{
    out->kind = INT;
    out->as.integer = number;
    return YES;
}

static truth viewed(const int64_t *items, int64_t length, value *out)
{
    out->kind = LIST;
    out->source = INTS;
    out->element = INT;
    out->as.list.items = items;
    out->as.list.length = length;
    return YES;
}

/* The list that a call is, whose elements `aclspec_function_item` knows. */
static truth listed(int32_t at, int64_t length, value *out)
{
    out->kind = LIST;
    out->source = NODE;
    out->node = at;
    out->as.list.length = length;
    return YES;
}

/* --- Tensors --- */

FUNCTION(rank)
{
    UNUSED;
    return whole(RANK(args[0]), out);
}

static bool has_zero(const int64_t *sizes, int64_t count)
{
    for (int64_t index = 0; index < count; ++index)
        if (sizes[index] == 0)
            return true;
    return false;
}

/* The product of integers; undefined beyond the limit, unless one of them is 0. */
static truth product(context *call, const value *list, value *out)
{
    wide found = 1;
    bool beyond = false;
    for (int64_t index = 0; index < LENGTH(*list); ++index) {
        const wide one = aclspec_integer(call, list, index);
        if (one == 0)
            return whole(0, out);
        beyond = beyond || __builtin_mul_overflow(found, one, &found);
    }
    return beyond ? UNDEFINED : aclspec_bounded(found, out);
}

FUNCTION(numel)
{
    UNUSED;
    value shape;
    viewed(SHAPE(args[0]), RANK(args[0]), &shape);
    return product(call, &shape, out);
}

FUNCTION(dim)
{
    UNUSED;
    const wide axis = NUMBER(args[1]);
    return axis < 0 || axis >= RANK(args[0]) ? UNDEFINED : whole(SHAPE(args[0])[(size_t)axis], out);
}

FUNCTION(shape)
{
    UNUSED;
    return viewed(SHAPE(args[0]), RANK(args[0]), out);
}

FUNCTION(dtype)
{
    UNUSED;
    out->kind = DTYPE;
    out->as.integer = args[0].kind == TENSOR ? args[0].as.tensor->dtype : args[0].as.scalar->dtype;
    return YES;
}

FUNCTION(format)
{
    UNUSED;
    out->kind = FORMAT;
    out->as.integer = args[0].as.tensor->format;
    return YES;
}

/* Of a parameter it is a node of its own; of anything else that has a value it is false. */
FUNCTION(is_null)
{
    UNUSED;
    return said(false, out);
}

FUNCTION(is_empty)
{
    UNUSED;
    return said(has_zero(SHAPE(args[0]), RANK(args[0])), out);
}

/* Whether the strides are row-major, with the last two axes swapped or not. */
static bool is_row_major(const aclspec_tensor *tensor, bool swapped)
{
    const int64_t rank = (int64_t)tensor->rank;
    wide expected = 1;
    for (int64_t axis = 0; axis < rank; ++axis)
        if (tensor->shape[axis] <= 0)
            return true;
    for (int64_t place = rank - 1; place >= 0; --place) {
        const int64_t axis = swapped && place >= rank - 2 ? 2 * rank - 3 - place : place;
        if (tensor->shape[axis] != 1 && tensor->strides[axis] != expected)
            return false;
        if (expected <= INT64_MAX) /* no stride is larger */
            expected *= tensor->shape[axis];
    }
    return true;
}

FUNCTION(is_contiguous)
{
    UNUSED;
    return said(is_row_major(args[0].as.tensor, false), out);
}

FUNCTION(is_transposed)
{
    UNUSED;
    return said(RANK(args[0]) >= 2 && is_row_major(args[0].as.tensor, true), out);
}

FUNCTION(strides)
{
    UNUSED;
    return viewed(args[0].as.tensor->strides, RANK(args[0]), out);
}

FUNCTION(storage_shape)
{
    UNUSED;
    return viewed(args[0].as.tensor->storage_shape, (int64_t)args[0].as.tensor->storage_rank, out);
}

FUNCTION(value)
{
    UNUSED;
    const aclspec_scalar *scalar = args[0].as.scalar;
    aclspec_scalar_number(scalar, out);
    return aclspec_is_complex(scalar->dtype) ? UNDEFINED : YES;
}

FUNCTION(is_private)
{
    UNUSED;
    return said(aclspec_is_private((int)NUMBER(args[0])), out);
}

/* --- Numbers --- */

FUNCTION(len)
{
    UNUSED;
    return whole(LENGTH(args[0]), out);
}

FUNCTION(prod)
{
    UNUSED;
    return product(call, &args[0], out);
}

FUNCTION(sum)
{
    UNUSED;
    wide high = 0, low = 0; /* in two parts, so that nothing overflows on the way */
    for (int64_t index = 0; index < LENGTH(args[0]); ++index) {
        const wide one = aclspec_integer(call, &args[0], index);
        low += (uint64_t)one;
        high += one >> 64;
    }
    high += low >> 64;
    if (high >= (wide)1 << 62 || high < -((wide)1 << 62))
        return high == (wide)1 << 62 && (uint64_t)low == 0 ? whole(LIMIT, out) : UNDEFINED;
    return aclspec_bounded(high * ((wide)1 << 64) + (uint64_t)low, out);
}

/* The least or the greatest of one list, or of several values. */
static truth extreme(context *call, const value *args, int count, int order, value *out)
{
    const bool of_list = count == 1 && args[0].kind == LIST;
    const int64_t length = of_list ? LENGTH(args[0]) : count;
    value one;
    for (int64_t index = 0; index < length; ++index) {
        if (!of_list)
            one = args[index];
        else if (aclspec_item(call, &args[0], index, &one) != YES)
            return UNDEFINED;
        if (index == 0 || aclspec_compare(&one, out) == order)
            *out = one;
    }
    return length > 0 ? YES : UNDEFINED;
}

FUNCTION(min)
{
    UNUSED;
    return extreme(call, args, count, -1, out);
}

FUNCTION(max)
{
    UNUSED;
    return extreme(call, args, count, 1, out);
}

FUNCTION(abs)
{
    UNUSED;
    *out = args[0];
    if (out->kind == REAL)
        out->as.real = __builtin_fabs(out->as.real);
    else if (out->as.integer < 0)
        out->as.integer = -out->as.integer;
    return YES;
}

FUNCTION(ceil_div)
{
    UNUSED;
    const wide by = NUMBER(args[1]);
    return by == 0 ? UNDEFINED : aclspec_bounded(-aclspec_floor_div(-NUMBER(args[0]), by), out);
}

/* Whether a function of windows has a value: its arguments are int64, and the stride is positive. */
static bool are_int64(const value *args, int count)
{
    for (int index = 0; index < count; ++index)
        if (NUMBER(args[index]) < INT64_MIN || NUMBER(args[index]) > INT64_MAX)
            return false;
    return NUMBER(args[2]) > 0;
}

static wide reach(const value *args)
{
    return NUMBER(args[0]) + NUMBER(args[3]) + NUMBER(args[4]) - NUMBER(args[5]) * (NUMBER(args[1]) - 1) - 1;
}

FUNCTION(conv_out)
{
    UNUSED;
    if (!are_int64(args, count))
        return UNDEFINED;
    return aclspec_bounded(aclspec_floor_div(reach(args), NUMBER(args[2])) + 1, out);
}

FUNCTION(pool_out)
{
    const wide stride = NUMBER(args[2]);
    if (!NUMBER(args[6]))
        return conv_out_(call, at, args, count, out);
    if (!are_int64(args, count))
        return UNDEFINED;
    const wide found = 1 - aclspec_floor_div(-reach(args), stride);
    const wide start = (found - 1) * stride; /* of the last window, which is not one where it stands outside */
    return aclspec_bounded(found - (start >= NUMBER(args[0]) + NUMBER(args[3])), out);
}

FUNCTION(conv_transpose_out)
{
    UNUSED;
    wide found;
    if (!are_int64(args, count) ||
        __builtin_add_overflow((NUMBER(args[0]) - 1) * NUMBER(args[2]), NUMBER(args[5]) * (NUMBER(args[1]) - 1), &found))
        return UNDEFINED;
    const wide rest = NUMBER(args[6]) - NUMBER(args[3]) - NUMBER(args[4]) + 1;
    return __builtin_add_overflow(found, rest, &found) ? UNDEFINED : aclspec_bounded(found, out);
}

/* The product rounded down, within what an int64 holds. */
static wide scaled_by(wide size, double factor)
{
    const double result = (double)size * factor, limit = 9223372036854775808.0;
    if (result != result)
        return 0;
    if (result >= limit || result <= -limit)
        return result > 0 ? INT64_MAX : -INT64_MAX;
    const wide found = (wide)result;
    return found - ((double)found > result);
}

static double real_of(const value *number)
{
    return number->kind == REAL ? number->as.real : (double)number->as.integer;
}

FUNCTION(scaled)
{
    UNUSED;
    return whole(scaled_by(NUMBER(args[0]), real_of(&args[1])), out);
}

FUNCTION(range_len)
{
    UNUSED;
    wide length;
    if (aclspec_compare(&args[2], &(value){.kind = INT}) == 0)
        return UNDEFINED;
    if (args[0].kind != REAL && args[1].kind != REAL && args[2].kind != REAL)
        length = __builtin_sub_overflow(NUMBER(args[0]), NUMBER(args[1]), &length)
                     ? LIMIT + 1
                     : -aclspec_floor_div(length, NUMBER(args[2]));
    else
        length = -scaled_by(1, (real_of(&args[0]) - real_of(&args[1])) / real_of(&args[2]));
    return aclspec_bounded(length > 0 ? length : 0, out);
}

FUNCTION(wrap)
{
    UNUSED;
    const wide axis = NUMBER(args[0]), rank = NUMBER(args[1]);
    return axis < -rank || axis >= rank ? UNDEFINED : whole(axis < 0 ? axis + rank : axis, out);
}

/* --- Dtypes --- */

static int dtype_of(const value *argument)
{
    return argument->kind == TENSOR   ? argument->as.tensor->dtype
           : argument->kind == SCALAR ? argument->as.scalar->dtype
                                      : (int)argument->as.integer;
}

static int promoted(const value *args)
{
    const int left = dtype_of(&args[0]), right = dtype_of(&args[1]);
    return args[0].kind == TENSOR ? aclspec_promote_scalar(left, right) : aclspec_promote(left, right);
}

static truth dtype_found(int dtype, value *out)
{
    out->kind = DTYPE;
    out->as.integer = dtype;
    return dtype == NO_DTYPE ? UNDEFINED : YES;
}

FUNCTION(promotable)
{
    UNUSED;
    return said(promoted(args) != NO_DTYPE, out);
}

FUNCTION(promote)
{
    UNUSED;
    return dtype_found(promoted(args), out);
}

static int promoted_all(context *call, const value *dtypes)
{
    int common = NO_DTYPE;
    for (int64_t index = 0; index < LENGTH(*dtypes); ++index) {
        const int dtype = (int)aclspec_integer(call, dtypes, index);
        common = index == 0 ? dtype : aclspec_promote(common, dtype);
        if (common == NO_DTYPE)
            break;
    }
    return common;
}

FUNCTION(promotable_all)
{
    UNUSED;
    return said(promoted_all(call, &args[0]) != NO_DTYPE, out);
}

FUNCTION(promote_all)
{
    UNUSED;
    return dtype_found(promoted_all(call, &args[0]), out);
}

FUNCTION(castable)
{
    UNUSED;
    return said(aclspec_castable((int)NUMBER(args[0]), (int)NUMBER(args[1])), out);
}

FUNCTION(bits)
{
    UNUSED;
    return whole(aclspec_bits((int)NUMBER(args[0])), out);
}

FUNCTION(itemsize)
{
    UNUSED;
    return whole((aclspec_bits((int)NUMBER(args[0])) + 7) / 8, out);
}

/* --- Lists --- */

static int64_t larger(int64_t left, int64_t right) { return left > right ? left : right; }

/* A size of a shape as if it had more axes in front. */
static wide padded(context *call, const value *shape, int64_t rank, int64_t axis)
{
    const int64_t own = axis - (rank - LENGTH(*shape));
    return own < 0 ? 1 : aclspec_integer(call, shape, own);
}

static bool meet(context *call, const value *left, const value *right)
{
    const int64_t rank = larger(LENGTH(*left), LENGTH(*right));
    for (int64_t axis = 0; axis < rank; ++axis) {
        const wide one = padded(call, left, rank, axis), other = padded(call, right, rank, axis);
        if (one != other && one != 1 && other != 1)
            return false;
    }
    return true;
}

FUNCTION(broadcastable)
{
    UNUSED;
    return said(meet(call, &args[0], &args[1]), out);
}

FUNCTION(broadcast)
{
    UNUSED;
    if (!meet(call, &args[0], &args[1]))
        return UNDEFINED;
    return listed(at, larger(LENGTH(args[0]), LENGTH(args[1])), out);
}

static wide broadcast_item(context *call, const value *args, int64_t index)
{
    const int64_t rank = larger(LENGTH(args[0]), LENGTH(args[1]));
    const wide one = padded(call, &args[0], rank, index);
    return one == 1 ? padded(call, &args[1], rank, index) : one;
}

/* A tensor of indices; one without elements is for the whole axis. */
static const aclspec_tensor *index_at(const value *indices, int64_t place)
{
    return ((const aclspec_tensor *const *)indices->as.list.items)[place];
}

static bool names_places(const value *indices, int64_t place)
{
    if (place >= LENGTH(*indices))
        return false;
    const aclspec_tensor *one = index_at(indices, place);
    return !has_zero(one->shape, (int64_t)one->rank);
}

static void index_shape_at(const value *indices, int64_t place, value *out)
{
    const aclspec_tensor *one = index_at(indices, place);
    viewed(one->shape, (int64_t)one->rank, out);
}

static bool can_index(context *call, const value *args)
{
    const value *indices = &args[1];
    bool some = false;
    if (LENGTH(*indices) > LENGTH(args[0]))
        return false;
    for (int64_t one = 0; one < LENGTH(*indices); ++one)
        if (index_at(indices, one) == NULL)
            return false;
    for (int64_t one = 0; one < LENGTH(*indices); ++one) {
        if (!names_places(indices, one))
            continue;
        some = true;
        value left, right;
        index_shape_at(indices, one, &left);
        for (int64_t other = 0; other < one; ++other) {
            if (!names_places(indices, other))
                continue;
            index_shape_at(indices, other, &right);
            if (!meet(call, &left, &right))
                return false;
        }
    }
    return some;
}

/* How many axes are indexed, and the rank to which their indices broadcast. */
static int64_t chosen(const value *indices, int64_t *rank)
{
    int64_t count = 0;
    *rank = 0;
    for (int64_t place = 0; place < LENGTH(*indices); ++place)
        if (names_places(indices, place)) {
            ++count;
            *rank = larger(*rank, (int64_t)index_at(indices, place)->rank);
        }
    return count;
}

FUNCTION(indexable)
{
    UNUSED;
    return said(can_index(call, args), out);
}

FUNCTION(index_shape)
{
    UNUSED;
    int64_t rank;
    if (!can_index(call, args))
        return UNDEFINED;
    const int64_t count_of_axes = chosen(&args[1], &rank);
    return listed(at, LENGTH(args[0]) - count_of_axes + rank, out);
}

static wide index_shape_item(context *call, const value *args, int64_t index)
{
    const value *indices = &args[1];
    int64_t rank, first = 0, last = 0;
    const int64_t count = chosen(indices, &rank);
    while (!names_places(indices, first))
        ++first;
    for (last = first; names_places(indices, last);)
        ++last;
    const int64_t front = last - first == count ? first : 0; /* whole axes before those of the indices */
    if (index < front || index >= front + rank) {
        int64_t rest = index < front ? index : index - rank, axis = 0;
        for (; names_places(indices, axis) || rest-- > 0;)
            ++axis;
        return aclspec_integer(call, &args[0], axis);
    }
    wide size = 1;
    for (int64_t place = 0; place < LENGTH(*indices); ++place) {
        const aclspec_tensor *one = index_at(indices, place);
        const int64_t axis = index - front - (rank - (int64_t)one->rank);
        if (names_places(indices, place) && axis >= 0 && one->shape[axis] != 1)
            size = one->shape[axis];
    }
    return size;
}

FUNCTION(range)
{
    UNUSED;
    const wide first = NUMBER(args[0]);
    wide length;
    if (__builtin_sub_overflow(NUMBER(args[1]), first, &length) || length > ACLSPEC_MAX_RANGE)
        return UNDEFINED;
    listed(at, length > 0 ? (int64_t)length : 0, out);
    if (first >= INT64_MIN && first <= INT64_MAX - ACLSPEC_MAX_RANGE) {
        out->source = RANGE;
        out->as.list.first = (int64_t)first;
    }
    return YES;
}

FUNCTION(slice)
{
    UNUSED;
    const wide start = NUMBER(args[1]), stop = NUMBER(args[2]);
    if (start < 0 || start > stop || stop > LENGTH(args[0]))
        return UNDEFINED;
    if (args[0].source != INTS)
        return listed(at, (int64_t)(stop - start), out);
    const int64_t *items = args[0].as.list.items;
    viewed(items == NULL ? NULL : items + (size_t)start, (int64_t)(stop - start), out);
    out->element = args[0].element;
    return YES;
}

/* Whether an index is inside a list, or up to its end. */
static bool inside(const value *args, int64_t end)
{
    return NUMBER(args[1]) >= 0 && NUMBER(args[1]) < LENGTH(args[0]) + end;
}

FUNCTION(replace)
{
    UNUSED;
    return inside(args, 0) ? listed(at, LENGTH(args[0]), out) : UNDEFINED;
}

FUNCTION(remove)
{
    UNUSED;
    return inside(args, 0) ? listed(at, LENGTH(args[0]) - 1, out) : UNDEFINED;
}

FUNCTION(insert)
{
    UNUSED;
    return inside(args, 1) ? listed(at, LENGTH(args[0]) + 1, out) : UNDEFINED;
}

static bool is_reduced(context *call, const value *args, int64_t axis)
{
    for (int64_t index = 0; index < LENGTH(args[1]); ++index) {
        const wide one = aclspec_integer(call, &args[1], index);
        if (one == axis || one == axis - LENGTH(args[0]))
            return true;
    }
    return false;
}

FUNCTION(reduce)
{
    UNUSED;
    const int64_t rank = LENGTH(args[0]);
    int64_t length = 0;
    for (int64_t index = 0; index < LENGTH(args[1]); ++index) {
        const wide axis = aclspec_integer(call, &args[1], index);
        if (axis < -rank || axis >= rank)
            return UNDEFINED;
    }
    for (int64_t axis = 0; axis < rank; ++axis)
        length += NUMBER(args[2]) || !is_reduced(call, args, axis);
    return listed(at, length, out);
}

static wide reduce_item(context *call, const value *args, int64_t index)
{
    if (NUMBER(args[2]))
        return is_reduced(call, args, index) ? 1 : aclspec_integer(call, &args[0], index);
    int64_t axis = 0;
    for (; is_reduced(call, args, axis) || index-- > 0;)
        ++axis;
    return aclspec_integer(call, &args[0], axis);
}

FUNCTION(distinct)
{
    UNUSED;
    for (int64_t one = 0; one < LENGTH(args[0]); ++one)
        for (int64_t other = 0; other < one; ++other)
            if (aclspec_integer(call, &args[0], one) == aclspec_integer(call, &args[0], other))
                return said(false, out);
    return said(true, out);
}

static truth item_of(context *call, int32_t function, const value *args, int64_t index, value *out)
{
    const int64_t place = function == F_replace || function == F_remove || function == F_insert
                              ? (int64_t)NUMBER(args[1])
                              : 0;
    switch (function) {
    case F_range:
        return whole(NUMBER(args[0]) + index, out);
    case F_broadcast:
        return whole(broadcast_item(call, args, index), out);
    case F_index_shape:
        return whole(index_shape_item(call, args, index), out);
    case F_reduce:
        return whole(reduce_item(call, args, index), out);
    case F_slice:
        return aclspec_item(call, &args[0], (int64_t)NUMBER(args[1]) + index, out);
    case F_replace:
        return index == place ? whole(NUMBER(args[2]), out) : aclspec_item(call, &args[0], index, out);
    case F_remove:
        return aclspec_item(call, &args[0], index + (index >= place), out);
    case F_insert:
        return index == place ? whole(NUMBER(args[2]), out)
                              : aclspec_item(call, &args[0], index - (index > place), out);
    default:
        return UNDEFINED; /* the value is no list of this kind */
    }
}

truth aclspec_function_item(context *call, int32_t at, int64_t index, value *out)
{
    const node *list = &aclspec_nodes[at];
    const int32_t used = call->used;
    value *args = aclspec_room(call, list->b);
    truth found = YES;
    for (int32_t child = 0; found == YES && child < list->b; ++child)
        found = aclspec_evaluate(call, CHILD(list->a + child), &args[child]);
    if (found == YES)
        found = item_of(call, list->c, args, index, out);
    call->used = used;
    return found;
}

#define ENTRY(name) [F_##name] = name##_,
const function_of aclspec_functions[FUNCTION_COUNT] = {ACLSPEC_FUNCTIONS(ENTRY)};
