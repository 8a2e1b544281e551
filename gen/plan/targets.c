/* The targets by their numbers, which are in order of preference. */
#include "plan/naive.h"
#include "plan/simt.h"
#include "plan/sm100.h"
#include "plan/sm120.h"
#include "plan/sm80.h"
#include "plan/sm90.h"

const gg_target *const gg_targets[] = {
    [GG_TARGET_NAIVE] = &gg_target_naive, [GG_TARGET_SIMT] = &gg_target_simt,
    [GG_TARGET_SM120] = &gg_target_sm120, [GG_TARGET_SM100] = &gg_target_sm100,
    [GG_TARGET_SM90] = &gg_target_sm90,   [GG_TARGET_SM90_MULTISTAGE] = &gg_target_sm90_multistage,
    [GG_TARGET_SM80] = &gg_target_sm80,   [GG_TARGET_COUNT] = NULL,
};
