/* What Python calls. Every function answers 0, or -1 where scratch memory could not be had (nothing is written then).
 * Arrays are contiguous, in C order. A dtype is the number that ACL gives it: 0 float32, 1 float16, 27 bfloat16. */

typedef struct {
    int dtype;       /* of the input and of the output */
    int threads;     /* at most so many */
    int64_t planes;  /* samples times channels */
    int64_t in_h, in_w, out_h, out_w;
    int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
    int64_t channels;  /* of a sample; what the weights of a depthwise convolution and the lanes of a mask go by */
} aclspec_window;

typedef struct {
    int dtype;
    int threads;
    int64_t samples, channels, inner; /* an element e is (n, c, i); one channel where a weight is shared */
    int rounds; /* whether every step is rounded to the dtype, and not the result alone */
} aclspec_rows;

/* What a step of batch normalization is given for each channel: the mean, the reciprocal deviation, the sums of the
 * gradient and of its products, and the weight, of a dtype each; and how many counts of elements there are. */
typedef struct {
    int dtypes[5];
    int64_t counts;
} aclspec_channels;

/* A regular part of the cells of a target, on three axes. */
typedef struct {
    int64_t start[3], step[3];
} aclspec_member;

/* The sums of a convolution. A cell m of the sum, on axis a, meets the source cells m * stride[a] + offsets[a][tap]. */
typedef struct {
    int dtype, threads;
    int64_t samples, groups;
    int64_t channels, rows;             /* of a group: of the source, and of the target or gradient */
    int64_t source[3], target[3];       /* cells of a channel */
    int64_t source_pitch, target_pitch; /* elements from one sample to the next */
    int64_t cells[3], stride[3], taps[3];
    const int64_t *offsets[3];
    int64_t members;                    /* parts of the target that meet the same source cells, each by weights of its own */
    const aclspec_member *member;
} aclspec_sum;

/* A weight in the order of a sum: by group, member, row, channel and tap, which is `tap[member][tap]` of the weight, or
 * zero where that is negative. */
typedef struct {
    int dtype, threads;
    int64_t groups, members, rows, channels, taps;
    int64_t group_pitch, row_pitch, channel_pitch; /* elements from one to the next in the weight */
    const int32_t *tap;
} aclspec_factor;

#define ACLSPEC_SHORT_ROW 64 /* below so many elements of a channel, sums run by column */

int aclspec_use(const char *instruction_set);
const char *aclspec_instruction_set(void);
void aclspec_write_past_cache(size_t bytes); /* from so many bytes of an output on; 0: as the machine's cache says */
size_t aclspec_scratch(void); /* the most bytes of scratch at one time since it was last asked */

int aclspec_prelu(const aclspec_rows *rows, const void *x, const void *weight, void *out);
int aclspec_prelu_backward(const aclspec_rows *rows, const void *grad, const void *x, const void *weight,
                           void *grad_x, void *grad_weight);
/* The outputs are the sums of grad, those of grad * (x - mean), these times invstd, and the first again; each of them
 * can be NULL. */
int aclspec_batch_norm_reduce(const aclspec_rows *rows, const void *grad, const void *x, const float *mean,
                              const float *invstd, float *const outputs[4]);
int aclspec_batch_norm_elemt(const aclspec_rows *rows, const void *grad, const void *x, const float *coefficients,
                             void *grad_x);
/* The same by what the coefficients are made of; the last of the arrays, the weights, can be NULL. */
int aclspec_batch_norm_elemt_of(const aclspec_rows *rows, const aclspec_channels *channels, const void *const arrays[5],
                                const int32_t *counts, const void *grad, const void *x, void *grad_x);

int aclspec_avg_pool(const aclspec_window *window, const void *x, const float *divisors, void *out);
int aclspec_avg_pool_backward(const aclspec_window *window, const void *grad, const float *divisors, void *grad_x);

int aclspec_max_pool_argmax(const aclspec_window *window, const void *x, void *out, int32_t *positions);
int aclspec_max_pool_bits(const aclspec_window *window, const void *x, void *out, uint16_t *words, int64_t pitch);
int aclspec_max_pool_backward_argmax(const aclspec_window *window, const void *grad, const int32_t *positions,
                                     void *grad_x);
int aclspec_max_pool_backward_bits(const aclspec_window *window, const void *grad, const uint16_t *words,
                                   int64_t pitch, void *grad_x);

int aclspec_depthwise(const aclspec_window *window, const void *x, const float *weight, const float *bias, void *out);
int aclspec_depthwise_input(const aclspec_window *window, const void *grad, const float *weight, void *grad_x);
/* grad_bias can be NULL. */
int aclspec_depthwise_weight(const aclspec_window *window, const void *grad, const void *x, double *grad_weight,
                             double *grad_bias);

/* Dense convolution. */
int aclspec_make_factor(const aclspec_factor *of, const void *weight, float *factor);
int aclspec_contract(const aclspec_sum *sum, const void *source, const float *factor, const float *bias, void *target);
int aclspec_correlate(const aclspec_sum *sum, const void *source, const void *gradient, void *target);
/* The same in bfloat16 by tiles of AMX. They answer 1, and have written nothing, where there are no tiles or these do not
 * pay. Tiles take subnormal numbers for zero: see `aclspec_smallest_exponent`. */
int aclspec_contract_tiles(const aclspec_sum *sum, const aclspec_factor *of, const void *source, const void *weight,
                           const float *bias, void *target);
int aclspec_correlate_tiles(const aclspec_sum *sum, const void *source, const void *gradient, void *target);
/* The exponent field of the smallest number but zero of bfloat16, 255 where all are zero; -1 where some number is not
 * finite, or there are no tiles. */
int aclspec_smallest_exponent(const void *array, int64_t count, int threads);
/* Whether all elements are finite: 1, or 0. */
int aclspec_finite(int dtype, const void *array, int64_t count);
int aclspec_channel_sums(const aclspec_rows *rows, const void *array, double *sums);
