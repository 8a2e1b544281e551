/* The families, in order of preference. */
#include "plan/sm80.h"

const gg_target *const gg_targets[] = {
    &gg_target_sm80,
    NULL,
};
