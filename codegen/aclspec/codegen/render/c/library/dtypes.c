/* What dtypes and formats are, from the tables of the runtime. */
#include "aclspec_evaluator.h"

/* @tables@ */

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

int aclspec_promote(int left, int right) { return left == right ? left : in_table(PROMOTE, left, right); }

int aclspec_promote_scalar(int tensor, int scalar) { return in_table(PROMOTE_SCALAR, tensor, scalar); }

bool aclspec_castable(int from, int to)
{
    const int row = index_of(from);
    return from == to || (row >= 0 && (CASTABLE[row] & aclspec_set_of(to)) != 0);
}

int aclspec_bits(int dtype)
{
    const int index = index_of(dtype);
    return index < 0 ? 0 : BITS[index];
}

bool aclspec_is_integer(int dtype)
{
    const int index = index_of(dtype);
    return index >= 0 && DTYPE_IS_INTEGER[index];
}

bool aclspec_is_complex(int dtype)
{
    const int index = index_of(dtype);
    return index >= 0 && DTYPE_IS_COMPLEX[index];
}

const char *aclspec_dtype_name(int dtype)
{
    const int index = index_of(dtype);
    return index < 0 ? NULL : DTYPE_NAMES[index];
}

static int format_index(int format)
{
    for (int index = 0; index < FORMAT_COUNT; ++index)
        if (FORMATS[index] == format)
            return index;
    return -1;
}

bool aclspec_is_private(int format)
{
    const int index = format_index(format);
    return index >= 0 && FORMAT_IS_PRIVATE[index];
}

const char *aclspec_format_name(int format)
{
    const int index = format_index(format);
    return index < 0 ? NULL : FORMAT_NAMES[index];
}

void aclspec_scalar_number(const aclspec_scalar *scalar, value *out)
{
    out->kind = aclspec_is_integer(scalar->dtype) ? INT : REAL;
    if (out->kind == REAL)
        out->as.real = scalar->real;
    else
        out->as.integer = scalar->dtype == DT_UINT64 ? (wide)(uint64_t)scalar->integer : scalar->integer;
}
