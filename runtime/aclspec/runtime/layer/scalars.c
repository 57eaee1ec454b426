/* The value of a scalar, from the bytes that hold it. */
#include "scalars.h"

#include <string.h>

static double of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) {
        return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
    }
    double value = exponent == 0 ? fraction : fraction + 1024;
    for (int at = exponent == 0 ? 1 : exponent; at < 25; at++) {
        value /= 2;
    }
    for (int at = 25; at < exponent; at++) {
        value *= 2;
    }
    return sign * value;
}

static double of_bfloat(uint16_t bits) {
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

#define READ(type) (*(const type *)memcpy(&(type){0}, bytes, sizeof(type)))
#define INTEGER(type) (aclspec_scalar){dtype, true, (int64_t)READ(type), (double)READ(type), 0}
#define REAL(value) (aclspec_scalar){dtype, true, 0, (double)(value), 0}

aclspec_scalar layer_scalar_of(const void *bytes, int32_t dtype) {
    aclspec_scalar scalar = {.dtype = dtype, .known = false};
    switch (dtype) { /* the numbers of aclDataType */
    case 0: scalar = REAL(READ(float)); break;
    case 1: scalar = REAL(of_half(READ(uint16_t))); break;
    case 2: scalar = INTEGER(int8_t); break;
    case 3: scalar = INTEGER(int32_t); break;
    case 4: scalar = INTEGER(uint8_t); break;
    case 6: scalar = INTEGER(int16_t); break;
    case 7: scalar = INTEGER(uint16_t); break;
    case 8: scalar = INTEGER(uint32_t); break;
    case 9: scalar = INTEGER(int64_t); break;
    case 10: scalar = INTEGER(uint64_t); break;
    case 11: scalar = REAL(READ(double)); break;
    case 12: scalar = (aclspec_scalar){dtype, true, READ(uint8_t) != 0, READ(uint8_t) != 0, 0}; break;
    case 16: scalar = REAL(READ(float)); bytes = (const char *)bytes + sizeof(float); scalar.imaginary = (double)READ(float); break;
    case 17: scalar = REAL(READ(double)); bytes = (const char *)bytes + sizeof(double); scalar.imaginary = READ(double); break;
    case 27: scalar = REAL(of_bfloat(READ(uint16_t))); break;
    default: break; /* the narrow floats: their values are not known */
    }
    return scalar;
}
