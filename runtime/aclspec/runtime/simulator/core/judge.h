/* Phase one judges a call by the checks in C. */
#ifndef ACLSPEC_JUDGE_H
#define ACLSPEC_JUDGE_H

#include "aclspec_checks.h"
#include "phases.h"

/* A copy of the values of a call, in one piece from malloc; NULL where there is no memory. */
sim_value *sim_keep(const sim_operator *op, const sim_value *values);
/* The values that an executor keeps, as the checks take them, in one piece from malloc; NULL where there is no memory. */
aclspec_argument *sim_arguments(const aclOpExecutor *call);
/* Two outputs of a call that have an element in common, by the numbers of their slots. The memory of the call is held. */
typedef struct sim_overlap {
    size_t one, before;
} sim_overlap;
bool sim_find_overlap(const aclOpExecutor *call, sim_overlap *found);
/* Crash, hang or leak where a planted fault says so. */
void sim_suffer(const aclOpExecutor *call);
/* Judge a call on a product: 0, with the workspace and the effect noted in it, or the recorded failure. The memory of the
 * call is held. */
int sim_judge(const sim_site *site, aclOpExecutor *call, const char *product);

#endif
