/* The evaluator of the checks: what its files share. A check walks the rows of an operator's rules; each names nodes
 * of the tables, which hold indices and no pointers. Nothing here allocates, and no list is copied: a list is a view of
 * the caller's memory, or a node whose elements are evaluated where they are asked for.
 * `__int128` is an extension of C11 that gcc and clang have. */
#ifndef ACLSPEC_EVALUATOR_H
#define ACLSPEC_EVALUATOR_H
#include "aclspec_checks.h"
#include "aclspec_tables.h"
#include <string.h>

/* --- Values --- */

typedef __int128 wide;
#define LIMIT ((wide)1 << 126) /* an integer beyond it, either way, is undefined */

/* What a predicate is, and whether a value is there: YES says that it is. UNSEEN needs what the caller does not know.
 * They are ordered: of what does not decide an "and" or an "or", the greatest is what it comes to. */
typedef enum { NO, YES, UNDEFINED, UNSEEN } truth;

typedef enum { BOOL, INT, DTYPE, FORMAT, REAL, TEXT, TENSOR, SCALAR, LIST } kind;
/* Where the elements of a list are. */
typedef enum { INTS, BOOLS, FLOATS, TENSORS, SCALARS, RANGE, NODE } source;

typedef struct {
    union {
        wide integer; /* of BOOL, INT, DTYPE and FORMAT */
        double real;
        const char *text;
        const aclspec_tensor *tensor;
        const aclspec_scalar *scalar;
        struct {
            union {
                const void *items;
                int64_t first; /* of RANGE */
            };
            int64_t length;
        } list;
    } as;
    int32_t node; /* of a list whose elements are evaluated */
    uint8_t kind, source, element; /* the kind of what INTS holds */
} value;

/* --- Tables --- */

typedef enum {
    OP_AND, /* children from a on, b of them */
    OP_OR,
    OP_NOT,
    OP_EQUAL,
    OP_LESS,
    OP_AT_MOST,
    OP_IN,
    OP_IN_SET, /* a is one of the numbers of the set b */
    OP_ALL,    /* b for the variable c in a */
    OP_ANY,
    OP_IN_ROWS, /* parameters: children from a on, b of them */
    OP_FITS_INT64, /* the number of elements of each tensor and of its storage; the rule of the language */
    OP_IS_NULL, /* the parameter a */
    OP_NUMBER,  /* the pool's integer a */
    OP_REAL,    /* the pool's double a */
    OP_TEXT,    /* the string at a */
    OP_PARAM,   /* the parameter a, of the type b */
    OP_VARIABLE,
    OP_SAME, /* as a; a let, which a sentence shows as one value */
    OP_LIST, /* children from a on, b of them */
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO,
    OP_JOIN, /* the list a, then the list b */
    OP_IF,
    OP_INDEX,
    OP_EACH, /* b for the variable c in a, as a list */
    OP_CALL, /* the function c of children from a on, b of them */
    OP_FACT, /* the function c of the parameter a, of the type b */
} op;

typedef enum {
    T_TENSOR,
    T_TENSORS,
    T_SCALAR,
    T_SCALARS,
    T_INTS,
    T_BOOLS,
    T_FLOATS,
    T_STRING,
    T_BOOL,
    T_INT,
    T_NATURAL,
    T_FLOAT,
    T_DTYPE,
} type;

#define FUNCTION_NUMBER(name) F_##name,
typedef enum { ACLSPEC_FUNCTIONS(FUNCTION_NUMBER) FUNCTION_COUNT } function;

/* The parts of sentences; texts are templates, named among the children. */
typedef enum {
    P_TEXT,
    P_VALUE,
    P_ASIDE,       /* the value in parentheses; nothing where there is none */
    P_WORKED,      /* a term with the values of its operands, and what it comes to */
    P_PLACE,       /* the index of the element that the variable a is */
    P_PRODUCT,
    P_CHOICE,      /* the first text where the condition holds, else the second */
    P_ELEMENT,     /* a text about the first element that decides */
    P_UNSUPPORTED, /* the clause about the dtypes of these parameters */
} part_kind;

#define NEGATED 0x80 /* a bit of an operation: the opposite of what it says, where it has a value */
typedef struct {
    uint8_t op, kind; /* of a number; INT of a comparison: of two integers, dtypes or formats */
    uint16_t slot; /* of the value in the memory of a call, from 1 on; 0 where it is not kept */
    int32_t a, b, c;
} node;
/* What a check asks of a rule, and what it answers where the rule decides. */
typedef struct {
    uint32_t products;
    uint8_t modes;    /* 1: document, 2: library */
    uint8_t shortcut; /* decides where `when` holds; else where `require` fails */
    int32_t when, require; /* nodes; -1 where there is none */
} rule_row;
typedef struct {
    int32_t id, effect; /* strings; -1 where there is none */
    int32_t document, library;
    int32_t requirement[2], failure[2]; /* strings and templates by language */
} answer_row;
typedef struct {
    uint32_t products;
    uint8_t modes, kind;       /* an aclspec_caveat_kind */
    int32_t when;              /* a node, or -1 */
    int32_t rules, rule_count; /* among the children: the rules that leave the case out, by their numbers */
    int32_t id, status, because[2];
} caveat_row;
typedef struct {
    int32_t name, type, checked, column; /* a string, a type, a node and a column of the rows of dtypes, or -1 */
    int32_t required;                    /* the node that says whether an output is on, or -1 */
} param_row;
typedef struct {
    uint32_t products;
    uint8_t modes;
    int32_t cells; /* among the children; -1: the row does not name the parameter */
} dtype_row;
typedef struct {
    uint64_t set;
    int32_t first, count; /* of the list of dtypes, in the order of the spec */
} dtype_cell;
typedef struct {
    int32_t first_rule, rule_count, first_param, param_count, first_row, row_count;
    int32_t first_caveat, caveat_count;
    int32_t columns; /* among the children: of each mode and product the first of its sets, one a column, or -1 */
} operator_row;
typedef struct {
    int32_t first, count;
} template_row;
typedef struct {
    int32_t kind, a, b, c;
} part_row;

extern const node aclspec_nodes[];
extern const int32_t aclspec_children[];
extern const int64_t aclspec_numbers[];
extern const double aclspec_reals[];
extern const uint64_t aclspec_sets[];
extern const char aclspec_strings[];
extern const rule_row aclspec_rules[];
extern const answer_row aclspec_answers[];
extern const caveat_row aclspec_caveats[];
extern const param_row aclspec_params[];
extern const dtype_row aclspec_rows[];
extern const dtype_cell aclspec_cells[];
extern const int16_t aclspec_cell_dtypes[];
extern const operator_row aclspec_table[];
extern const template_row aclspec_templates[];
extern const part_row aclspec_parts[];
#define STRING(offset) (aclspec_strings + (offset))
#define CHILD(index) (aclspec_children[index])

/* --- A call --- */

typedef struct {
    const aclspec_argument *arguments;
    const operator_row *op;
    const uint64_t *columns; /* the dtypes that some row of this product and mode allows; NULL where it has no rows */
    uint32_t product; /* its bit */
    int product_index;
    uint8_t mode;     /* its bit */
    int32_t unseen;   /* the name of the first argument that was needed and is not known, or -1 */
    int32_t used;     /* operands */
    uint8_t kept[ACLSPEC_SLOTS + 1]; /* 0, or 1 more than the truth of what was kept */
    value memory[ACLSPEC_SLOTS + 1];
    int64_t elements[ACLSPEC_ELEMENTS]; /* of lists that are kept */
    int32_t elements_used;
    value operands[ACLSPEC_OPERANDS];
    value variables[ACLSPEC_VARIABLES];
    int64_t places[ACLSPEC_VARIABLES]; /* of the elements that they are, in sentences */
} context;

/* What the tables need is computed when they are written; here the compiler holds them to it. */
_Static_assert(sizeof(value) == 32, "the tables are written for values of 32 bytes");
_Static_assert(sizeof(context) + (ACLSPEC_DEPTH + 2) * ACLSPEC_FRAME <= ACLSPEC_STACK,
               "a check needs more of the stack than the tables say");

void aclspec_begin(context *call, int operator, int product, bool library, const aclspec_argument *arguments);
truth aclspec_test(context *call, int32_t at);
truth aclspec_evaluate(context *call, int32_t at, value *out);
/* The parameter as a value. */
truth aclspec_argument_value(context *call, int param, int type, value *out);
truth aclspec_in_rows(context *call, const node *rows);
/* The set of the dtypes that a call gives a parameter; UNDEFINED where it gives none. */
truth aclspec_given(context *call, int param, bool *is_null, uint64_t *set);
/* Whether some rows say that a parameter may be null, and others do not. */
bool aclspec_names_null(const context *call, int column);

/* --- Lists --- */

truth aclspec_item(context *call, const value *list, int64_t index, value *out);
/* An integer of a list; 0 where it has no value. */
wide aclspec_integer(context *call, const value *list, int64_t index);
/* Room for some values, given back by lowering `used` again. */
static inline value *aclspec_room(context *call, int count)
{
    value *room = call->operands + call->used;
    call->used += count;
    return room;
}
truth aclspec_equal(context *call, const value *left, const value *right);
truth aclspec_contains(context *call, const value *list, const value *wanted);
/* -1, 0 or 1 as the left is less, equal or greater; 2 where one is not a number. */
int aclspec_compare(const value *left, const value *right);

/* --- Functions --- */

/* The value of a function of defined arguments; `at` is the node of the call. */
typedef truth (*function_of)(context *call, int32_t at, const value *args, int count, value *out);
extern const function_of aclspec_functions[FUNCTION_COUNT];
/* An element of the list that a function is. */
truth aclspec_function_item(context *call, int32_t at, int64_t index, value *out);
/* A defined integer, or undefined beyond the limit. */
static inline truth aclspec_bounded(wide found, value *out)
{
    out->kind = INT;
    out->as.integer = found;
    return found >= -LIMIT && found <= LIMIT ? YES : UNDEFINED;
}
static inline wide aclspec_floor_div(wide left, wide right)
{
    return left / right - (left % right != 0 && (left % right < 0) != (right < 0));
}

/* --- Dtypes and formats --- */

#define NO_DTYPE (-4)
#define SET_NULL_IN_SOME ((uint64_t)1 << 59) /* of a column: a null fits some rows and not others */
#define SET_OTHER ((uint64_t)1 << 60) /* a number that no dtype has */
#define SET_HFLOAT32 ((uint64_t)1 << 61)
#define SET_UNDEFINED ((uint64_t)1 << 62)
#define SET_NULL ((uint64_t)1 << 63) /* a null, where only some rows of dtypes allow it */
#define CELL_NULL (-3)
static inline uint64_t aclspec_set_of(int dtype)
{
    return dtype >= 0 && dtype < 59 ? (uint64_t)1 << dtype
           : dtype == -1            ? SET_UNDEFINED
           : dtype == 1000          ? SET_HFLOAT32
                                    : SET_OTHER;
}
int aclspec_promote(int left, int right);        /* NO_DTYPE where there is none */
int aclspec_promote_scalar(int tensor, int scalar);
bool aclspec_castable(int from, int to);
int aclspec_bits(int dtype);
bool aclspec_is_private(int format);
bool aclspec_is_integer(int dtype);
bool aclspec_is_complex(int dtype);
const char *aclspec_dtype_name(int dtype); /* NULL where it has none */
const char *aclspec_format_name(int format);
/* The number of a scalar. */
void aclspec_scalar_number(const aclspec_scalar *scalar, value *out);

/* --- Sentences --- */

/* What was written on trial. */
typedef struct {
    char head[64];
    size_t length;
    bool has_space;
    char last;
} trial;

/* Writes a sentence into the caller's buffer, as snprintf does, with a capital or the spacing of Chinese. */
typedef struct {
    char *buffer;
    size_t size, length;
    aclspec_language language;
    trial *trial; /* where this is set, nothing is written */
    char word[ACLSPEC_LONGEST_NAME + 2];
    int state, word_length;
    uint32_t before;
    size_t spaces;
    context *call;
} writer;

/* Past the capital or the spacing. */
void aclspec_put_raw(writer *out, const char *bytes, size_t length);
void aclspec_put_bytes(writer *out, const char *bytes, size_t length);
void aclspec_put(writer *out, const char *text);
void aclspec_put_integer(writer *out, wide number);
void aclspec_put_value(writer *out, const value *shown);
void aclspec_put_dtype(writer *out, int dtype);
enum { SHOWN_ELEMENTS = 6 }; /* of a longer list a sentence shows as many */
void aclspec_put_more(writer *out, int64_t count);
void aclspec_finish(writer *out);
void aclspec_put_unsupported(writer *out, int32_t params, int count);

/* --- Checks --- */

void aclspec_check_operator(int operator, int product, bool library, const aclspec_argument *arguments,
                            aclspec_verdict *verdict);
bool aclspec_caveat_operator(int operator, int product, bool library, const aclspec_argument *arguments,
                             aclspec_verdict *verdict, aclspec_caveat *found);
bool aclspec_operator_writes(int operator, int param, const aclspec_argument *arguments);
size_t aclspec_explain_operator(int operator, int product, const aclspec_argument *arguments,
                                const aclspec_verdict *verdict, aclspec_language language, char *buffer, size_t size);
#endif
