/* The families, in order of preference. */
#include "plan/naive.h"
#include "plan/sm80.h"
#include "plan/sm90.h"

const gg_target *const gg_targets[] = {
    &gg_target_naive, &gg_target_sm90, &gg_target_sm90_multistage, &gg_target_sm80, NULL,
};
