/* Decoders of asynchronous instructions that share an opcode with others, which hand over to them
 * with the opcode's modifiers taken as said. */
#ifndef GG_EMU_ASYNC_DECODERS_H
#define GG_EMU_ASYNC_DECODERS_H

#include "emu/decode.h"

emu_decode emu_decode_bulk;            /* cp.async.bulk, cp.reduce.async.bulk; async, bulk and
                                        * reduce are taken */
emu_decode emu_decode_tensor_copy;     /* the same with .tensor taken too */
emu_decode emu_decode_store_async;     /* st.async; async is taken */
emu_decode emu_decode_reduce_async;    /* red.async; async is taken */
emu_decode emu_decode_cluster_barrier; /* barrier.cluster; cluster is taken */

#endif
