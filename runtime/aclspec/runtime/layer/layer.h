/* What the modules of the layer share. The layer stands between a program and CANN's libraries: each function that it
 * exports calls the real one with the same arguments and answers what that answered. */
#ifndef ACLSPEC_LAYER_H
#define ACLSPEC_LAYER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "aclspec_checks.h"
#include "frames.h"
#include "layer_tables.h"
#include "text.h"

#define LAYER_API __attribute__((visibility("default")))

/* ---- settings.c: the environment, read once before main */

typedef enum { LAYER_EXPLAIN, LAYER_PORTABILITY, LAYER_ENFORCE, LAYER_OFF } layer_mode;

typedef struct {
    layer_mode mode;
    aclspec_language language;
    const char *log;     /* NULL: the standard error */
    const char *record;  /* NULL: nothing is recorded */
    const char *product; /* ACLSPEC_PRODUCT */
    const char *rank;
    const char *mute; /* ids of rules, with commas between */
    bool record_refused;        /* ACLSPEC_RECORD_CALLS: refused calls alone */
    bool record_places;         /* ACLSPEC_RECORD_PLACES: of each call */
    bool record_data;           /* ACLSPEC_RECORD_DATA */
    uint64_t record_data_limit; /* ACLSPEC_RECORD_DATA_LIMIT, in bytes */
    bool where; /* ACLSPEC_LAYER_BACKTRACE: remember where each handle was created */
    bool started;
} layer_settings;

extern layer_settings layer_is;

/* Read the environment; the value of ACLSPEC_LAYER where it is none, else NULL. */
const char *layer_read_settings(void);

/* Calls of CANN's libraries to each other pass unseen: how deep this thread is inside of a real function. */
extern _Thread_local int layer_depth;
/* Whether a call of this thread is the program's own, and the layer is on. */
bool layer_watches(void);

/* The text in the language of the report. */
#define LAYER_TEXT(en, zh) (layer_is.language == ACLSPEC_ZH ? (zh) : (en))

/* ---- resolve.c: the real functions */

/* The functions of CANN's base libraries that the layer stands in front of or calls. */
#define LAYER_BASE_FUNCTIONS(X)                                                                                        \
    X(aclCreateTensor) X(aclCreateScalar) X(aclCreateIntArray) X(aclCreateFloatArray) X(aclCreateBoolArray)            \
    X(aclCreateTensorList) X(aclCreateScalarList) X(aclInitTensor) X(aclDestroyTensor) X(aclDestroyScalar)             \
    X(aclDestroyIntArray) X(aclDestroyFloatArray) X(aclDestroyBoolArray) X(aclDestroyTensorList)                       \
    X(aclDestroyScalarList) X(aclDestroyAclOpExecutor) X(aclSetAclOpExecutorRepeatable) X(aclGetRecentErrMsg)          \
    X(aclGetViewShape) X(aclGetViewStrides) X(aclGetViewOffset) X(aclGetStorageShape) X(aclGetDataType)                \
    X(aclGetFormat) X(aclGetIntArraySize) X(aclGetFloatArraySize) X(aclGetBoolArraySize) X(aclGetTensorListSize)       \
    X(aclGetScalarListSize) X(aclGetRawTensorAddr) X(aclrtGetSocName) X(aclrtSynchronizeStream) X(aclrtMemcpy)          \
    X(aclmdlRICaptureGetInfo) X(aclSetInputTensorAddr) X(aclSetOutputTensorAddr) X(aclSetTensorAddr)                   \
    X(AclSetInputTensorAddr) X(AclSetOutputTensorAddr) X(AclSetTensorAddr) X(aclSetDynamicInputTensorAddr)             \
    X(aclSetDynamicOutputTensorAddr) X(aclSetDynamicTensorAddr) X(AclSetDynamicInputTensorAddr)                        \
    X(AclSetDynamicOutputTensorAddr) X(AclSetDynamicTensorAddr)

/* A function: 2 * operator is its phase one, the next is its phase two, and those of the base libraries follow. */
#define LAYER_MEMBER(name) LAYER_##name,
enum { LAYER_BASE = 2 * LAYER_OPERATORS, LAYER_BEFORE_BASE = LAYER_BASE - 1, LAYER_BASE_FUNCTIONS(LAYER_MEMBER) LAYER_FUNCTIONS };

/* The real function, NULL where none of CANN's libraries has it. */
void *layer_real(int function);
/* The same of a function that a version of CANN may lack and that is asked for once CANN was called: looked for once. */
void *layer_getter(int function);
/* The real function if it was asked for before, and the name of a function. */
void *layer_known(int function);
const char *layer_name_of(int function);
/* For resolvers: what a name leads to, `layered` where there is a real function for the layer to stand in front of, the real one
 * where this copy does nothing, NULL where there is none. Not instrumented: resolvers run early. */
void *layer_resolve(int function, void *layered);
void layer_start_resolving(void);
/* Whether another copy of the layer came first, which does all the work, and whether the program's names lead here. */
bool layer_is_second(void);
bool layer_is_preloaded(void);
/* The file that this library is. */
const char *layer_path(void);
/* Who answers the calls, for a report: CANN or the simulator. `layer_ask_who` finds out, by the function of an operator. */
const char *layer_who(void);
void layer_ask_who(int operator_index);

/* ---- track.c: what handles hold */

typedef enum {
    LAYER_TENSOR,
    LAYER_SCALAR,
    LAYER_INTS,
    LAYER_FLOATS,
    LAYER_BOOLS,
    LAYER_TENSORS,
    LAYER_SCALARS,
    LAYER_EXECUTOR,
    LAYER_KINDS,
} layer_kind;

/* The kinds of parameters: the first of those above, and these. */
enum { LAYER_P_TEXT = LAYER_KINDS, LAYER_P_INTEGER, LAYER_P_NATURAL, LAYER_P_DTYPE, LAYER_P_REAL, LAYER_P_BOOL };

/* data.c: the tensors of a call, to be copied around phase two */
typedef struct layer_data layer_data;

typedef struct {
    int operator_index;
    uint64_t workspace; /* bytes that phase one asked for */
    atomic_bool repeatable;
    atomic_int runs;
    uint64_t call; /* the number of its record, 0 for none */
    _Atomic(char *) line; /* of phase one, where only refused calls are recorded; taken when phase two is refused */
    _Atomic(layer_data *) data; /* of a call whose data is recorded; NULL */
} layer_executor;

enum { LAYER_FRAMES = 12 };

typedef struct layer_object layer_object;
struct layer_object {
    const void *handle;
    layer_kind kind;
    atomic_bool destroyed;
    atomic_int users;
    layer_object *next;
    layer_object **members; /* of a list: its elements, each held; read by layer_member */
    uint64_t member_count;
    const void *data; /* of a tensor: the address that it was created with */
    union {
        aclspec_tensor tensor;
        aclspec_scalar scalar;
        aclspec_int_array ints;
        aclspec_float_array floats;
        aclspec_bool_array bools;
        aclspec_tensor_list tensors;
        layer_executor executor;
    } is;
    int frame_count;
    void *frames[LAYER_FRAMES]; /* where it was created, if that is remembered */
    int64_t room[];             /* what the pointers of `is` point to */
};

/* A new object with room for this number of bytes, held once; NULL without memory. It is in no table yet. */
layer_object *layer_new(const void *handle, layer_kind kind, size_t bytes);
/* Put an object into the table in place of what was there; it stays held by the table. */
void layer_track(layer_object *object);
/* The object of a handle, held until `layer_release`; NULL where its creation was not seen. It may be a destroyed one. */
layer_object *layer_hold(const void *handle);
void layer_release(layer_object *object);
typedef enum { LAYER_WAS_UNKNOWN, LAYER_WAS_ALIVE, LAYER_WAS_DESTROYED } layer_was;
/* Mark a handle of this kind as destroyed, before the real function destroys it; what it holds, held, NULL where it is unknown. */
layer_object *layer_forget(const void *handle, layer_kind kind, layer_was *was);
/* Take that back: the real function did not destroy it. */
void layer_restore(const void *handle);
/* Show all objects that are not destroyed. */
void layer_each(void (*visit)(const layer_object *object, void *state), void *state);
void layer_lock_table(bool lock);

layer_object *layer_tensor_object(const void *handle, const int64_t *shape, uint64_t rank, const int64_t *strides, int64_t offset,
                                  const int64_t *storage, uint64_t storage_rank, int32_t dtype, int32_t format);
/* A list of tensors or of scalars, which holds its elements; known where each of them is null or a handle of that kind. */
layer_object *layer_list_object(const void *handle, layer_kind kind, const void *const *value, uint64_t size);
/* An element of a list, if it is of this kind; NULL for any other, and where nothing is known of it. */
layer_object *layer_member(const layer_object *list, uint64_t at, layer_kind kind);
/* The kind of the elements of a list. */
static inline layer_kind layer_kind_in(const layer_object *list) { return list->kind == LAYER_SCALARS ? LAYER_SCALAR : LAYER_TENSOR; }
/* The scalar of these bytes; `bytes` is its value in host memory. */
layer_object *layer_scalar_object(const void *handle, const void *bytes, int32_t dtype);

/* ---- decode.c: from C arguments to those of the checks */

typedef struct {
    union {
        const void *pointer;
        int64_t integer;
        double real;
        bool boolean;
    };
    double whole; /* of a float: the double whose lower half it may be */
} layer_value;

typedef struct {
    const aclspec_operator *op;
    const layer_value *values;
    aclspec_argument arguments[LAYER_MOST_PARAMS];
    layer_object *held[LAYER_MOST_PARAMS];
    const char *spent; /* the parameter whose handle was destroyed before; then the call is not judged */
    const char *unseen; /* a parameter of whose handle nothing is known; then the call is not judged either */
} layer_decoded;

/* `accepted`: CANN took the call, so that each handle is one of its own. */
void layer_decode(layer_decoded *decoded, int operator_index, const layer_value *values, bool accepted);
void layer_let_go(layer_decoded *decoded);

/* ---- known.c: what is known of a call that no rule refuses */

void layer_add_caveat(layer_text *text, const aclspec_caveat *caveat);
/* Remember a call that CANN took, and name the dtypes of those of an operator. */
void layer_remember_worked(int operator_index, const layer_decoded *decoded);
void layer_add_worked(layer_text *text, int operator_index, const layer_decoded *decoded);

/* ---- names.c: names of numbers */

const char *layer_dtype(int32_t number);
const char *layer_format(int32_t number);
const char *layer_status(int32_t number);
/* What a .npy file calls a dtype; NULL for one that fills no whole bytes. */
const char *layer_npy_name(int32_t dtype);
/* Whether the elements stand where the strides say. */
bool layer_is_public(int32_t format);

/* ---- call.c: how calls are written */

/* "gradOutput=FLOAT[4, 2], self=..." */
void layer_add_call(layer_text *text, const layer_decoded *decoded);
/* The same as a JSON object: {"gradOutput": {"dtype": ..., "shape": ...}, ...} */
void layer_add_call_json(layer_text *text, const layer_decoded *decoded);
/* A number for the operator and the shapes, dtypes and formats of a call. */
uint64_t layer_digest(const layer_decoded *decoded);

/* ---- files.c */

/* A descriptor, and which file it was when it was opened: a program may close it and get the number for a file of its own. */
typedef struct {
    int number;     /* -1: none */
    bool inherited; /* the program's own: a write may have to wait for a reader */
    bool stuck;     /* nobody read it the last time */
    dev_t device;
    ino_t inode;
} layer_file;

/* A file's name with %p (process) and %r (rank) filled in. */
void layer_file_name(const char *pattern, char *name, size_t size);
/* Open a file or a folder below `folder` (AT_FDCWD); not through a link in the last place where others may have put it. */
int layer_open(int folder, const char *name, int flags);
layer_file layer_file_of(int number);
bool layer_is_same(const layer_file *file);
/* Have a file open for appending, again if its descriptor is lost; false with errno where that fails. */
bool layer_have(layer_file *file, const char *name);
void layer_close(layer_file *file);
/* Write all of it, raising no signal; false with errno where that fails, EAGAIN where nobody reads for 100 ms. */
bool layer_write(layer_file *file, const char *at, size_t length);
bool layer_is_child(void);
uint64_t layer_now(void);     /* in nanoseconds */
uint64_t layer_started(void); /* when the process began, in nanoseconds since 1970 */
void layer_files_start(void);
void layer_files_in_child(void);

/* ---- doctor.c: write what ACLSPEC_LAYER_DOCTOR asks for */

void layer_diagnose(void);
/* Say there that the recording stopped, which must outlive the process and a full disk: in a file beside it. */
void layer_diagnose_stop(const char *why);

/* ---- oddities.c: what looks wrong in a call, though no rule speaks of it */

typedef enum { LAYER_VIEW, LAYER_LOST, LAYER_POINTER, LAYER_ODDITIES } layer_oddity;

/* Add a line for each such parameter, with what stands before it; whether there is one. */
bool layer_add_oddity(layer_text *text, const layer_decoded *decoded, layer_oddity oddity, const char *before);

/* ---- product.c */

/* The index of the product in aclspec_products; `assumed`: nothing tells, it is the default. */
int layer_product(bool *assumed);

/* ---- report.c: what is said */

typedef enum {
    LAYER_REFUSED,     /* CANN refused, and a rule says why */
    LAYER_UNEXPLAINED, /* CANN refused, and no rule does */
    LAYER_SECOND,      /* CANN refused in phase two */
    LAYER_UNJUDGED,    /* CANN refused, and the rules could not be asked */
    LAYER_UNPORTABLE,  /* CANN accepted what its documents forbid */
    LAYER_ENFORCED,    /* refused by the layer */
    LAYER_DOUBTFUL,    /* CANN accepted what the rules of its library refuse */
    LAYER_LIFE,        /* a handle was misused */
    LAYER_ODD,         /* CANN accepted arguments that look wrong */
    LAYER_FINDINGS,
} layer_finding;

/* Whether a rule is in ACLSPEC_LAYER_MUTE. */
bool layer_is_muted(const char *rule);
/* Whether this is the first of its kind; each is counted, but for those of muted rules. `rule` must outlive the process. */
bool layer_first_time(layer_finding finding, int operator_index, const char *rule, uint64_t digest);
/* Write a report of whole lines at once; the text is the body, without the layer's name. */
void layer_say(const layer_text *text);
__attribute__((format(printf, 1, 2))) void layer_say_line(const char *format, ...);
void layer_say_end(void);
/* How many reports could not be written, unless the end told it. */
uint64_t layer_lost_reports(void);
void layer_start_saying(void);
void layer_in_child(void);

/* ---- judge.c: the calls */

typedef struct {
    int operator_index;
    bool watched;
    bool refused; /* by the layer itself, with `status` and `verdict` */
    aclspec_verdict verdict;
    int32_t status;
    int saved_errno;
    const layer_value *values;
    uint64_t *workspace_size;
    void **executor;
    const void *caller; /* where it returns to */
    uint64_t started;
} layer_call;

/* Before and after the real phase one; false: the layer refuses, and `status` is the answer. */
bool layer_before(layer_call *call, int operator_index, const layer_value *values, uint64_t *workspace_size, void **executor,
                  const void *caller);
int32_t layer_after(layer_call *call, int32_t status);
/* The real function is missing, which only a program that was linked without it meets; the status to answer. */
int32_t layer_missing(int operator_index);
int32_t layer_phase_two(int operator_index, void *workspace, uint64_t size, void *executor, void *stream);

/* ---- python.c */

/* The Python frame that the call comes from, or why it is not known; nothing where Python does not run the program. */
void layer_add_python(layer_text *text);
/* Where a call comes from, as members of a JSON object: , "python": {...} where the frame is known. With `ACLSPEC_RECORD_PLACES` also
 * , "caller": {...}, the place in a program or library of C, and the frame even where this thread has let go of the GIL. */
void layer_add_place_json(layer_text *text, const void *caller);

/* ---- message.c: CANN's own message */

/* The message of this thread's failure, NULL where there is none; `read` false: it was left alone, since the program would miss it. */
const char *layer_message(bool *read);

/* ---- record.c: the recording */

bool layer_records(void);
/* Write the line of phase one; the number of the call. `kept`: the line, to be freed, where it counts only if phase two is refused. */
uint64_t layer_record_one(const layer_decoded *decoded, const char *product, int32_t status, const aclspec_verdict *verdict,
                          uint64_t workspace, uint64_t nanoseconds, const void *caller, char **kept);
/* Write the line of phase two of a call, after that of phase one if it was kept; call 0: its phase one was not seen. */
void layer_record_two(int operator_index, uint64_t call, int32_t status, uint64_t nanoseconds, bool again, const char *data,
                      const char *kept);
void layer_record_in_child(void);

/* ---- refused.c: the refused calls for who asks in this process */

bool layer_keeps_refused(void);
void layer_keep_refused(const layer_text *line);
void layer_refused_in_child(void);

/* ---- data.c: the data of calls, beside the recording */

/* The tensors of a call, held, with where they are; NULL without memory. */
layer_data *layer_data_of(const layer_decoded *decoded);
void layer_data_free(layer_data *data); /* in track.c */
/* One of the tensors, by its handle, is elsewhere by now. */
void layer_data_move(layer_data *data, const void *tensor, const void *address);
/* Copy the inputs, before phase two, unless there is a reason not to. */
void layer_data_before(layer_data *data, bool repeatable, void *stream);
/* Copy the outputs; the files of both as a JSON object, or why there are none, to be freed; NULL without memory. `data` NULL:
 * another thread has it, or it went with an earlier run. */
char *layer_data_after(const layer_data *data, bool repeatable, void *stream, int32_t status);

#endif
