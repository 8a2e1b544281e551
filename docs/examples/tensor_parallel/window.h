/* Windows: memory of each rank's GPU that the other ranks' GPUs copy to. They are CUDA's shared
 * memory between processes of one host (cuIpcOpenMemHandle), and a few numbers behind it are flags:
 * a rank posts one when what it has copied is all there, and the window's owner has its stream wait
 * for that. No kernel of a collective runs, so that products have all multiprocessors.
 *
 * All ranks call the same functions in the same order. Where ranks compute in gemmgen's emulator,
 * or share a GPU, the host carries what is posted. */
#ifndef WINDOW_H
#define WINDOW_H

#include "device.h"
#include "world.h"

typedef struct windows windows;

enum { WINDOW_FLAGS = 64 }; /* of each rank that writes */

/* `bytes` bytes of each rank. */
windows *windows_open(device *device, const world *world, int64_t bytes, int over_host);
void windows_close(windows *windows);

/* Whether the ranks' GPUs reach each other's memory: of all ranks, or of none. */
int windows_reach(const windows *windows);

/* Where the window of the rank `shift` ranks on lies for this one's GPU; 0: its own. */
uint64_t window_at(const windows *windows, int shift);

/* Begins another round: every flag is posted once in it, and awaited once. */
void windows_begin(windows *windows);

/* Copies to the window of the rank `shift` ranks on. */
void window_copy(windows *windows, int shift, int64_t offset, uint64_t from, int64_t bytes,
                 stream on);

/* `bytes` bytes at `offset` of the window `shift` ranks on are as this rank wants them, once what
 * is on the stream has been done. */
void window_post(windows *windows, int shift, int flag, int64_t offset, int64_t bytes, stream on);

/* What is put on the stream later waits for the rank `shift` ranks on to have posted. */
void window_await(windows *windows, int shift, int flag, stream on);

#endif
