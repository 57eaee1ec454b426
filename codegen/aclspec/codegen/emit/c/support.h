/* What the checks of the operators are written with: integers of Python's size, lists, sets of dtypes, and sentences.
 * Statement expressions and __int128 are extensions of C11 that gcc and clang have. */
#ifndef ACLSPEC_CHECKS_SUPPORT_H
#define ACLSPEC_CHECKS_SUPPORT_H
#include "aclspec_checks.h"
#include <string.h>

#define ACLSPEC_INFINITY __builtin_inf()
#define ACLSPEC_NAN __builtin_nan("")

/* --- Integers --- */

typedef __int128 wide;

/* An integer of up to 2048 bits, in units of 32, the lowest first; a result that needs more stays at the largest. Only
 * products of whole shapes and the like need it. */
typedef struct {
    uint32_t units[64];
    bool negative;
} aclspec_big;

aclspec_big aclspec_big_of(wide value);
wide aclspec_clamped(aclspec_big value); /* within 2 to the power of 126 */
aclspec_big aclspec_big_add(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_sub(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_mul(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_floor_div(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_mod(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_max(aclspec_big left, aclspec_big right);
aclspec_big aclspec_big_min(aclspec_big left, aclspec_big right);
/* -1, 0 or 1, as the left one is less, equal or greater. */
int aclspec_big_compare(aclspec_big left, aclspec_big right);
static inline int aclspec_compare(aclspec_big left, wide right) { return aclspec_big_compare(left, aclspec_big_of(right)); }

static inline wide aclspec_max(wide left, wide right) { return left > right ? left : right; }
static inline wide aclspec_min(wide left, wide right) { return left < right ? left : right; }
static inline wide aclspec_abs(wide value) { return value < 0 ? -value : value; }
/* The quotient rounded down, and what it leaves. */
static inline wide aclspec_floor_div(wide left, wide right)
{
    return left / right - (left % right != 0 && (left % right < 0) != (right < 0));
}
static inline wide aclspec_mod(wide left, wide right) { return left - aclspec_floor_div(left, right) * right; }
/* An axis counted from the front. */
static inline wide aclspec_wrap(wide axis, wide rank) { return axis < 0 ? axis + rank : axis; }
wide aclspec_conv_out(wide size, wide kernel, wide stride, wide before, wide after, wide dilation);
wide aclspec_pool_out(wide size, wide kernel, wide stride, wide before, wide after, wide dilation, bool ceil_mode);
wide aclspec_scaled(wide size, double factor);

/* --- Loops: PLACE is the variable, and what is said of it holds for all, any and so on from FIRST up to STOP --- */

#define ALL(place, first, stop, holds)                                                                                 \
    ({                                                                                                                 \
        bool all_ = true;                                                                                              \
        for (wide place = (first), stop_ = (stop); all_ && place < stop_; ++place)                                     \
            all_ = (holds);                                                                                            \
        all_;                                                                                                          \
    })
#define ANY(place, first, stop, holds)                                                                                 \
    ({                                                                                                                 \
        bool any_ = false;                                                                                             \
        for (wide place = (first), stop_ = (stop); !any_ && place < stop_; ++place)                                    \
            any_ = (holds);                                                                                            \
        any_;                                                                                                          \
    })
#define FOLD(type, start, place, count, next)                                                                          \
    ({                                                                                                                 \
        type found_ = (start);                                                                                         \
        for (wide place = 0, count_ = (count); place < count_; ++place)                                                \
            found_ = (next);                                                                                           \
        found_;                                                                                                        \
    })
#define COUNT(place, count, holds) FOLD(wide, 0, place, count, found_ + ((holds) ? 1 : 0))
#define SUM(place, count, item) FOLD(wide, 0, place, count, aclspec_sum2(found_, (item)))
#define SUM_BIG(place, count, item) FOLD(aclspec_big, aclspec_big_of(0), place, count, aclspec_big_add(found_, (item)))
#define PROD(place, count, item) FOLD(aclspec_big, aclspec_big_of(1), place, count, aclspec_big_mul(found_, (item)))
#define UNION(place, count, dtype) FOLD(dtype_set, NO_DTYPES, place, count, found_ | set_of(dtype))
#define MAXIMUM(place, count, item)                                                                                    \
    ({                                                                                                                 \
        wide most_ = 0;                                                                                                \
        for (wide place = 0, count_ = (count); place < count_; ++place) {                                              \
            const wide item_ = (item);                                                                                 \
            most_ = place == 0 || item_ > most_ ? item_ : most_;                                                       \
        }                                                                                                              \
        most_;                                                                                                         \
    })
#define MINIMUM(place, count, item)                                                                                    \
    ({                                                                                                                 \
        wide least_ = 0;                                                                                               \
        for (wide place = 0, count_ = (count); place < count_; ++place) {                                              \
            const wide item_ = (item);                                                                                 \
            least_ = place == 0 || item_ < least_ ? item_ : least_;                                                    \
        }                                                                                                              \
        least_;                                                                                                        \
    })
/* The place of which so many before it have what is said. */
#define NTH(place, nth, count, holds)                                                                                  \
    ({                                                                                                                 \
        wide nth_ = (nth), result_ = 0;                                                                                \
        for (wide place = 0, count_ = (count); place < count_ && nth_ >= 0; ++place) {                                 \
            result_ = place;                                                                                           \
            nth_ -= (holds) ? 1 : 0;                                                                                   \
        }                                                                                                              \
        result_;                                                                                                       \
    })
#define DISTINCT(one, other, count, same)                                                                              \
    ({                                                                                                                 \
        bool distinct_ = true;                                                                                         \
        for (wide one = 0, count_ = (count); distinct_ && one < count_; ++one)                                         \
            for (wide other = 0; distinct_ && other < one; ++other)                                                    \
                distinct_ = !(same);                                                                                   \
        distinct_;                                                                                                     \
    })

/* --- Lists of integers in memory --- */

typedef struct {
    const int64_t *items;
    wide length;
} aclspec_ints;

#define AT(items, index) ((wide)(items)[(size_t)(index)])
static inline wide at(aclspec_ints values, wide index) { return values.items[(size_t)index]; }
static inline aclspec_ints aclspec_shape(const aclspec_tensor *tensor)
{
    return (aclspec_ints){tensor->shape, (wide)tensor->rank};
}
static inline aclspec_ints aclspec_strides(const aclspec_tensor *tensor)
{
    return (aclspec_ints){tensor->strides, (wide)tensor->rank};
}
static inline aclspec_ints aclspec_storage_shape(const aclspec_tensor *tensor)
{
    return (aclspec_ints){tensor->storage_shape, (wide)tensor->storage_rank};
}
static inline aclspec_ints aclspec_ints_of(const aclspec_int_array *array)
{
    return (aclspec_ints){array->items, (wide)array->length};
}
static inline aclspec_ints aclspec_part(aclspec_ints values, wide start, wide stop)
{
    return (aclspec_ints){stop > start ? values.items + (size_t)start : NULL, stop - start};
}
static inline wide aclspec_sum2(wide left, wide right) { return left + right; }
bool aclspec_equal(aclspec_ints left, aclspec_ints right);
bool aclspec_contains(aclspec_ints values, wide value);
aclspec_big aclspec_prod(aclspec_ints values);
bool aclspec_broadcastable(aclspec_ints left, aclspec_ints right);
wide aclspec_broadcast_at(aclspec_ints left, aclspec_ints right, wide index);
#define SIZES_MEET(left, right)                                                                                        \
    ({                                                                                                                 \
        const wide left_ = (left), right_ = (right);                                                                   \
        left_ == right_ || left_ == 1 || right_ == 1;                                                                  \
    })
#define BROADCAST(left, right)                                                                                         \
    ({                                                                                                                 \
        const wide left_ = (left), right_ = (right);                                                                   \
        left_ == 1 ? right_ : left_;                                                                                   \
    })
bool aclspec_indexable(aclspec_ints shape, const aclspec_tensor_list *indices);
wide aclspec_index_rank(aclspec_ints shape, const aclspec_tensor_list *indices);
wide aclspec_index_at(aclspec_ints shape, const aclspec_tensor_list *indices, wide index);
bool aclspec_is_contiguous(const aclspec_tensor *tensor);
bool aclspec_is_transposed(const aclspec_tensor *tensor);

/* --- Arguments whose elements the caller may not know: a check ends where it needs one of them --- */

#define KNOWN(parameter)                                                                                               \
    ({                                                                                                                 \
        if (!(parameter)->known) {                                                                                     \
            *unseen = #parameter;                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        (parameter);                                                                                                   \
    })
#define LENGTH(array) ((wide)KNOWN(array)->length)
#define ITEM(array, index) (KNOWN(array)->items[(size_t)(index)])
#define INT(array, index) ((wide)ITEM(array, index))
#define INTS(array) aclspec_ints_of(KNOWN(array))

/* --- Products and dtypes --- */

/* @members@ */

#define PRODUCT(product) (1u << (product))
#define HAS_PRODUCT(products, product) (((products) & PRODUCT(product)) != 0)

typedef uint64_t dtype_set;
#define NO_DTYPES ((dtype_set)0)
#define SET(dtype) ((dtype_set)1 << (dtype))
#define SET_OTHER ((dtype_set)1 << 60) /* a number that no dtype has */
#define SET_HFLOAT32 ((dtype_set)1 << 61)
#define SET_UNDEFINED ((dtype_set)1 << 62)
#define SET_NULL ((dtype_set)1 << 63) /* a null, where only some rows of dtypes allow it */
#define ANY_DTYPE (~(dtype_set)0)
static inline dtype_set set_of(int dtype)
{
    return dtype >= 0 && dtype < 60 ? SET(dtype) : dtype == -1 ? SET_UNDEFINED : dtype == 1000 ? SET_HFLOAT32 : SET_OTHER;
}
#define HAS(set, dtype) (((set) & set_of(dtype)) != 0)

/* Rows of dtypes that are legal together, a set for each of some parameters. */
typedef struct {
    const dtype_set *cells;
    int count;
} dtype_rows;
bool aclspec_in_some_row(dtype_rows rows, int columns, const dtype_set *given);

bool aclspec_promotable(int left, int right);
int aclspec_promote(int left, int right);
bool aclspec_promotable_scalar(int tensor, int scalar);
int aclspec_promote_scalar(int tensor, int scalar);
bool aclspec_castable(int source, int target);
wide aclspec_itemsize(int dtype);
wide aclspec_bits(int dtype);
bool aclspec_is_private(int format);
#define PROMOTABLE_ALL(place, count, first, dtype)                                                                     \
    ((count) > 0 && ALL(place, 0, (count), aclspec_promotable((first), (dtype))))
#define PROMOTE_ALL(place, count, dtype)                                                                               \
    ({                                                                                                                 \
        int common_ = 0;                                                                                               \
        for (wide place = 0, count_ = (count); place < count_; ++place) {                                              \
            const int dtype_ = (dtype);                                                                                \
            common_ = place == 0 ? dtype_ : aclspec_promote(common_, dtype_);                                          \
        }                                                                                                              \
        common_;                                                                                                       \
    })
/* The number of a scalar, to be compared with a small one. */
double aclspec_number(const aclspec_scalar *scalar);
/* The quotient of stop - start and a step that is not 0, rounded up, and at least 0; of integers exact. */
wide aclspec_range_len(const aclspec_scalar *start, const aclspec_scalar *stop, const aclspec_scalar *step);

/* --- Verdicts --- */

#define DECIDE(number, id, in_document, in_library, does)                                                              \
    do {                                                                                                               \
        verdict->index = (number);                                                                                     \
        verdict->rule = (id);                                                                                          \
        verdict->document = (in_document);                                                                             \
        verdict->library = (in_library);                                                                               \
        verdict->effect = (does);                                                                                      \
        return;                                                                                                        \
    } while (0)

/* --- Sentences --- */

typedef struct {
    char bytes[16384]; /* a sentence that is longer ends there */
    size_t length;
    aclspec_language language;
    const char *unseen;
} aclspec_text;

void aclspec_put(aclspec_text *out, const char *text);
void aclspec_put_int(aclspec_text *out, wide value);
void aclspec_put_big(aclspec_text *out, aclspec_big value);
void aclspec_put_bool(aclspec_text *out, bool value);
void aclspec_put_float(aclspec_text *out, double value);
void aclspec_put_number(aclspec_text *out, const aclspec_scalar *scalar);
void aclspec_put_dtype(aclspec_text *out, int dtype);
void aclspec_put_format(aclspec_text *out, int format);
#define PUT(text) aclspec_put(out, text)
#define PUT_INT(value) aclspec_put_int(out, value)
#define PUT_BIG(value) aclspec_put_big(out, value)
#define PUT_BOOL(value) aclspec_put_bool(out, value)
#define PUT_FLOAT(value) aclspec_put_float(out, value)
#define PUT_NUMBER(scalar) aclspec_put_number(out, scalar)
#define PUT_DTYPE(value) aclspec_put_dtype(out, value)
#define PUT_FORMAT(value) aclspec_put_format(out, value)
#define PUT_PRODUCT() aclspec_put(out, aclspec_products[product])
/* A list as a tuple, of a long one the first and the last elements; SINGLE is what follows an only element. */
#define PUT_LIST(place, count, single, put_item)                                                                       \
    do {                                                                                                               \
        const wide shown_ = (count);                                                                                   \
        aclspec_put(out, "(");                                                                                         \
        for (wide place = 0; place < shown_; ++place) {                                                                \
            if (place > 0)                                                                                             \
                aclspec_put(out, ", ");                                                                                \
            if (shown_ > 16 && place == 14) {                                                                          \
                aclspec_put(out, "...");                                                                               \
                place = shown_ - 2;                                                                                    \
                continue;                                                                                              \
            }                                                                                                          \
            put_item;                                                                                                  \
        }                                                                                                              \
        aclspec_put(out, shown_ == 1 ? single : ")");                                                                  \
    } while (0)
/* Clauses: each ends with a mark, and at the end they are joined by "and", or by "or" where none of them holds. */
void aclspec_end_clause(aclspec_text *out);
void aclspec_join_clauses(aclspec_text *out, size_t start, bool by_or);
/* What has been written from a place on: in parentheses, unless it is a shape, which brings its own. */
void aclspec_parenthesize(aclspec_text *out, size_t start);
/* An operand in brackets, where it begins with a minus or (of a minus) has a space in it. */
void aclspec_bracket_negative(aclspec_text *out, size_t start, bool spaces);
/* Terms from a place on and their value from a second one on, as "terms = value"; the value alone where they are equal. */
void aclspec_worked(aclspec_text *out, size_t start, size_t value);

/* What a call gives a parameter: a dtype, those of a list, or none. */
typedef struct {
    const char *name;
    int column;
    enum { GIVEN_NOTHING, GIVEN_NULL, GIVEN_ONE, GIVEN_LIST } kind;
    int dtype;
    const aclspec_tensor_list *list;
} aclspec_given;
#define GIVEN_TENSOR(name, column, tensor)                                                                             \
    {name, column, (tensor) == NULL ? GIVEN_NULL : GIVEN_ONE, (tensor) == NULL ? 0 : (tensor)->dtype, NULL}
#define GIVEN_SCALAR(name, column, scalar)                                                                             \
    {name, column, (scalar) == NULL ? GIVEN_NULL : GIVEN_ONE, (scalar) == NULL ? 0 : KNOWN(scalar)->dtype, NULL}
#define GIVEN_TENSORS(name, column, list)                                                                              \
    {name, column, (list) == NULL ? GIVEN_NULL : GIVEN_LIST, 0, (list) == NULL ? NULL : KNOWN(list)}
#define GIVEN_DTYPE(name, column, dtype) {name, column, GIVEN_ONE, dtype, NULL}

/* A row of dtypes in full: where it holds, and a cell for each column, NULL where the row does not name the parameter. */
typedef struct {
    unsigned products;
    bool document, library;
    const int16_t *const *cells; /* each ends with CELL_END */
} aclspec_row;
#define CELLS(...) ((const int16_t *const[]){__VA_ARGS__})
#define CELL_END (-2)
#define CELL_NULL (-3)
void aclspec_put_unsupported(aclspec_text *out, int product, bool library, const aclspec_row *rows, int row_count,
                             const aclspec_given *given, int count);

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define PUT_UNSUPPORTED(given)                                                                                         \
    aclspec_put_unsupported(out, product, library, ROWS_IN_FULL, COUNT_OF(ROWS_IN_FULL), given, COUNT_OF(given))

/* The sentence in a caller's buffer: what `say` writes, or the requirement where it writes nothing. */
typedef void (*aclspec_say)(aclspec_text *out, int product, bool library, const aclspec_argument *arguments, int index);
size_t aclspec_sentence(aclspec_say say, const char *const (*requirements)[2], const char *const *names, int product,
                        const aclspec_argument *arguments, const aclspec_verdict *verdict, aclspec_language language,
                        char *buffer, size_t size);
#endif
