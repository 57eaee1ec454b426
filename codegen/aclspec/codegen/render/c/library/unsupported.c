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
} clause;

/* The part of a word up to its next place for a text, {0} and so on, which `hole` then is; -1 at its end. */
static const char *put_up_to(writer *out, const char *word, int *hole)
{
    const char *open = strchr(word, '{');
    *hole = open == NULL ? -1 : open[1] - '0';
    aclspec_put_bytes(out, word, open == NULL ? strlen(word) : (size_t)(open - word));
    return open == NULL ? word : open + 3;
}

/* How many elements of a list are not shown. */
void aclspec_put_more(writer *out, int64_t count)
{
    int hole;
    const char *rest = put_up_to(out, WORDS[WORD_MORE][out->language], &hole);
    aclspec_put_integer(out, count);
    aclspec_put(out, rest);
}

/* What stands between the nouns of an enumeration, before the one at an index. */
static void put_between(writer *out, int index, int count, int last)
{
    if (index > 0)
        aclspec_put(out, WORDS[index == count - 1 ? last : WORD_COMMA][out->language]);
}

static void put_dtype_name(writer *out, int dtype)
{
    if (dtype == CELL_NULL)
        aclspec_put(out, NULL_DTYPE);
    else
        aclspec_put_dtype(out, dtype);
}

static int cell_dtype(int32_t cell, int index) { return aclspec_cell_dtypes[aclspec_cells[cell].first + index]; }

/* Dtypes one of which must be, of many the first; those of a cell where there is no array. */
static void put_dtypes(writer *out, const int *dtypes, int32_t cell, int count)
{
    const bool is_long = count > SHOWN_ELEMENTS;
    for (int index = 0; index < count; ++index) {
        put_between(out, index, count, is_long ? WORD_COMMA : WORD_OR);
        if (index == SHOWN_ELEMENTS) {
            aclspec_put_more(out, count - SHOWN_ELEMENTS);
            break;
        }
        put_dtype_name(out, dtypes == NULL ? cell_dtype(cell, index) : dtypes[index]);
    }
}

static int32_t cell_of(const dtype_row *row, int column) { return column < 0 ? -1 : CHILD(row->cells + column); }

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

static uint64_t given_set(context *call, const given *one)
{
    bool null;
    uint64_t set = 0;
    if (one->is_null)
        return SET_NULL;
    aclspec_given(call, one->param, &null, &set);
    return set;
}

static bool is_mixed(context *call, const given *one)
{
    const uint64_t set = given_set(call, one);
    return (set & (set - 1)) != 0;
}

static const char *name_of(const writer *out, int param)
{
    return STRING(aclspec_params[out->call->op->first_param + param].name);
}

static bool same_dtypes(context *call, const given *one, const given *other)
{
    value first, second;
    const int64_t count = dtypes_of(call, one, &first);
    if (count != dtypes_of(call, other, &second))
        return false;
    for (int64_t index = 0; index < count; ++index)
        if (dtype_at(call, one, &first, index) != dtype_at(call, other, &second, index))
            return false;
    return true;
}

/* The parameters of a set as an enumeration. */
static void put_names(const clause *is, uint32_t set)
{
    int count = 0, shown = 0;
    for (int one = 0; one < is->count; ++one)
        count += set >> one & 1;
    for (int one = 0; one < is->count; ++one)
        if (set >> one & 1) {
            put_between(is->out, shown++, count, WORD_AND);
            aclspec_put(is->out, name_of(is->out, is->given[one].param));
        }
}

/* The dtypes of a parameter, each once, of many the first. */
static void put_each_once(writer *out, const given *one)
{
    value of;
    const int64_t count = dtypes_of(out->call, one, &of);
    uint64_t seen = 0;
    int64_t different = 0;
    for (int64_t index = 0; index < count; ++index) {
        const int dtype = dtype_at(out->call, one, &of, index);
        const uint64_t bit = dtype >= 0 && dtype < 64 ? (uint64_t)1 << dtype : 0;
        if ((seen & bit) != 0)
            continue;
        seen |= bit;
        if (different < SHOWN_ELEMENTS) {
            aclspec_put(out, different > 0 ? ", " : "");
            put_dtype_name(out, dtype);
        }
        ++different;
    }
    if (different > SHOWN_ELEMENTS) {
        aclspec_put(out, ", ");
        aclspec_put_more(out, different - SHOWN_ELEMENTS);
    }
}

/* The dtypes of parameters, each once, those with the same ones together. */
static void put_told(const clause *is)
{
    writer *out = is->out;
    uint32_t done = 0;
    for (int one = 0; one < is->count; ++one) {
        uint32_t same = 0;
        if (done >> one & 1)
            continue;
        for (int other = one; other < is->count; ++other)
            if (same_dtypes(out->call, &is->given[one], &is->given[other]))
                same |= (uint32_t)1 << other;
        aclspec_put(out, done != 0 ? WORDS[WORD_GIVEN][out->language] : "");
        done |= same;
        int hole;
        const bool are = (same & (same - 1)) != 0 || is_mixed(out->call, &is->given[one]);
        const char *word = WORDS[are ? WORD_ARE : WORD_IS][out->language];
        for (word = put_up_to(out, word, &hole); hole >= 0; word = put_up_to(out, word, &hole)) {
            if (hole == 0)
                put_names(is, same);
            else
                put_each_once(out, &is->given[one]);
        }
    }
}

/* --- What is supported --- */

/* Whether a row says something of one of the parameters. */
static bool tells(const clause *is, const dtype_row *row)
{
    for (int one = 0; one < is->count; ++one)
        if (cell_of(row, is->given[one].column) >= 0)
            return true;
    return false;
}

static int told_rows(const clause *is)
{
    int count = 0;
    EACH_ROW(is, row)
    count += tells(is, row);
    return count;
}

/* The dtypes of a column in the order of the rows, without null or with it. */
static int listed(const clause *is, int column, bool nulls, int dtypes[64])
{
    uint64_t found = 0;
    int count = 0;
    EACH_ROW(is, row)
    {
        const int32_t cell = cell_of(row, column);
        for (int index = 0; cell >= 0 && index < aclspec_cells[cell].count; ++index) {
            const int dtype = cell_dtype(cell, index);
            const uint64_t one = dtype == CELL_NULL ? (nulls ? SET_NULL : found) : aclspec_set_of(dtype);
            if ((one & ~found) != 0)
                dtypes[count++] = dtype;
            found |= one;
        }
    }
    return count;
}

/* A row, parameters with the same dtypes together. */
static void put_combination(const clause *is, const dtype_row *row)
{
    writer *out = is->out;
    uint32_t done = 0;
    for (int one = 0; one < is->count; ++one) {
        const int32_t cell = cell_of(row, is->given[one].column);
        if ((done >> one & 1) || cell < 0)
            continue;
        uint32_t same = 0;
        int hole;
        for (int other = one; other < is->count; ++other)
            if (cell_of(row, is->given[other].column) == cell)
                same |= (uint32_t)1 << other;
        aclspec_put(out, done ? WORDS[WORD_CELLS][out->language] : "");
        done |= same;
        for (const char *word = put_up_to(out, WORDS[WORD_CELL][out->language], &hole); hole >= 0;
             word = put_up_to(out, word, &hole)) {
            if (hole == 0)
                put_dtypes(out, NULL, cell, aclspec_cells[cell].count);
            else
                put_names(is, same);
        }
    }
}

static int misfits(const clause *is, const dtype_row *row)
{
    int count = 0;
    for (int one = 0; one < is->count; ++one) {
        const int32_t cell = cell_of(row, is->given[one].column);
        count += cell >= 0 && (given_set(is->out->call, &is->given[one]) & ~aclspec_cells[cell].set) != 0;
    }
    return count;
}

static void put_rows(const clause *is)
{
    const dtype_row *nearest = NULL;
    int least = ACLSPEC_JOINT + 1, shown = 0;
    const bool all = told_rows(is) <= LISTED_ROWS;
    EACH_ROW(is, row)
    {
        if (!tells(is, row))
            continue;
        if (all) {
            aclspec_put(is->out, shown++ ? WORDS[WORD_OR_ROW][is->out->language] : "");
            put_combination(is, row);
        } else if (misfits(is, row) < least) {
            least = misfits(is, row);
            nearest = row;
        }
    }
    if (!all)
        put_combination(is, nearest);
}

/* --- The clause --- */

/* A phrase about what is given, the product, and dtypes; the rows where there are none. */
static void put_phrase(const clause *is, int word, const int *dtypes, int count)
{
    writer *out = is->out;
    int hole;
    for (const char *text = put_up_to(out, WORDS[word][out->language], &hole); hole >= 0;
         text = put_up_to(out, text, &hole)) {
        if (hole == 0)
            put_told(is);
        else if (hole == 1)
            aclspec_put(out, aclspec_products[out->call->product_index]);
        else if (count == 0)
            put_rows(is);
        else
            put_dtypes(out, dtypes, -1, count);
    }
}

/* Whether the rows differ in a parameter, or none has its dtypes. */
static bool decides(const clause *is, const given *one)
{
    int at = 0;
    const dtype_row *first = next_row(is, &at);
    const uint64_t set = given_set(is->out->call, one);
    bool fits = false;
    EACH_ROW(is, row)
    {
        const int32_t cell = cell_of(row, one->column);
        if (cell != cell_of(first, one->column))
            return true;
        fits = fits || cell < 0 || (set & ~aclspec_cells[cell].set) == 0;
    }
    return !fits;
}

/* Whether more than one dtype is given. */
static bool is_several(const clause *is)
{
    return is->count > 1 || is_mixed(is->out->call, &is->given[0]);
}

/* Whether each row has the same dtypes for all: any for a single dtype, one for several. */
static bool is_uniform(const clause *is)
{
    EACH_ROW(is, row)
    {
        const int32_t cell = cell_of(row, is->given[0].column);
        for (int one = 0; tells(is, row) && one < is->count; ++one)
            if (cell < 0 || cell_of(row, is->given[one].column) != cell)
                return false;
        if (tells(is, row) && is_several(is) && aclspec_cells[cell].count != 1)
            return false;
    }
    return true;
}

void aclspec_put_unsupported(writer *out, int32_t params, int count)
{
    clause is = {.out = out}, deciding = {.out = out};
    int dtypes[64];
    for (int one = 0; one < count; ++one) {
        const int param = CHILD(params + one), column = aclspec_params[out->call->op->first_param + param].column;
        bool null;
        uint64_t set;
        const truth found = aclspec_given(out->call, param, &null, &set);
        if (found == YES || (null && count > 1 && column >= 0 && aclspec_names_null(out->call, column)))
            is.given[is.count++] = (given){param, column, null};
    }
    if (is.count == 0)
        return;
    if (count == 1) {
        const int supported = listed(&is, is.given[0].column, false, dtypes);
        uint64_t set = 0;
        for (int index = 0; index < supported; ++index)
            set |= aclspec_set_of(dtypes[index]);
        if (supported == 0 || (given_set(out->call, &is.given[0]) & ~set) != 0) {
            put_phrase(&is, supported == 0 ? WORD_NONE : WORD_DTYPE, dtypes, supported);
            return;
        }
    }
    if (row_count(&is) == 0) {
        put_phrase(&is, WORD_APART, dtypes, 0);
        return;
    }
    for (int one = 0; one < is.count; ++one)
        if (decides(&is, &is.given[one]))
            deciding.given[deciding.count++] = is.given[one];
    if (deciding.count == 0)
        deciding = is;
    if (is_uniform(&deciding)) {
        const int shared = listed(&deciding, deciding.given[0].column, true, dtypes);
        put_phrase(&deciding, is_several(&deciding) ? WORD_ONE : WORD_DTYPE, dtypes, shared);
    } else
        put_phrase(&deciding, WORD_TOGETHER, dtypes, 0);
}
