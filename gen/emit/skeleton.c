#include "emit/skeleton.h"

const gg_skeleton gg_skeletons[GG_TARGET_COUNT] = {
    [GG_TARGET_NAIVE] = {"naive.cu", gg_naive_bind, gg_naive_steps, 8, 8, "operands"},
    [GG_TARGET_SIMT] = {"simt_multistage.cu", gg_simt_bind, gg_simt_steps, 1, 2, "of"},
    [GG_TARGET_SM120] = {"sm90_warp_specialised.cu", gg_sm90_bind, gg_sm90_steps, 8, 8,
                         "arg.operands"},
    [GG_TARGET_SM100] = {"sm100_warp_specialised.cu", gg_sm90_bind, gg_sm100_steps, 8, 8,
                         "arg.operands"},
    [GG_TARGET_SM90] = {"sm90_warp_specialised.cu", gg_sm90_bind, gg_sm90_steps, 8, 8,
                        "arg.operands"},
    [GG_TARGET_SM90_MULTISTAGE] = {"sm90_multistage.cu", gg_sm90_bind, gg_sm90_multistage_steps, 8,
                                   8, "arg.operands"},
    [GG_TARGET_SM80] = {"sm80_multistage.cu", gg_sm80_bind, gg_sm80_steps, 8, 8, "of"},
};
