/* Follows a byte of global memory: which copies bring it to shared memory, and what reads it there.
 *
 * A copy that moves the byte says where it is put, after the swizzle. From then on, accesses of
 * threads and operations of asynchronous units that read this place are noted, until something else
 * is written there. What threads copy through registers is not followed: its trail ends with the
 * load from global memory. One lock guards the list, because clusters run on several host
 * threads. */
#ifndef GG_EMU_FOLLOW_H
#define GG_EMU_FOLLOW_H

#include "emu/async.h"
#include "emu/report.h"

typedef struct emu_follow emu_follow;

gg_status emu_follow_open(emu_follow **out, uint64_t address, gg_error *err);
void emu_follow_close(emu_follow *follow); /* NULL is allowed */
/* What has happened, an array of JSON objects. */
void emu_follow_json(gg_str *out, emu_follow *follow);

/* Called when an operation has copied `bytes` from `address` to a place. `at` has the `rank`
 * coordinates of a tensor copy's box. If `address` is 0, the bytes are from nowhere in memory. */
void emu_follow_copied(const emu_async *async, emu_place to, uint64_t address, uint32_t bytes,
                       const int32_t *at, int rank);
/* Called when lanes of a warp read or write, if the launch follows a byte. */
void emu_follow_access(const emu_bank_access *a, const emu_places *places);
/* Called when an operation has landed, and so has read its spans. */
void emu_follow_landed(const emu_async *async);
/* Called when the cluster is about to go, and its shared memory with it. */
void emu_follow_cluster(const emu_cluster *cluster);

#endif
