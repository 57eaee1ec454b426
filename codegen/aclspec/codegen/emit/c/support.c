/* What the checks of the operators call. Nothing here allocates. */
#include "aclspec_checks_support.h"
#include <stdio.h>
#include <stdlib.h>

/* @tables@ */

/* --- Integers --- */

#define UNITS 64

aclspec_big aclspec_big_of(wide value)
{
    aclspec_big big = {{0}, value < 0};
    unsigned __int128 size = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    for (int at = 0; at < 4; ++at)
        big.units[at] = (uint32_t)(size >> (32 * at));
    return big;
}

static bool is_zero(const aclspec_big *big)
{
    for (int at = 0; at < UNITS; ++at)
        if (big->units[at] != 0)
            return false;
    return true;
}

static aclspec_big largest(bool negative)
{
    aclspec_big big;
    memset(big.units, 0xff, sizeof big.units);
    big.negative = negative;
    return big;
}

static int compare_sizes(const aclspec_big *left, const aclspec_big *right)
{
    for (int at = UNITS - 1; at >= 0; --at)
        if (left->units[at] != right->units[at])
            return left->units[at] < right->units[at] ? -1 : 1;
    return 0;
}

int aclspec_big_compare(aclspec_big left, aclspec_big right)
{
    const bool below = left.negative && !is_zero(&left), other = right.negative && !is_zero(&right);
    if (below != other)
        return below ? -1 : 1;
    return below ? compare_sizes(&right, &left) : compare_sizes(&left, &right);
}

wide aclspec_clamped(aclspec_big value)
{
    const unsigned __int128 limit = (unsigned __int128)1 << 126;
    unsigned __int128 size = 0;
    for (int at = UNITS - 1; at >= 0; --at) {
        size = at > 3 ? size | value.units[at] : size << 32 | value.units[at];
        if (at == 4 && size != 0)
            size = limit;
        if (size >= limit)
            break;
    }
    size = size < limit ? size : limit;
    return value.negative ? -(wide)size : (wide)size;
}

aclspec_big aclspec_big_add(aclspec_big left, aclspec_big right)
{
    if (left.negative == right.negative) {
        uint64_t carry = 0;
        for (int at = 0; at < UNITS; ++at) {
            carry += (uint64_t)left.units[at] + right.units[at];
            left.units[at] = (uint32_t)carry;
            carry >>= 32;
        }
        return carry ? largest(left.negative) : left;
    }
    if (compare_sizes(&left, &right) < 0) {
        const aclspec_big other = left;
        left = right;
        right = other;
    }
    int64_t borrow = 0;
    for (int at = 0; at < UNITS; ++at) {
        borrow += (int64_t)left.units[at] - (int64_t)right.units[at];
        left.units[at] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    return left;
}

aclspec_big aclspec_big_sub(aclspec_big left, aclspec_big right)
{
    right.negative = !right.negative;
    return aclspec_big_add(left, right);
}

aclspec_big aclspec_big_mul(aclspec_big left, aclspec_big right)
{
    aclspec_big product = {{0}, left.negative != right.negative};
    for (int one = 0; one < UNITS; ++one) {
        uint64_t carry = 0;
        if (left.units[one] == 0)
            continue;
        for (int other = 0; other < UNITS; ++other) {
            const uint64_t part = (uint64_t)left.units[one] * right.units[other];
            if (one + other >= UNITS) {
                if (part + carry != 0)
                    return largest(product.negative);
                continue;
            }
            carry += part + product.units[one + other];
            product.units[one + other] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry != 0)
            return largest(product.negative);
    }
    return product;
}

/* The quotient of the sizes, bit by bit; what it leaves stays in `left`. */
static aclspec_big divide(aclspec_big *left, const aclspec_big *right)
{
    aclspec_big quotient = {{0}, false}, rest = {{0}, false};
    for (int bit = UNITS * 32 - 1; bit >= 0; --bit) {
        for (int at = UNITS - 1; at > 0; --at)
            rest.units[at] = rest.units[at] << 1 | rest.units[at - 1] >> 31;
        rest.units[0] = rest.units[0] << 1 | (left->units[bit / 32] >> (bit % 32) & 1);
        if (compare_sizes(&rest, right) >= 0) {
            aclspec_big size = *right;
            size.negative = false;
            rest = aclspec_big_sub(rest, size);
            quotient.units[bit / 32] |= (uint32_t)1 << (bit % 32);
        }
    }
    *left = rest;
    return quotient;
}

aclspec_big aclspec_big_floor_div(aclspec_big left, aclspec_big right)
{
    const bool negative = left.negative != right.negative;
    aclspec_big quotient = divide(&left, &right);
    if (negative) {
        if (!is_zero(&left))
            quotient = aclspec_big_add(quotient, aclspec_big_of(1));
        quotient.negative = true;
    }
    return quotient;
}

aclspec_big aclspec_big_mod(aclspec_big left, aclspec_big right)
{
    return aclspec_big_sub(left, aclspec_big_mul(aclspec_big_floor_div(left, right), right));
}

aclspec_big aclspec_big_max(aclspec_big left, aclspec_big right)
{
    return aclspec_big_compare(left, right) > 0 ? left : right;
}

aclspec_big aclspec_big_min(aclspec_big left, aclspec_big right)
{
    return aclspec_big_compare(left, right) < 0 ? left : right;
}

wide aclspec_conv_out(wide size, wide kernel, wide stride, wide before, wide after, wide dilation)
{
    return aclspec_floor_div(size + before + after - dilation * (kernel - 1) - 1, stride) + 1;
}

wide aclspec_pool_out(wide size, wide kernel, wide stride, wide before, wide after, wide dilation, bool ceil_mode)
{
    if (!ceil_mode)
        return aclspec_conv_out(size, kernel, stride, before, after, dilation);
    const wide out = 1 - aclspec_floor_div(-(size + before + after - dilation * (kernel - 1) - 1), stride);
    return out - ((out - 1) * stride >= size + before); /* no window starts outside */
}

wide aclspec_scaled(wide size, double factor)
{
    const double product = (double)size * factor, limit = 9223372036854775808.0;
    if (product != product)
        return 0;
    if (product >= limit || product <= -limit)
        return product > 0 ? INT64_MAX : -INT64_MAX;
    const wide whole = (wide)product;
    return whole - ((double)whole > product);
}

/* --- Lists --- */

bool aclspec_equal(aclspec_ints left, aclspec_ints right)
{
    return left.length == right.length && ALL(place, 0, left.length, at(left, place) == at(right, place));
}

bool aclspec_contains(aclspec_ints values, wide value) { return ANY(place, 0, values.length, at(values, place) == value); }

aclspec_big aclspec_prod(aclspec_ints values)
{
    return PROD(place, values.length, aclspec_big_of(at(values, place)));
}

bool aclspec_broadcastable(aclspec_ints left, aclspec_ints right)
{
    return ALL(place, 1, aclspec_min(left.length, right.length) + 1,
               SIZES_MEET(at(left, left.length - place), at(right, right.length - place)));
}

wide aclspec_broadcast_at(aclspec_ints left, aclspec_ints right, wide index)
{
    const wide lead = left.length - right.length; /* negative where the left one is shorter */
    const wide one = lead < 0 && index < -lead ? 1 : at(left, lead < 0 ? index + lead : index);
    const wide other = lead > 0 && index < lead ? 1 : at(right, lead > 0 ? index - lead : index);
    return one == 1 ? other : one;
}

/* Whether a tensor of indices names places on its axis: one without elements is for the whole axis. */
static bool names_places(const aclspec_tensor *index)
{
    return !aclspec_contains(aclspec_shape(index), 0);
}

static wide count_of(const aclspec_tensor_list *indices)
{
    return (wide)indices->length;
}

#define NAMES_PLACES(indices, place) names_places((indices)->items[(size_t)(place)])
#define INDEX_SHAPE(indices, place) aclspec_shape((indices)->items[(size_t)(place)])

bool aclspec_indexable(aclspec_ints shape, const aclspec_tensor_list *indices)
{
    const wide count = count_of(indices);
    if (count > shape.length || ANY(place, 0, count, indices->items[(size_t)place] == NULL))
        return false;
    return ANY(place, 0, count, NAMES_PLACES(indices, place)) &&
           ALL(one, 0, count,
               !NAMES_PLACES(indices, one) ||
                   ALL(other, 0, one,
                       !NAMES_PLACES(indices, other) ||
                           aclspec_broadcastable(INDEX_SHAPE(indices, one), INDEX_SHAPE(indices, other))));
}

/* The number of axes to which the indices broadcast. */
static wide rank_together(const aclspec_tensor_list *indices)
{
    wide rank = 0;
    for (wide place = 0; place < count_of(indices); ++place)
        if (NAMES_PLACES(indices, place))
            rank = aclspec_max(rank, INDEX_SHAPE(indices, place).length);
    return rank;
}

wide aclspec_index_rank(aclspec_ints shape, const aclspec_tensor_list *indices)
{
    return shape.length - COUNT(place, count_of(indices), NAMES_PLACES(indices, place)) + rank_together(indices);
}

wide aclspec_index_at(aclspec_ints shape, const aclspec_tensor_list *indices, wide index)
{
    const wide count = count_of(indices), rank = rank_together(indices);
    const wide chosen = COUNT(place, count, NAMES_PLACES(indices, place));
    const wide first = NTH(place, 0, count, NAMES_PLACES(indices, place));
    const bool together = ALL(place, first, aclspec_min(first + chosen, count), NAMES_PLACES(indices, place));
    const wide front = together ? first : 0; /* whole axes that come before those of the indices */
    if (index < front || index >= front + rank) {
        const wide rest = index < front ? index : index - rank;
        const wide axis = NTH(place, rest, shape.length, place >= count || !NAMES_PLACES(indices, place));
        return at(shape, axis);
    }
    wide size = 1;
    for (wide place = 0; place < count; ++place) {
        const aclspec_ints own = INDEX_SHAPE(indices, place);
        const wide axis = index - front - (rank - own.length);
        if (NAMES_PLACES(indices, place) && axis >= 0 && at(own, axis) != 1)
            size = at(own, axis);
    }
    return size;
}

/* Whether the strides are those of a row-major tensor with the axes in some order, in which `axis_of` names them. */
static bool is_row_major(const aclspec_tensor *tensor, bool swapped)
{
    const aclspec_ints shape = aclspec_shape(tensor);
    if (ANY(place, 0, shape.length, at(shape, place) <= 0))
        return true;
    aclspec_big expected = aclspec_big_of(1);
    for (wide place = shape.length - 1; place >= 0; --place) {
        const bool is_last = place >= shape.length - 2;
        const wide axis = swapped && is_last ? 2 * shape.length - 3 - place : place;
        const wide size = at(shape, axis);
        if (size != 1 && aclspec_big_compare(aclspec_big_of(tensor->strides[(size_t)axis]), expected) != 0)
            return false;
        expected = aclspec_big_mul(expected, aclspec_big_of(size));
    }
    return true;
}

bool aclspec_is_contiguous(const aclspec_tensor *tensor) { return is_row_major(tensor, false); }

bool aclspec_is_transposed(const aclspec_tensor *tensor) { return tensor->rank >= 2 && is_row_major(tensor, true); }

bool aclspec_in_some_row(dtype_rows rows, int columns, const dtype_set *given)
{
    for (int row = 0; row < rows.count; ++row) {
        bool fits = true;
        for (int column = 0; column < columns; ++column)
            fits = fits && (given[column] & ~rows.cells[row * columns + column]) == 0;
        if (fits)
            return true;
    }
    return false;
}

/* --- Dtypes --- */

static int index_of(int dtype)
{
    for (int index = 0; index < DTYPE_COUNT; ++index)
        if (DTYPES[index] == dtype)
            return index;
    return -1;
}

static int in_table(const int16_t (*table)[DTYPE_COUNT], int left, int right)
{
    const int row = index_of(left), column = index_of(right);
    return row < 0 || column < 0 ? NO_DTYPE : table[row][column];
}

bool aclspec_promotable(int left, int right) { return left == right || in_table(PROMOTE, left, right) != NO_DTYPE; }

int aclspec_promote(int left, int right) { return left == right ? left : in_table(PROMOTE, left, right); }

bool aclspec_promotable_scalar(int tensor, int scalar) { return in_table(PROMOTE_SCALAR, tensor, scalar) != NO_DTYPE; }

int aclspec_promote_scalar(int tensor, int scalar) { return in_table(PROMOTE_SCALAR, tensor, scalar); }

bool aclspec_castable(int source, int target)
{
    const int row = index_of(source);
    return source == target || (row >= 0 && HAS(CASTABLE[row], target));
}

wide aclspec_bits(int dtype)
{
    const int index = index_of(dtype);
    return index < 0 ? 0 : BITS[index];
}

wide aclspec_itemsize(int dtype) { return (aclspec_bits(dtype) + 7) / 8; }

bool aclspec_is_private(int format)
{
    for (int index = 0; index < FORMAT_COUNT; ++index)
        if (FORMATS[index] == format)
            return FORMAT_IS_PRIVATE[index];
    return false;
}

static bool is_integer(int dtype)
{
    const int index = index_of(dtype);
    return index >= 0 && DTYPE_IS_INTEGER[index];
}

double aclspec_number(const aclspec_scalar *scalar)
{
    if (!is_integer(scalar->dtype))
        return scalar->real;
    return scalar->dtype == DT_UINT64 ? (double)(uint64_t)scalar->integer : (double)scalar->integer;
}

static wide whole_of(const aclspec_scalar *scalar)
{
    return scalar->dtype == DT_UINT64 ? (wide)(uint64_t)scalar->integer : (wide)scalar->integer;
}

wide aclspec_range_len(const aclspec_scalar *start, const aclspec_scalar *stop, const aclspec_scalar *step)
{
    wide length = 0;
    if (is_integer(start->dtype) && is_integer(stop->dtype) && is_integer(step->dtype)) {
        const wide distance = whole_of(stop) - whole_of(start), by = whole_of(step);
        length = distance / by + (distance % by != 0 && (distance < 0) == (by < 0));
    } else {
        length = -aclspec_scaled(1, (aclspec_number(start) - aclspec_number(stop)) / aclspec_number(step));
    }
    return length > 0 ? length : 0;
}

/* --- Sentences --- */

static void put_bytes(aclspec_text *out, const char *bytes, size_t length)
{
    const size_t room = sizeof out->bytes - 1 - out->length;
    length = length < room ? length : room;
    memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
}

void aclspec_put(aclspec_text *out, const char *text) { put_bytes(out, text, strlen(text)); }

/* Put some bytes between those before a place and those from it on. */
static void insert(aclspec_text *out, size_t place, const char *text)
{
    const size_t length = strlen(text), room = sizeof out->bytes - 1;
    if (out->length + length > room || place > out->length)
        return;
    memmove(out->bytes + place + length, out->bytes + place, out->length - place);
    memcpy(out->bytes + place, text, length);
    out->length += length;
}

static void remove_bytes(aclspec_text *out, size_t place, size_t length)
{
    memmove(out->bytes + place, out->bytes + place + length, out->length - place - length);
    out->length -= length;
}

void aclspec_put_int(aclspec_text *out, wide value) { aclspec_put_big(out, aclspec_big_of(value)); }

void aclspec_put_big(aclspec_text *out, aclspec_big value)
{
    char digits[UNITS * 10 + 2];
    size_t place = sizeof digits;
    const bool negative = value.negative && !is_zero(&value);
    do {
        uint64_t rest = 0;
        for (int at = UNITS - 1; at >= 0; --at) {
            rest = rest << 32 | value.units[at];
            value.units[at] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[--place] = (char)('0' + rest);
    } while (!is_zero(&value));
    if (negative)
        digits[--place] = '-';
    put_bytes(out, digits + place, sizeof digits - place);
}

void aclspec_put_bool(aclspec_text *out, bool value) { aclspec_put(out, value ? "true" : "false"); }

/* A double as Python shows it: the fewest digits that mean it. */
void aclspec_put_float(aclspec_text *out, double value)
{
    char text[40], digits[20];
    int count = 0, exponent;
    if (value != value || value - value != 0) {
        aclspec_put(out, value != value ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    for (int precision = 0; precision < 17; ++precision) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (const char *at = text; *at != 'e'; ++at)
        if (*at >= '0' && *at <= '9')
            digits[count++] = *at;
    exponent = atoi(strchr(text, 'e') + 1);
    while (count > 1 && digits[count - 1] == '0')
        --count;
    if (text[0] == '-')
        aclspec_put(out, "-");
    if (exponent < -4 || exponent >= 16) {
        put_bytes(out, digits, 1);
        if (count > 1) {
            aclspec_put(out, ".");
            put_bytes(out, digits + 1, (size_t)count - 1);
        }
        snprintf(text, sizeof text, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        aclspec_put(out, text);
        return;
    }
    if (exponent < 0)
        aclspec_put(out, "0");
    for (int place = 0; place <= exponent; ++place)
        put_bytes(out, place < count ? digits + place : "0", 1);
    aclspec_put(out, ".");
    for (int place = exponent + 1; place < 0; ++place)
        aclspec_put(out, "0");
    if (exponent + 1 < count)
        put_bytes(out, digits + (exponent < 0 ? 0 : exponent + 1), (size_t)(count - (exponent < 0 ? 0 : exponent + 1)));
    else
        aclspec_put(out, "0");
}

void aclspec_put_number(aclspec_text *out, const aclspec_scalar *scalar)
{
    if (!is_integer(scalar->dtype))
        aclspec_put_float(out, scalar->real);
    else if (scalar->dtype == DT_UINT64)
        aclspec_put_int(out, (uint64_t)scalar->integer);
    else
        aclspec_put_int(out, scalar->integer);
}

void aclspec_put_dtype(aclspec_text *out, int dtype)
{
    const int index = index_of(dtype);
    if (index >= 0)
        aclspec_put(out, DTYPE_NAMES[index]);
    else
        aclspec_put_int(out, dtype);
}

void aclspec_put_format(aclspec_text *out, int format)
{
    for (int index = 0; index < FORMAT_COUNT; ++index)
        if (FORMATS[index] == format) {
            aclspec_put(out, FORMAT_NAMES[index]);
            return;
        }
    aclspec_put_int(out, format);
}

/* A word of the sentences with texts for {0}, {1} and so on. */
static void put_word(aclspec_text *out, int word, const char *const *texts)
{
    for (const char *at = WORDS[word][out->language]; *at; ++at) {
        if (at[0] == '{' && at[1] >= '0' && at[1] <= '9' && at[2] == '}') {
            aclspec_put(out, texts[at[1] - '0']);
            at += 2;
        } else {
            put_bytes(out, at, 1);
        }
    }
}

#define CLAUSE_MARK "\x1f"

void aclspec_end_clause(aclspec_text *out) { aclspec_put(out, CLAUSE_MARK); }

static bool is_compound(const aclspec_text *out, size_t start)
{
    for (int index = 0; COMPOUND[out->language][index] != NULL; ++index) {
        const char *part = COMPOUND[out->language][index];
        const size_t length = strlen(part);
        for (size_t at = start; at + length <= out->length; ++at)
            if (memcmp(out->bytes + at, part, length) == 0)
                return true;
    }
    return false;
}

void aclspec_join_clauses(aclspec_text *out, size_t start, bool by_or)
{
    int count = 0;
    for (size_t at = start; at < out->length; ++at)
        count += out->bytes[at] == CLAUSE_MARK[0];
    const bool is_long = (count > 2 && out->language == ACLSPEC_EN) || is_compound(out, start);
    const char *word = WORDS[is_long ? (by_or ? WORD_LONG_OR : WORD_LONG_AND) : (by_or ? WORD_SHORT_OR : WORD_SHORT_AND)]
                            [out->language];
    for (size_t at = start; at < out->length; ++at)
        if (out->bytes[at] == CLAUSE_MARK[0]) {
            remove_bytes(out, at, 1);
            if (--count > 0)
                insert(out, at, word);
        }
}

void aclspec_parenthesize(aclspec_text *out, size_t start)
{
    const bool is_shape =
        out->length > start + 1 && out->bytes[start] == '(' && out->bytes[out->length - 1] == ')';
    insert(out, start, is_shape ? " " : " (");
    if (!is_shape)
        aclspec_put(out, ")");
}

void aclspec_bracket_negative(aclspec_text *out, size_t start, bool spaces)
{
    const bool has_space = spaces && memchr(out->bytes + start, ' ', out->length - start) != NULL;
    if (out->bytes[start] == '-' || has_space) {
        insert(out, start, "(");
        aclspec_put(out, ")");
    }
}

void aclspec_worked(aclspec_text *out, size_t start, size_t value)
{
    const size_t length = value - start;
    if (out->length - value == length && memcmp(out->bytes + start, out->bytes + value, length) == 0)
        remove_bytes(out, start, length);
    else
        insert(out, value, " = ");
}

/* --- The clause that dtypes are not supported --- */

#define MAX_ROWS 1024
#define MAX_GIVEN 64
#define LISTED_ROWS 4 /* more combinations than this are not listed; the sentence names the nearest one */

typedef struct {
    aclspec_text *out;
    const aclspec_row *rows[MAX_ROWS];
    int row_count;
    aclspec_given given[MAX_GIVEN];
    int count;
} support;

static const int16_t *cell_of(const aclspec_row *row, const aclspec_given *given) { return row->cells[given->column]; }

static bool has_dtype(const int16_t *cell, int dtype)
{
    for (; *cell != CELL_END; ++cell)
        if (*cell == dtype)
            return true;
    return false;
}

static bool same_cells(const int16_t *one, const int16_t *other)
{
    if (one == NULL || other == NULL)
        return one == other;
    while (*one == *other && *one != CELL_END)
        ++one, ++other;
    return *one == *other;
}

static int given_count(const aclspec_given *given) { return given->kind == GIVEN_LIST ? (int)given->list->length : 1; }

static int given_dtype(const aclspec_given *given, int index)
{
    return given->kind == GIVEN_LIST ? given->list->items[index]->dtype
           : given->kind == GIVEN_NULL ? CELL_NULL
                                       : given->dtype;
}

static bool fits_cell(const aclspec_given *given, const int16_t *cell)
{
    for (int index = 0; index < given_count(given); ++index)
        if (!has_dtype(cell, given_dtype(given, index)))
            return false;
    return true;
}

static void put_cell_dtype(aclspec_text *out, int dtype)
{
    if (dtype == CELL_NULL)
        aclspec_put(out, NULL_DTYPE);
    else
        aclspec_put_dtype(out, dtype);
}

static void put_given(aclspec_text *out, const aclspec_given *given)
{
    aclspec_put(out, "(");
    for (int index = 0; index < given_count(given); ++index) {
        aclspec_put(out, index ? ", " : "");
        put_cell_dtype(out, given_dtype(given, index));
    }
    aclspec_put(out, ")");
}

/* What stands between the nouns of an enumeration, before the one at an index. */
static void put_between(aclspec_text *out, int index, int count, int last)
{
    if (index > 0)
        aclspec_put(out, WORDS[index == count - 1 ? last : WORD_COMMA][out->language]);
}

static void put_combination(const support *found, const aclspec_row *row, const bool *joint)
{
    aclspec_text *out = found->out;
    bool first = true, done[MAX_GIVEN] = {false};
    for (int one = 0; one < found->count; ++one) {
        const int16_t *cell = cell_of(row, &found->given[one]);
        if (!joint[one] || done[one] || cell == NULL)
            continue;
        int names = 0, dtypes = 0;
        char texts[2][2048];
        aclspec_text part = {.length = 0, .language = out->language};
        while (cell[dtypes] != CELL_END)
            ++dtypes;
        for (int index = 0; index < dtypes; ++index) {
            put_between(&part, index, dtypes, WORD_OR);
            put_cell_dtype(&part, cell[index]);
        }
        part.bytes[part.length] = '\0';
        snprintf(texts[0], sizeof texts[0], "%.2047s", part.bytes);
        part.length = 0;
        for (int other = one; other < found->count; ++other)
            names += joint[other] && same_cells(cell, cell_of(row, &found->given[other]));
        for (int other = one, index = 0; other < found->count; ++other)
            if (joint[other] && same_cells(cell, cell_of(row, &found->given[other]))) {
                put_between(&part, index++, names, WORD_AND);
                aclspec_put(&part, found->given[other].name);
                done[other] = true;
            }
        part.bytes[part.length] = '\0';
        snprintf(texts[1], sizeof texts[1], "%.2047s", part.bytes);
        aclspec_put(out, first ? "" : WORDS[WORD_CELLS][out->language]);
        first = false;
        put_word(out, WORD_CELL, (const char *const[]){texts[0], texts[1]});
    }
}

/* Whether a row has one and the same dtype for all of some parameters. */
static bool is_uniform(const support *found, const aclspec_row *row)
{
    const int16_t *first = found->count ? cell_of(row, &found->given[0]) : NULL;
    if (first == NULL || first[0] == CELL_END || first[1] != CELL_END)
        return false;
    for (int one = 1; one < found->count; ++one)
        if (!same_cells(first, cell_of(row, &found->given[one])))
            return false;
    return true;
}

static void put_supported(support *found)
{
    aclspec_text *out = found->out;
    bool joint[MAX_GIVEN], some = false, every = true, uniform = true;
    for (int one = 0; one < found->count; ++one) {
        joint[one] = false;
        for (int row = 1; row < found->row_count; ++row)
            joint[one] = joint[one] || !same_cells(cell_of(found->rows[0], &found->given[one]),
                                                   cell_of(found->rows[row], &found->given[one]));
        some = some || joint[one];
        every = every && joint[one];
    }
    for (int one = 0; !some && one < found->count; ++one)
        joint[one] = true;
    every = every || !some;
    for (int row = 0; row < found->row_count; ++row)
        uniform = uniform && is_uniform(found, found->rows[row]);
    aclspec_text list = {.length = 0, .language = out->language};
    if (uniform && every) {
        for (int row = 0; row < found->row_count; ++row) {
            aclspec_text name = {.length = 0, .language = out->language};
            put_cell_dtype(&name, cell_of(found->rows[row], &found->given[0])[0]);
            name.bytes[name.length] = '\0';
            put_between(&list, row, found->row_count, WORD_OR);
            put_word(&list, found->count == 2 ? WORD_BOTH : WORD_ALL, (const char *const[]){name.bytes});
        }
        list.bytes[list.length] = '\0';
        put_word(out, WORD_EQUAL, (const char *const[]){list.bytes});
        return;
    }
    if (found->row_count > LISTED_ROWS) {
        int nearest = 0, least = MAX_GIVEN + 1;
        for (int row = 0; row < found->row_count; ++row) {
            int misfits = 0;
            for (int one = 0; one < found->count; ++one) {
                const int16_t *cell = cell_of(found->rows[row], &found->given[one]);
                misfits += joint[one] && cell != NULL && !fits_cell(&found->given[one], cell);
            }
            if (misfits < least) {
                least = misfits;
                nearest = row;
            }
        }
        found->rows[0] = found->rows[nearest];
        found->row_count = 1;
    }
    found->out = &list;
    for (int row = 0; row < found->row_count; ++row) {
        aclspec_put(&list, row ? WORDS[WORD_OR_ROW][list.language] : "");
        put_combination(found, found->rows[row], joint);
    }
    list.bytes[list.length] = '\0';
    put_word(out, WORD_ROWS, (const char *const[]){list.bytes});
}

/* Whether a parameter may be null in some of the rows, but not in all. */
static bool names_null(const support *found, const aclspec_given *given)
{
    int count = 0;
    for (int row = 0; row < found->row_count; ++row) {
        const int16_t *cell = cell_of(found->rows[row], given);
        count += cell != NULL && has_dtype(cell, CELL_NULL);
    }
    return count > 0 && count < found->row_count;
}

static bool is_given(const support *found, const aclspec_given *given, bool joint)
{
    if (given->kind == GIVEN_NULL)
        return joint && names_null(found, given);
    for (int index = 0; given->kind == GIVEN_LIST && index < given_count(given); ++index)
        if (given->list->items[index] == NULL)
            return false;
    return given->kind != GIVEN_NOTHING;
}

static bool same_rows(const support *found, const aclspec_row *one, const aclspec_row *other)
{
    for (int index = 0; index < found->count; ++index)
        if (!same_cells(cell_of(one, &found->given[index]), cell_of(other, &found->given[index])))
            return false;
    return true;
}

/* Of one parameter: the clause that none of its rows has what is given; false where they do. */
static bool put_alone(const support *found, int product, const aclspec_given *given)
{
    aclspec_text *out = found->out, shown = {.length = 0, .language = out->language}, named = shown;
    int16_t supported[64] = {CELL_END};
    int count = 0;
    for (int row = 0; row < found->row_count && found->count; ++row)
        for (const int16_t *cell = cell_of(found->rows[row], given); cell != NULL && *cell != CELL_END; ++cell)
            if (*cell != CELL_NULL && !has_dtype(supported, *cell) && count < 63) {
                supported[count++] = *cell;
                supported[count] = CELL_END;
            }
    if (found->count && fits_cell(given, supported))
        return false;
    if (found->count && given_count(given)) {
        aclspec_put(&named, " ");
        put_given(&named, given);
    }
    for (int index = 0; index < count; ++index) {
        aclspec_put(&shown, index ? ", " : " (");
        aclspec_put_dtype(&shown, supported[index]);
    }
    aclspec_put(&shown, count ? ")" : "");
    shown.bytes[shown.length] = named.bytes[named.length] = '\0';
    put_word(out, WORD_DTYPE, (const char *const[]){given->name, named.bytes, aclspec_products[product], shown.bytes});
    return true;
}

void aclspec_put_unsupported(aclspec_text *out, int product, bool library, const aclspec_row *rows, int row_count,
                             const aclspec_given *given, int count)
{
    support found = {.out = out};
    aclspec_text list = {.length = 0, .language = out->language};
    for (int row = 0; row < row_count && found.row_count < MAX_ROWS; ++row)
        if (HAS_PRODUCT(rows[row].products, product) && (library ? rows[row].library : rows[row].document))
            found.rows[found.row_count++] = &rows[row];
    for (int one = 0; one < count && one < MAX_GIVEN; ++one)
        if (is_given(&found, &given[one], count > 1))
            found.given[found.count++] = given[one];
    int unique = 0;
    for (int row = 0; row < found.row_count; ++row) {
        bool is_new = true;
        for (int before = 0; before < unique; ++before)
            is_new = is_new && !same_rows(&found, found.rows[before], found.rows[row]);
        if (is_new)
            found.rows[unique++] = found.rows[row];
    }
    found.row_count = unique;
    if (count == 1 && put_alone(&found, product, given))
        return;
    const int named = found.count ? found.count : count;
    for (int one = 0; one < named; ++one) {
        put_between(&list, one, named, WORD_AND);
        aclspec_put(&list, found.count ? found.given[one].name : given[one].name);
        if (found.count) {
            aclspec_put(&list, " ");
            put_given(&list, &found.given[one]);
        }
    }
    list.bytes[list.length] = '\0';
    put_word(out, WORD_TOGETHER, (const char *const[]){list.bytes, aclspec_products[product]});
    if (found.row_count)
        put_supported(&found);
}

/* --- The whole sentence --- */

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

/* A capital at the beginning, unless a name stands there. */
static void capitalize(aclspec_text *out, const char *const *names)
{
    size_t start = 0, end;
    while (start < out->length && out->bytes[start] == '(')
        ++start;
    for (end = start; end < out->length && is_word(out->bytes[end]);)
        ++end;
    for (; *names != NULL; ++names)
        if (strlen(*names) == end - start && memcmp(*names, out->bytes + start, end - start) == 0)
            return;
    if (start < out->length && out->bytes[start] >= 'a' && out->bytes[start] <= 'z')
        out->bytes[start] = (char)(out->bytes[start] - 'a' + 'A');
}

/* The next character, and how many bytes it has. */
static uint32_t character(const char *text, size_t *bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] >= 0xe0 && at[0] < 0xf0 && (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80) {
        *bytes = 3;
        return (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 | (at[2] & 0x3fu);
    }
    *bytes = 1;
    return at[0];
}

static bool is_chinese(uint32_t c) { return c >= 0x4e00 && c <= 0x9fff; }
static bool is_letter(uint32_t c) { return c < 128 && c != '_' && is_word((char)c); }
static bool opens(uint32_t c) { return is_letter(c) || c == '(' || c == '[' || c == '"' || c == '-'; }
static bool closes(uint32_t c) { return is_letter(c) || c == ')' || c == ']' || c == '"'; }
static bool is_punctuation(uint32_t c)
{
    static const uint32_t marks[] = {0xff0c, 0xff1b, 0xff1a, 0x3001, 0x3002, 0xff08, 0xff09};
    for (size_t index = 0; index < sizeof marks / sizeof *marks; ++index)
        if (marks[index] == c)
            return true;
    return false;
}

/* One space between Chinese and Latin text, none between Chinese characters or beside Chinese punctuation. */
static void space(aclspec_text *out, const aclspec_text *text)
{
    uint32_t before = 0;
    size_t spaces = 0, bytes;
    for (size_t at = 0; at < text->length; at += bytes) {
        const uint32_t c = character(text->bytes + at, &bytes);
        if (c == ' ') {
            ++spaces;
            continue;
        }
        if (spaces == 0 && before && ((is_chinese(before) && opens(c)) || (closes(before) && is_chinese(c))))
            spaces = 1;
        else if (is_punctuation(before) || is_punctuation(c))
            spaces = 0;
        else if ((is_chinese(before) || before == 0x201d) && (is_chinese(c) || c == 0x201c))
            spaces = 0;
        for (; spaces > 0; --spaces)
            aclspec_put(out, " ");
        put_bytes(out, text->bytes + at, bytes);
        before = c;
    }
    for (; spaces > 0 && !is_punctuation(before); --spaces)
        aclspec_put(out, " ");
}

size_t aclspec_sentence(aclspec_say say, const char *const (*requirements)[2], const char *const *names, int product,
                        const aclspec_argument *arguments, const aclspec_verdict *verdict, aclspec_language language,
                        char *buffer, size_t size)
{
    aclspec_text text = {.length = 0, .language = language}, out = text;
    if (verdict->rule != NULL) {
        say(&text, product, verdict->as_library, arguments, verdict->index);
        if (text.length == 0 || text.unseen != NULL)
            aclspec_put(&out, requirements[verdict->index][language]);
        else if (language == ACLSPEC_ZH)
            space(&out, &text);
        else {
            capitalize(&text, names);
            put_bytes(&out, text.bytes, text.length);
        }
    }
    if (size > 0) {
        const size_t length = out.length < size ? out.length : size - 1;
        memcpy(buffer, out.bytes, length);
        buffer[length] = '\0';
    }
    return out.length;
}
