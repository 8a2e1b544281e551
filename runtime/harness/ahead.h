/* A launch ahead of a trial's, for the emulator's race detector: it reads and writes again all that
 * the trial's launch may read or write, but for the workspace, whose counters launches hand on by a
 * protocol of their own. The next launch may begin as soon as it has. */
#ifndef GG_HARNESS_AHEAD_H
#define GG_HARNESS_AHEAD_H

#include "trial.h"

/* Nothing where the trial's launch waits for the one ahead anyway. The context is an emulated one.
 */
gg_status gg_trial_go_ahead(const gg_trial *trial, struct CUstream_st *stream, gg_error *err);

#endif
