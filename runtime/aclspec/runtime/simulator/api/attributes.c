/* libascendcl and libacl_rt: the attributes of operators that are called by their type. No such operator that the simulator
 * computes reads one, so that they are checked and not kept. */
#include "core/objects.h"

aclopAttr *aclopCreateAttr(void) {
    SIM_ENTER_POINTER;
    aclopAttr *attr = sim_create(site, SIM_ATTR, sizeof *attr, NULL);
    if (attr == NULL) {
        sim_fail(site, ACL_ERROR_BAD_ALLOC, "There is no memory for attributes.");
    }
    return attr;
}

void aclopDestroyAttr(const aclopAttr *attr) {
    SIM_SITE;
    if (attr != NULL && sim_check(site, SIM_ATTR, attr, ACL_ERROR_INVALID_PARAM) == 0) {
        sim_retire(attr);
    }
}

static int check(const sim_site *site, const aclopAttr *attr, const char *name) {
    if (attr == NULL || name == NULL) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The %s null.", attr == NULL ? "attributes are" : "name of the attribute is");
    }
    return sim_check(site, SIM_ATTR, attr, ACL_ERROR_INVALID_PARAM);
}

static int check_list(const sim_site *site, const aclopAttr *attr, const char *name, int count, const void *values) {
    const int code = check(site, attr, name);
    if (code == 0 && (count < 0 || (count > 0 && values == NULL))) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The list of the attribute %s is null or has %d values.", name, count);
    }
    return code;
}

#define ONE(function, type)                                                                                            \
    aclError function(aclopAttr *attr, const char *attrName, type attrValue) {                                         \
        SIM_ENTER;                                                                                                     \
        (void)attrValue;                                                                                               \
        return check(site, attr, attrName);                                                                            \
    }
#define LIST(function, type)                                                                                           \
    aclError function(aclopAttr *attr, const char *attrName, int numValues, type values) {                             \
        SIM_ENTER;                                                                                                     \
        return check_list(site, attr, attrName, numValues, (const void *)values);                                      \
    }

ONE(aclopSetAttrBool, uint8_t)
ONE(aclopSetAttrInt, int64_t)
ONE(aclopSetAttrFloat, float)
ONE(aclopSetAttrString, const char *)
ONE(aclopSetAttrDataType, aclDataType)
LIST(aclopSetAttrListBool, const uint8_t *)
LIST(aclopSetAttrListInt, const int64_t *)
LIST(aclopSetAttrListFloat, const float *)
LIST(aclopSetAttrListString, const char **)
LIST(aclopSetAttrListDataType, const aclDataType *)

aclError aclopSetAttrListListInt(aclopAttr *attr, const char *attrName, int numLists, const int *numValues,
                                 const int64_t *const values[]) {
    SIM_ENTER;
    const int code = check_list(site, attr, attrName, numLists, values);
    return code != 0 ? code : check_list(site, attr, attrName, numLists, numValues);
}
