/* Frames: register files and local memory of running functions, and special registers.
 *
 * At first a register file's registers are zeros, and its constants are the function's image. Then
 * what depends on the warp and the lane is filled in. A warp's next calls of the same function use
 * its frames again. */
#include <string.h>

#include "base/alloc.h"
#include "emu/memory.h"
#include "emu/state.h"

enum { file_alignment = 64 };

static uint64_t cta_rank_axis(const emu_cta *cta, int axis) {
  const unsigned *cluster = cta->cluster->run->cluster;
  return axis == 0   ? cta->rank % cluster[0]
         : axis == 1 ? cta->rank / cluster[0] % cluster[1]
                     : cta->rank / cluster[0] / cluster[1];
}

static uint64_t thread_axis(const emu_warp *warp, int lane, int axis) {
  const unsigned *block = warp->cta->cluster->run->config->block;
  uint64_t thread = (uint64_t)warp->index * EMU_LANES + (uint64_t)lane;
  return axis == 0   ? thread % block[0]
         : axis == 1 ? thread / block[0] % block[1]
                     : thread / block[0] / block[1];
}

static uint64_t launch_special(const emu_run *run, ptx_special special) {
  const emu_launch_config *config = run->config;
  const struct emu_run_state *state = run->state;
  switch (special) {
  case PTX_SPECIAL_NTID_X:
  case PTX_SPECIAL_NTID_Y:
  case PTX_SPECIAL_NTID_Z:
    return config->block[special - PTX_SPECIAL_NTID_X];
  case PTX_SPECIAL_NCTAID_X:
  case PTX_SPECIAL_NCTAID_Y:
  case PTX_SPECIAL_NCTAID_Z:
    return config->grid[special - PTX_SPECIAL_NCTAID_X];
  case PTX_SPECIAL_NCLUSTERID_X:
  case PTX_SPECIAL_NCLUSTERID_Y:
  case PTX_SPECIAL_NCLUSTERID_Z:
    return state->clusters[special - PTX_SPECIAL_NCLUSTERID_X];
  case PTX_SPECIAL_CLUSTER_NCTAID_X:
  case PTX_SPECIAL_CLUSTER_NCTAID_Y:
  case PTX_SPECIAL_CLUSTER_NCTAID_Z:
    return run->cluster[special - PTX_SPECIAL_CLUSTER_NCTAID_X];
  case PTX_SPECIAL_CLUSTER_NCTARANK:
    return (uint64_t)run->cluster[0] * run->cluster[1] * run->cluster[2];
  case PTX_SPECIAL_NWARPID:
    return ((uint64_t)config->block[0] * config->block[1] * config->block[2] + EMU_LANES - 1) /
           EMU_LANES;
  case PTX_SPECIAL_NSMID:
    return state->multiprocessors;
  case PTX_SPECIAL_GRIDID:
    return 1;
  case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
    return run->clustered;
  case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
  case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP:
    return EMU_SHARED_RESERVED;
  case PTX_SPECIAL_RESERVED_SMEM_OFFSET_1:
    return EMU_SHARED_GROUPS;
  case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    return state->shared_bytes;
  case PTX_SPECIAL_AGGR_SMEM_SIZE:
    return state->shared_bytes + EMU_SHARED_RESERVED;
  case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
    return config->smem_bytes;
  case PTX_SPECIAL_ENVREG1:
    return state->workspace ? state->workspace->base >> 32 : 0;
  case PTX_SPECIAL_ENVREG2:
    return state->workspace ? (uint32_t)state->workspace->base : 0;
  default:
    return 0;
  }
}

uint64_t emu_special_value(const emu_warp *warp, ptx_special special, int lane) {
  const emu_cta *cta = warp->cta;
  const emu_run *run = cta->cluster->run;
  uint64_t time = cta->cluster->time;
  switch (special) {
  case PTX_SPECIAL_TID_X:
  case PTX_SPECIAL_TID_Y:
  case PTX_SPECIAL_TID_Z:
    return thread_axis(warp, lane, (int)(special - PTX_SPECIAL_TID_X));
  case PTX_SPECIAL_LANEID:
    return (uint64_t)lane;
  case PTX_SPECIAL_WARPID:
    return (uint64_t)warp->index;
  case PTX_SPECIAL_CTAID_X:
  case PTX_SPECIAL_CTAID_Y:
  case PTX_SPECIAL_CTAID_Z:
    return cta->id[special - PTX_SPECIAL_CTAID_X];
  case PTX_SPECIAL_SMID:
    return emu_seat_multiprocessor(&cta->cluster->state->seat, cta->rank);
  case PTX_SPECIAL_CLUSTERID_X:
  case PTX_SPECIAL_CLUSTERID_Y:
  case PTX_SPECIAL_CLUSTERID_Z:
    return cta->id[special - PTX_SPECIAL_CLUSTERID_X] /
           run->cluster[special - PTX_SPECIAL_CLUSTERID_X];
  case PTX_SPECIAL_CLUSTER_CTAID_X:
  case PTX_SPECIAL_CLUSTER_CTAID_Y:
  case PTX_SPECIAL_CLUSTER_CTAID_Z:
    return cta_rank_axis(cta, (int)(special - PTX_SPECIAL_CLUSTER_CTAID_X));
  case PTX_SPECIAL_CLUSTER_CTARANK:
    return cta->rank;
  case PTX_SPECIAL_LANEMASK_EQ:
    return UINT32_C(1) << lane;
  case PTX_SPECIAL_LANEMASK_LE:
    return (UINT64_C(2) << lane) - 1;
  case PTX_SPECIAL_LANEMASK_LT:
    return (UINT64_C(1) << lane) - 1;
  case PTX_SPECIAL_LANEMASK_GE:
    return UINT32_MAX << lane;
  case PTX_SPECIAL_LANEMASK_GT:
    return (uint32_t)(UINT64_C(0xfffffffe) << lane);
  case PTX_SPECIAL_CLOCK:
  case PTX_SPECIAL_CLOCK64:
  case PTX_SPECIAL_GLOBALTIMER:
  case PTX_SPECIAL_GLOBALTIMER_LO:
    return time;
  case PTX_SPECIAL_CLOCK_HI:
  case PTX_SPECIAL_GLOBALTIMER_HI:
    return time >> 32;
  default:
    return launch_special(run, special);
  }
}

/* The value of a late constant for a lane. */
static uint64_t late_value(const emu_warp *warp, const emu_frame *frame, const emu_late *late,
                           int lane) {
  const emu_kernel *kernel = warp->cta->cluster->run->kernel;
  switch (late->kind) {
  case EMU_LATE_SPECIAL:
    return emu_special_value(warp, (ptx_special)late->value, lane);
  case EMU_LATE_SHARED:
    return ((uint64_t)warp->cta->rank << EMU_SHARED_RANK_SHIFT) +
           (kernel->shared[late->value] + EMU_SHARED_RESERVED) + (uint64_t)late->addend;
  default:
    return frame->locals.base + (uint64_t)late->addend;
  }
}

static void fill_late(const emu_warp *warp, const emu_frame *frame, const emu_late *late) {
  uint8_t *slot = frame->registers + late->offset;
  uint32_t mask = 0;
  for (int lane = 0; lane < EMU_LANES; lane++) {
    uint64_t value = late_value(warp, frame, late, lane);
    if (!late->lane_bytes) {
      mask |= (uint32_t)(value & 1) << lane;
    } else {
      memcpy(slot + lane * late->lane_bytes, &value, late->lane_bytes < 8 ? late->lane_bytes : 8);
    }
  }
  if (!late->lane_bytes) memcpy(slot, &mask, sizeof(mask));
}

/* Takes a spare frame of the function, or a new one. */
static emu_frame *take_frame(struct emu_warp_state *state, const emu_function *function) {
  for (emu_frame **at = &state->spare; *at; at = &(*at)->caller) {
    emu_frame *frame = *at;
    if (frame->function != function) continue;
    *at = frame->caller;
    return frame;
  }
  size_t locals = (size_t)function->local_bytes * EMU_LANES;
  emu_frame *frame = gg_malloc(sizeof(*frame));
  uint8_t *memory = gg_malloc(file_alignment + function->file_bytes + locals);
  if (!frame || !memory) {
    gg_free(frame);
    gg_free(memory);
    return NULL;
  }
  size_t off = (size_t)(-(uintptr_t)memory & (file_alignment - 1));
  *frame = (emu_frame){.function = function, .memory = memory, .registers = memory + off};
  frame->locals = (emu_bank){.kind = &emu_bank_local,
                             .size = locals,
                             .bytes = frame->registers + function->file_bytes,
                             .complete = true};
  return frame;
}

emu_frame *emu_frame_open(emu_warp *warp, const emu_function *function, emu_frame *caller,
                          const emu_op *call, uint32_t lanes) {
  emu_frame *frame = take_frame(warp->state, function);
  if (!frame) return NULL;
  frame->caller = caller;
  frame->call = call;
  frame->lanes = lanes;
  frame->depth = caller ? caller->depth + 1 : 0;
  frame->locals.base =
      caller ? (caller->locals.base + caller->function->local_bytes + 15) & ~(uint64_t)15
             : EMU_LOCAL_BASE;
  memset(frame->registers, 0, function->register_bytes);
  memcpy(frame->registers + function->register_bytes, function->image,
         function->file_bytes - function->register_bytes);
  for (uint32_t i = 0; i < function->late_count; i++) {
    fill_late(warp, frame, &function->late[i]);
  }
  return frame;
}

void emu_frame_close(emu_warp *warp, emu_frame *frame) {
  frame->caller = warp->state->spare;
  warp->state->spare = frame;
}

void emu_frames_free(emu_frame *frame) {
  while (frame) {
    emu_frame *next = frame->caller;
    gg_free(frame->memory);
    gg_free(frame);
    frame = next;
  }
}

bool emu_frame_find(emu_place *out, emu_frame *frame, int lane, uint64_t address, uint64_t bytes) {
  while (frame && address < frame->locals.base) {
    frame = frame->caller;
  }
  if (!frame) return false;
  uint64_t offset = address - frame->locals.base, size = frame->function->local_bytes;
  if (bytes > size || offset > size - bytes) return false;
  *out = (emu_place){&frame->locals, (uint64_t)lane * size + offset};
  return true;
}
