/* Which product the calls run on. */
#include <string.h>

#include "layer.h"

static atomic_int known = -1;

static bool is_soc(const char *pattern, const char *name) {
    const size_t length = strlen(pattern);
    return pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0 : strcmp(pattern, name) == 0;
}

/* The product with this key or SoC name, -1 for none. */
static int product_of(const char *name) {
    for (int at = 0; aclspec_products[at] != NULL; at++) {
        if (strcmp(aclspec_products[at], name) == 0) {
            return at;
        }
    }
    for (const layer_name *soc = layer_socs; soc->name != NULL; soc++) {
        if (is_soc(soc->name, name)) {
            return soc->number;
        }
    }
    return -1;
}

static int of_device(void) {
    const char *(*soc_name)(void) = (const char *(*)(void))layer_real(LAYER_aclrtGetSocName);
    if (soc_name == NULL) {
        return -1;
    }
    layer_depth++;
    const char *name = soc_name();
    layer_depth--;
    return name != NULL ? product_of(name) : -1;
}

int layer_product(bool *assumed) {
    int product = known;
    if (product < 0) {
        product = layer_is.product != NULL ? product_of(layer_is.product) : of_device();
        if (product < 0 && layer_is.product != NULL) {
            layer_say_line(LAYER_TEXT("The value of ACLSPEC_PRODUCT (%s) is neither a product nor a SoC name; the device is asked.",
                                      "ACLSPEC_PRODUCT 的值（%s）既不是产品也不是 SoC 名称；改为询问设备。"), layer_is.product);
            layer_is.product = NULL;
            product = of_device();
        }
        known = product; /* -1: it is asked again, since the program may not have set its device yet */
    }
    *assumed = product < 0;
    return product < 0 ? LAYER_DEFAULT_PRODUCT : product;
}
