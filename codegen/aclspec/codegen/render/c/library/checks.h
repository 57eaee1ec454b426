/* What a handle holds. A NULL pointer to one of these is a null argument. `known` false: the caller has seen neither the
 * length nor the elements, or neither the dtype nor the value. */
typedef struct {
    const int64_t *shape;
    uint64_t rank;
    const int64_t *strides;
    int64_t offset;
    const int64_t *storage_shape;
    uint64_t storage_rank;
    int32_t dtype;  /* an aclDataType */
    int32_t format; /* an aclFormat */
} aclspec_tensor;
typedef struct {
    const aclspec_tensor *const *items;
    uint64_t length;
    bool known;
} aclspec_tensor_list;
typedef struct {
    const int64_t *items;
    uint64_t length;
    bool known;
} aclspec_int_array;
typedef struct {
    const bool *items;
    uint64_t length;
    bool known;
} aclspec_bool_array;
typedef struct {
    const float *items;
    uint64_t length;
    bool known;
} aclspec_float_array;
/* The number in the widest form of its kind; of BOOL and integers `integer` holds it (uint64 wraps: the dtype says so). */
typedef struct {
    int32_t dtype;
    bool known;
    int64_t integer;
    double real;
    double imaginary;
} aclspec_scalar;
typedef struct {
    const aclspec_scalar *const *items;
    uint64_t length;
    bool known;
} aclspec_scalar_list;

/* One argument of phase one, in C order; which member is set follows from the type of the operator's parameter. */
typedef union {
    const aclspec_tensor *tensor;
    const aclspec_tensor_list *tensors;
    const aclspec_int_array *ints;
    const aclspec_bool_array *bools;
    const aclspec_float_array *floats;
    const aclspec_scalar *scalar;
    const aclspec_scalar_list *scalars;
    const char *text;
    int64_t integer; /* every integer type, and aclDataType; a uint64_t wraps */
    double real;
    bool boolean;
} aclspec_argument;

typedef enum { ACLSPEC_EN, ACLSPEC_ZH } aclspec_language;

/* The first rule that decides. */
typedef struct {
    const char *rule;    /* its id, "aclnnPreluBackward.weight-numel"; NULL where no rule decides: the call works */
    int32_t document;    /* the status that each conformance mode returns; 0 works */
    int32_t library;
    const char *effect;  /* NULL, or what a shortcut does to the outputs: "unwritten", "zeros" */
    const char *unknown; /* the parameter of which a rule needed what is not known; then rule is NULL, and the call is
                            not judged from there on */
    int index;           /* the rule by its number, for the sentence */
    bool as_library;     /* the mode in which the call was judged */
} aclspec_verdict;

/* A case that the spec knows beside its rules. */
typedef enum {
    ACLSPEC_NOT_JUDGED,   /* what becomes of it is not known */
    ACLSPEC_NO_KERNEL,    /* CANN has none for it */
    ACLSPEC_OLD_VERSIONS, /* versions of CANN before another refuse it */
} aclspec_caveat_kind;
typedef struct {
    const char *id; /* "aclnnAbs.complex32" */
    aclspec_caveat_kind kind;
    int32_t status;         /* what the library answers; 0 where nothing says */
    const char *because[2]; /* a sentence by language, and where that is known from, in UTF-8 */
} aclspec_caveat;

typedef struct {
    const char *name;
    const char *type; /* "tensor", "int_array" and so on, as a spec says it */
    bool output;
    bool input; /* both where the operator works in place */
} aclspec_param;

/* One operator. `check`, `writes`, `explain` and `caveat` are NULL for an operator that is only declared. */
typedef struct {
    const char *name;  /* "aclnnPreluBackward" */
    const char *level; /* "declared", "checked" or "computed" */
    int param_count;
    const aclspec_param *params;
    /* Judge a call in one conformance mode on a product, one of aclspec_product. Allocates nothing. */
    void (*check)(int product, bool library, const aclspec_argument *arguments, aclspec_verdict *verdict);
    /* Whether a call that works writes this output: attributes may switch an output off. */
    bool (*writes)(int param, const aclspec_argument *arguments);
    /* The sentence of a verdict on this very call, with the actual values, in UTF-8; empty where no rule decides. Returns
     * its length as snprintf does. */
    size_t (*explain)(int product, const aclspec_argument *arguments, const aclspec_verdict *verdict,
                      aclspec_language language, char *buffer, size_t size);
    /* The same as `check`, but for rules that leave the call's case out: whether none of the others decides, and the call is
     * such a case. */
    bool (*caveat)(int product, bool library, const aclspec_argument *arguments, aclspec_verdict *verdict,
                   aclspec_caveat *found);
} aclspec_operator;

extern const aclspec_operator aclspec_operators[]; /* sorted by name */
extern const int aclspec_operator_count;
extern const char *const aclspec_products[]; /* the keys, "atlas_a2" and so on, by their numbers; NULL at the end */

/* The operator with this C name, or NULL. */
const aclspec_operator *aclspec_find_operator(const char *name);
/* The number of the product with this key, or -1. */
int aclspec_find_product(const char *key);
