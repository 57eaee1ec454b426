/* libascendcl and libacl_rt: the sizes of types, and float16. */
#include <math.h>
#include <string.h>

#include "core/sim.h"

size_t aclDataTypeSize(aclDataType dataType) { return sim_type_size(dataType); }

/* No pattern stands for an infinity or for no number: the largest exponent is one like any other. */
float aclFloat16ToFloat(aclFloat16 value) {
    const int exponent = value >> 10 & 0x1F;
    const int fraction = value & 0x3FF;
    const float size = exponent == 0 ? ldexpf((float)fraction, -24) : ldexpf((float)(fraction + 0x400), exponent - 25);
    return (value & 0x8000) != 0 ? -size : size;
}

/* Rounds to nearest, ties to even; what is too large, infinite or no number becomes the largest one of its sign. */
aclFloat16 aclFloatToFloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const aclFloat16 sign = (aclFloat16)(bits >> 16 & 0x8000);
    const float size = fabsf(value);
    if (!(size < 65504.0f)) {
        return sign | 0x7BFF;
    }
    int exponent = 0;
    frexpf(size, &exponent);
    const int unit = size == 0 || exponent < -13 ? -24 : exponent - 11; /* of the last place */
    const long places = lrintf(ldexpf(size, -unit));
    /* A carry into the next power of two is one more in the exponent, which is what the addition makes of it. */
    return (aclFloat16)(sign | (places + (unit > -24 ? (long)(unit + 24) << 10 : 0)));
}
