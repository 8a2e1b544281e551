/* The timeline's parts: trace.c writes it, trace_names.c says what things in it are called. */
#ifndef GG_EMU_TRACE_H
#define GG_EMU_TRACE_H

#include "emu/async.h"
#include "emu/async/mbarrier.h"
#include "emu/state.h"

/* ---- trace.c ---------------------------------------------------------------------------- */

/* Called when a warp begins a turn, and after it, when the warp may wait, or have ended. These, and
 * what follows, do nothing if there is no trace. */
void emu_trace_run(emu_warp *warp);
void emu_trace_stop(emu_warp *warp);
/* Called when an operation has landed. */
void emu_trace_landed(const emu_async *async);
/* Called when the warp has allocated columns of its CTA's tensor memory, and when it has freed
 * them; the first returns a number for the second. `all` columns of the CTA are allocated now. */
uint64_t emu_trace_allocated(emu_warp *warp, const emu_op *op, int first, int columns, int all);
void emu_trace_freed(emu_warp *warp, uint64_t number, int first, int columns, int all);
/* Called when the cluster is about to go. Writes what its warps did last. */
void emu_trace_cluster(emu_cluster *cluster);

/* ---- trace_names.c ---------------------------------------------------------------------- */

/* "gemm, integers: CTA (0, 1, 0)". */
void emu_name_cta(gg_str *out, const emu_cta *cta);
/* "consumer 1, warp 5"; "warp 5" if its role has no name. */
void emu_name_warp(gg_str *out, const emu_warp *warp);
/* What a warp did (its role), or what it waited for: "full[2]", "barrier 0", an instruction. */
void emu_name_slice(gg_str *out, const emu_warp *warp, const emu_slice *slice);
/* The name of a part of shared memory: "stages[2]"; nothing if it has none. */
void emu_name_part(gg_str *out, const emu_warp *warp, uint32_t offset);
/* The mbarrier that it waited for; NULL: none, or several. */
const emu_mbarrier *emu_trace_mbarrier(const emu_warp *warp, const emu_slice *slice);
/* "4 cp.async.bulk.tensor.3d, full[2]", "m64n256k16". */
void emu_name_landed(gg_str *out, const emu_warp *warp, const emu_landed *landed);
/* "gemm.cu:41"; nothing without .loc. */
void emu_name_source(gg_str *out, const emu_warp *warp, const emu_op *op);

#endif
