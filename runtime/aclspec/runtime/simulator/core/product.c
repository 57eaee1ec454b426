/* Which product the simulator is: ACLSPEC_SOC, else ACLSPEC_PRODUCT, else the default, until the program says otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "internal.h"

static const sim_soc socs[] = SIM_SOCS;
static const char *const standard[][2] = SIM_STANDARD_SOCS; /* a product, and the SoC that stands for it */
static char chosen[64];

static const sim_soc *find(const char *name) {
    for (size_t at = 0; at < sizeof socs / sizeof *socs; at++) {
        const size_t length = strlen(socs[at].name);
        const bool prefix = socs[at].name[length - 1] == '*';
        if (prefix ? strncmp(name, socs[at].name, length - 1) == 0 : strcmp(name, socs[at].name) == 0) {
            return &socs[at];
        }
    }
    return NULL;
}

/* The SoC name that a product's key or a SoC name means; NULL for neither. */
static const char *soc_of(const char *name) {
    for (size_t at = 0; at < sizeof standard / sizeof *standard; at++) {
        if (strcmp(name, standard[at][0]) == 0) {
            return standard[at][1];
        }
    }
    return find(name) != NULL ? name : NULL;
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *refuse(const sim_site *site, const char *sentence, const char *one, const char *other) {
    char text[512];
    snprintf(text, sizeof text, sentence, one, other);
    sim_say("%s", text);
    sim_fail(site, ACL_ERROR_INTERNAL_ERROR, "%s", text);
    return NULL;
}

static const char *from_environment(const sim_site *site) {
    const char *soc = variable("ACLSPEC_SOC"), *product = variable("ACLSPEC_PRODUCT");
    const char *by_soc = soc != NULL ? soc_of(soc) : NULL;
    const char *by_product = product != NULL ? soc_of(product) : NULL;
    if (soc != NULL && by_soc == NULL) {
        return refuse(site, "The value of the environment variable ACLSPEC_SOC (%s) is not a SoC name%s.", soc, "");
    }
    if (product != NULL && by_product == NULL) {
        return refuse(site, "The value of the environment variable ACLSPEC_PRODUCT (%s) is neither a product nor a SoC name%s.",
                      product, "");
    }
    if (by_soc != NULL && by_product != NULL && strcmp(find(by_soc)->product, find(by_product)->product) != 0) {
        return refuse(site,
                      "The environment variables ACLSPEC_SOC (%s) and ACLSPEC_PRODUCT (%s) name two different products.", soc,
                      product);
    }
    return by_soc != NULL ? by_soc : by_product != NULL ? by_product : SIM_DEFAULT_SOC;
}

const char *sim_soc_name(const sim_site *site) {
    static __thread char answer[sizeof chosen];
    sim_lock();
    memcpy(answer, chosen, sizeof answer);
    sim_unlock();
    if (answer[0] != '\0') {
        return answer;
    }
    const char *name = from_environment(site);
    if (name == NULL) {
        return NULL;
    }
    snprintf(answer, sizeof answer, "%s", name);
    return answer;
}

const sim_soc *sim_current_soc(const sim_site *site) {
    const char *name = sim_soc_name(site);
    return name != NULL ? find(name) : NULL;
}

/* NULL or an empty name: what the environment says. */
int sim_set_soc(const sim_site *site, const char *name) {
    const char *soc = name != NULL && name[0] != '\0' ? soc_of(name) : "";
    if (soc == NULL || strlen(soc) >= sizeof chosen) {
        return sim_fail(site, ACL_ERROR_INVALID_PARAM, "The name (%s) is neither a product nor a SoC name.", name);
    }
    sim_lock();
    memset(chosen, 0, sizeof chosen);
    memcpy(chosen, soc, strlen(soc));
    sim_unlock();
    return 0;
}
