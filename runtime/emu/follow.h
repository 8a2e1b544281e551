/* Where a byte of global memory goes: the copies that bring it to shared memory, and what reads it
 * there.
 *
 * A copy that moves the byte tells its place, swizzled as it is; from then on accesses of threads
 * and operations of asynchronous units that read this place are told, until something else is
 * written there. What threads bring through registers is not followed: its trail ends with the load
 * from global memory. One lock guards the list, as clusters run on several host threads. */
#ifndef GG_EMU_FOLLOW_H
#define GG_EMU_FOLLOW_H

#include "emu/async.h"
#include "emu/report.h"

typedef struct emu_follow emu_follow;

gg_status emu_follow_open(emu_follow **out, uint64_t address, gg_error *err);
void emu_follow_close(emu_follow *follow); /* NULL is allowed */
/* What has happened, an array of JSON objects. */
void emu_follow_json(gg_str *out, emu_follow *follow);

/* `bytes` from `address` have been copied to a place by an operation of some warp's; `at`: the
 * coordinates of a tensor copy's box, `rank` of them. An `address` of 0: other bytes, no memory's.
 */
void emu_follow_copied(const emu_async *async, emu_place to, uint64_t address, uint32_t bytes,
                       const int32_t *at, int rank);
/* Lanes of a warp read or write; the launch follows a byte. */
void emu_follow_access(const emu_bank_access *a, const emu_places *places);
/* The operation has landed: it has read its spans. */
void emu_follow_landed(const emu_async *async);
/* The cluster is about to go, and its shared memory with it. */
void emu_follow_cluster(const emu_cluster *cluster);

#endif
