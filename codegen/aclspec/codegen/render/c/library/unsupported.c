/* The clause that the dtypes of a call are not supported: those given, and those that the product supports. */
#include "aclspec_evaluator.h"

/* @tables@ */

/* What a call gives a parameter: its place among the parameters, and its column of the rows. */
typedef struct {
    int param, column;
    bool is_null;
} given;

typedef struct {
    writer *out;
    given given[ACLSPEC_JOINT];
    int count;
    bool joint[ACLSPEC_JOINT]; /* the parameters in which the rows differ */
} clause;

bool aclspec_ends_compound(const trial *found, aclspec_language language)
{
    for (int index = 0; COMPOUND[language][index] != NULL; ++index) {
        const size_t length = strlen(COMPOUND[language][index]);
        if (found->length >= length &&
            memcmp(found->tail + sizeof found->tail - length, COMPOUND[language][index], length) == 0)
            return true;
    }
    return false;
}

void aclspec_put_join(writer *out, bool is_long, bool by_or)
{
    aclspec_put(out, WORDS[is_long ? (by_or ? WORD_LONG_OR : WORD_LONG_AND) : by_or ? WORD_SHORT_OR : WORD_SHORT_AND]
                          [out->language]);
}

/* The part of a word up to its next place for a text, {0} and so on, which `hole` then is; -1 at its end. */
static const char *put_up_to(writer *out, const char *word, int *hole)
{
    const char *open = strchr(word, '{');
    *hole = open == NULL ? -1 : open[1] - '0';
    aclspec_put_bytes(out, word, open == NULL ? strlen(word) : (size_t)(open - word));
    return open == NULL ? word : open + 3;
}

/* What stands between the nouns of an enumeration, before the one at an index. */
static void put_between(writer *out, int index, int count, int last)
{
    if (index > 0)
        aclspec_put(out, WORDS[index == count - 1 ? last : WORD_COMMA][out->language]);
}

static int32_t cell_of(const dtype_row *row, int column) { return column < 0 ? -1 : CHILD(row->cells + column); }

static void put_dtype_name(writer *out, int dtype)
{
    if (dtype == CELL_NULL)
        aclspec_put(out, NULL_DTYPE);
    else
        aclspec_put_dtype(out, dtype);
}

static int cell_dtype(int32_t cell, int index) { return aclspec_cell_dtypes[aclspec_cells[cell].first + index]; }

/* --- Rows --- */

static bool same_row(const clause *is, const dtype_row *one, const dtype_row *other)
{
    for (int at = 0; at < is->count; ++at)
        if (cell_of(one, is->given[at].column) != cell_of(other, is->given[at].column))
            return false;
    return true;
}

static bool is_here(const context *call, const dtype_row *row)
{
    return (row->products & call->product) != 0 && (row->modes & call->mode) != 0;
}

/* The next row of this product and mode that differs from those before it; NULL behind the last. */
static const dtype_row *next_row(const clause *is, int *at)
{
    const context *call = is->out->call;
    const dtype_row *rows = &aclspec_rows[call->op->first_row];
    for (; *at < call->op->row_count; ++*at) {
        bool is_new = is_here(call, &rows[*at]);
        for (int before = 0; is_new && before < *at; ++before)
            is_new = !is_here(call, &rows[before]) || !same_row(is, &rows[before], &rows[*at]);
        if (is_new)
            return &rows[(*at)++];
    }
    return NULL;
}

#define EACH_ROW(is, row)                                                                                              \
    for (int at_ = 0, more_ = 1; more_; more_ = 0)                                                                     \
        for (const dtype_row *row; (row = next_row(is, &at_)) != NULL;)

static int row_count(const clause *is)
{
    int count = 0;
    EACH_ROW(is, row)
    ++count;
    return count;
}

/* --- What is given --- */

/* A value of a parameter that is given, and how many dtypes it has. */
static int64_t dtypes_of(context *call, const given *one, value *out)
{
    const param_row *param = &aclspec_params[call->op->first_param + one->param];
    if (one->is_null)
        return 1;
    aclspec_argument_value(call, one->param, param->type, out);
    return out->kind == LIST ? out->as.list.length : 1;
}

static int dtype_at(context *call, const given *one, const value *of, int64_t index)
{
    value item = *of;
    if (one->is_null)
        return CELL_NULL;
    if (of->kind == LIST)
        aclspec_item(call, of, index, &item);
    return item.kind == DTYPE ? (int)item.as.integer : item.kind == TENSOR ? item.as.tensor->dtype : item.as.scalar->dtype;
}

static void put_given(writer *out, const given *one)
{
    value of;
    const int64_t count = dtypes_of(out->call, one, &of);
    aclspec_put(out, " (");
    for (int64_t index = 0; index < count; ++index) {
        aclspec_put(out, index ? ", " : "");
        put_dtype_name(out, dtype_at(out->call, one, &of, index));
    }
    aclspec_put(out, ")");
}

static uint64_t given_set(context *call, const given *one)
{
    bool null;
    uint64_t set = 0;
    if (one->is_null)
        return SET_NULL;
    aclspec_given(call, one->param, &null, &set);
    return set;
}

static const char *name_of(const writer *out, int param)
{
    return STRING(aclspec_params[out->call->op->first_param + param].name);
}

/* --- One parameter --- */

/* The dtypes that some row allows it, in the order of the rows; `put` writes them. */
static uint64_t supported(const clause *is, int column, bool put)
{
    uint64_t found = 0;
    EACH_ROW(is, row)
    {
        const int32_t cell = cell_of(row, column);
        for (int index = 0; cell >= 0 && index < aclspec_cells[cell].count; ++index) {
            const int dtype = cell_dtype(cell, index);
            const uint64_t one = dtype == CELL_NULL ? found : aclspec_set_of(dtype);
            if ((one & ~found) != 0 && put) {
                aclspec_put(is->out, found != 0 ? ", " : " (");
                aclspec_put_dtype(is->out, dtype);
            }
            found |= one;
        }
    }
    if (put && found != 0)
        aclspec_put(is->out, ")");
    return found;
}

/* The clause that no row has what is given; false where some have. */
static bool put_alone(const clause *is, int param)
{
    writer *out = is->out;
    const int column = aclspec_params[out->call->op->first_param + param].column;
    value of;
    if (is->count > 0 && (given_set(out->call, &is->given[0]) & ~supported(is, column, false)) == 0)
        return false;
    int hole;
    for (const char *word = put_up_to(out, WORDS[WORD_DTYPE][out->language], &hole); hole >= 0;
         word = put_up_to(out, word, &hole)) {
        if (hole == 0)
            aclspec_put(out, name_of(out, param));
        else if (hole == 1 && is->count > 0 && dtypes_of(out->call, &is->given[0], &of) > 0)
            put_given(out, &is->given[0]);
        else if (hole == 2)
            aclspec_put(out, aclspec_products[out->call->product_index]);
        else if (hole == 3 && is->count > 0)
            supported(is, column, true);
    }
    return true;
}

/* --- Several parameters --- */

/* A row, parameters with the same dtypes together. */
static void put_combination(const clause *is, const dtype_row *row)
{
    writer *out = is->out;
    uint32_t done = 0;
    for (int one = 0; one < is->count; ++one) {
        const int32_t cell = cell_of(row, is->given[one].column);
        if (!is->joint[one] || (done >> one & 1) || cell < 0)
            continue;
        uint32_t same = 0;
        int names = 0, hole;
        for (int other = one; other < is->count; ++other)
            if (is->joint[other] && cell_of(row, is->given[other].column) == cell) {
                same |= (uint32_t)1 << other;
                ++names;
            }
        aclspec_put(out, done ? WORDS[WORD_CELLS][out->language] : "");
        done |= same;
        for (const char *word = put_up_to(out, WORDS[WORD_CELL][out->language], &hole); hole >= 0;
             word = put_up_to(out, word, &hole)) {
            for (int index = 0; hole == 0 && index < aclspec_cells[cell].count; ++index) {
                put_between(out, index, aclspec_cells[cell].count, WORD_OR);
                put_dtype_name(out, cell_dtype(cell, index));
            }
            for (int other = one, index = 0; hole == 1 && other < is->count; ++other)
                if (same >> other & 1) {
                    put_between(out, index++, names, WORD_AND);
                    aclspec_put(out, name_of(out, is->given[other].param));
                }
        }
    }
}

/* Find in which parameters the rows differ; whether each row has one dtype for all. */
static bool compare_rows(clause *is)
{
    int at = 0, joint = 0;
    const dtype_row *first = next_row(is, &at);
    for (int one = 0; one < is->count; ++one) {
        is->joint[one] = false;
        EACH_ROW(is, row)
        if (cell_of(row, is->given[one].column) != cell_of(first, is->given[one].column))
            is->joint[one] = true;
        joint += is->joint[one];
    }
    for (int one = 0; joint == 0 && one < is->count; ++one)
        is->joint[one] = true;
    bool uniform = is->count > 0 && (joint == 0 || joint == is->count);
    EACH_ROW(is, row)
    for (int one = 0; one < is->count; ++one) {
        const int32_t cell = cell_of(row, is->given[one].column);
        uniform = uniform && cell >= 0 && cell == cell_of(row, is->given[0].column) && aclspec_cells[cell].count == 1;
    }
    return uniform;
}

static int misfits(const clause *is, const dtype_row *row)
{
    int count = 0;
    for (int one = 0; one < is->count; ++one) {
        const int32_t cell = cell_of(row, is->given[one].column);
        count += is->joint[one] && cell >= 0 &&
                 (given_set(is->out->call, &is->given[one]) & ~aclspec_cells[cell].set) != 0;
    }
    return count;
}

static void put_rows(const clause *is)
{
    const dtype_row *nearest = NULL;
    int least = ACLSPEC_JOINT + 1, shown = 0;
    if (row_count(is) > LISTED_ROWS) {
        EACH_ROW(is, row)
        if (misfits(is, row) < least) {
            least = misfits(is, row);
            nearest = row;
        }
        put_combination(is, nearest);
        return;
    }
    EACH_ROW(is, row)
    {
        aclspec_put(is->out, shown++ ? WORDS[WORD_OR_ROW][is->out->language] : "");
        put_combination(is, row);
    }
}

static void put_equal(const clause *is)
{
    writer *out = is->out;
    const int count = row_count(is);
    int shown = 0, hole;
    EACH_ROW(is, row)
    {
        put_between(out, shown++, count, WORD_OR);
        const char *word = WORDS[is->count == 2 ? WORD_BOTH : WORD_ALL][out->language];
        for (word = put_up_to(out, word, &hole); hole >= 0; word = put_up_to(out, word, &hole))
            put_dtype_name(out, cell_dtype(cell_of(row, is->given[0].column), 0));
    }
}

static void put_supported(clause *is)
{
    const bool equal = compare_rows(is);
    int hole;
    for (const char *word = put_up_to(is->out, WORDS[equal ? WORD_EQUAL : WORD_ROWS][is->out->language], &hole);
         hole >= 0; word = put_up_to(is->out, word, &hole)) {
        if (equal)
            put_equal(is);
        else
            put_rows(is);
    }
}

static void put_together(const clause *is, int32_t params, int count)
{
    writer *out = is->out;
    const int named = is->count ? is->count : count;
    int hole;
    for (const char *word = put_up_to(out, WORDS[WORD_TOGETHER][out->language], &hole); hole >= 0;
         word = put_up_to(out, word, &hole)) {
        if (hole == 1)
            aclspec_put(out, aclspec_products[out->call->product_index]);
        for (int one = 0; hole == 0 && one < named; ++one) {
            put_between(out, one, named, WORD_AND);
            aclspec_put(out, name_of(out, is->count ? is->given[one].param : CHILD(params + one)));
            if (is->count)
                put_given(out, &is->given[one]);
        }
    }
}

void aclspec_put_unsupported(writer *out, int32_t params, int count)
{
    clause is = {.out = out};
    for (int one = 0; one < count; ++one) {
        const int param = CHILD(params + one), column = aclspec_params[out->call->op->first_param + param].column;
        bool null;
        uint64_t set;
        const truth found = aclspec_given(out->call, param, &null, &set);
        if (found == YES || (null && count > 1 && column >= 0 && aclspec_names_null(out->call, column)))
            is.given[is.count++] = (given){param, column, null};
    }
    if (count == 1 && put_alone(&is, CHILD(params)))
        return;
    put_together(&is, params, count);
    if (row_count(&is) > 0)
        put_supported(&is);
}
