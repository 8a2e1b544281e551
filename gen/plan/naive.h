/* Family naive. */
#ifndef GG_PLAN_NAIVE_H
#define GG_PLAN_NAIVE_H

#include "plan/target.h"

extern const gg_target gg_target_naive; /* naive.c */

#endif
