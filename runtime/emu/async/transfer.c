/* Bulk copies: what TMA does, for plain bytes and for boxes of tensors.
 *
 * A copy into shared memory is one operation for each CTA that gets it, completed by that CTA's
 * mbarrier. A copy out of it is two, one after the other: the first reads shared memory, which is
 * what wait_group.read waits for; the second writes global memory. Both belong to the bulk group
 * that the issuing lane commits next. (PTX ISA, "Data Movement and Conversion Instructions: Bulk
 * copy" and "Tensor copy".) */
#include "emu/async/transfer.h"

#include <string.h>

#include "base/alloc.h"
#include "emu/follow.h"
#include "emu/number/float.h"
#include "emu/report.h"

enum { row_bytes_max = 256 * 8, piece_most = 16 };

typedef struct operation {
  emu_async base;
  emu_transfer transfer;
  emu_span to, from;
  emu_mbarrier *barrier;
  uint8_t *image; /* what was read of shared memory: bytes, then marks */
} operation;

static void drop(emu_async *self) {
  operation *o = (operation *)self;
  gg_free(o->image);
  gg_free(o);
}

static operation *new_operation(const emu_transfer *transfer) {
  operation *o = gg_malloc(sizeof *o);
  if (!o) {
    emu_async_no_memory(transfer->warp, transfer->op);
    return NULL;
  }
  *o = (operation){.base = {.warp = transfer->warp,
                            .op = transfer->op,
                            .lanes = 1u << transfer->lane,
                            .proxy = EMU_PROXY_ASYNC,
                            .trusting = !transfer->warp->cta->cluster->run->fences,
                            .binds = true,
                            .unit = transfer->tensor ? "TMA" : "bulk copy",
                            .drop = drop},
                   .transfer = *transfer};
  return o;
}

uint64_t emu_transfer_span(const emu_transfer *transfer) {
  return transfer->tensor ? emu_box_span(&transfer->map) : transfer->bytes;
}

static emu_box box_of(const emu_transfer *transfer) {
  emu_box box = {.map = &transfer->map, .rows = transfer->four ? transfer->rows : NULL};
  memcpy(box.at, transfer->at, sizeof box.at);
  return box;
}

uint64_t emu_transfer_span_read(const emu_transfer *transfer) {
  if (!transfer->tensor) return transfer->bytes;
  emu_box box = box_of(transfer);
  return emu_box_span_inside(&box);
}

uint64_t emu_transfer_bytes(const emu_transfer *transfer) {
  return transfer->tensor ? emu_tensor_map_box_bytes(&transfer->map) : transfer->bytes;
}

/* ---- Rows ------------------------------------------------------------------------------- */

/* A copy out of shared memory ends where the tensor does, however large the box is. */
static uint32_t rows_read(const emu_transfer *transfer) {
  if (!transfer->tensor) return 1;
  emu_box box = box_of(transfer);
  return (uint32_t)emu_box_rows_inside(&box);
}

static void row_at(emu_box_row *out, const emu_transfer *transfer, uint32_t index) {
  if (!transfer->tensor) {
    *out = (emu_box_row){.bytes = transfer->bytes,
                         .shared_bytes = transfer->bytes,
                         .inside = transfer->bytes,
                         .address = transfer->address};
    return;
  }
  emu_box box = box_of(transfer);
  emu_box_row_at(out, &box, index);
}

/* The host address of a row's bytes that are inside the tensor; NULL after a fault. */
static uint8_t *row_memory(const emu_transfer *transfer, const emu_box_row *row, bool write) {
  emu_device *device = transfer->warp->cta->cluster->run->device;
  uint8_t *memory = emu_global(device, row->address, row->inside, write);
  unsigned intent = !write              ? EMU_READ
                    : transfer->reduces ? EMU_READ | EMU_WRITE | EMU_STRONG
                                        : EMU_WRITE;
  if (memory) {
    bool ordered = emu_beside_span(transfer->warp, transfer->op, transfer->lane, transfer->order,
                                   row->address, row->inside, intent);
    return ordered ? memory : NULL;
  }
  gg_str why = GG_STR_INIT;
  emu_global_explain(&why, device, row->address, row->inside);
  emu_fault(transfer->warp, transfer->op, transfer->lane, GG_E_EMU_BOUNDS, "%s %s",
            write ? "writes to" : "reads from", gg_str_text(&why));
  gg_str_free(&why);
  return NULL;
}

/* A row of a box as it is in shared memory, without the swizzle. */
typedef struct row_image {
  uint8_t bytes[row_bytes_max];
  uint8_t written[row_bytes_max];
} row_image;

/* Fills a row with what elements out of bounds have: zero, or 0x7ff7 in every 16 bits, whatever the
 * type (seen on the H200). */
static void fill(row_image *image, const emu_tensor_map *map, uint32_t bytes) {
  memset(image->bytes, 0, bytes);
  memset(image->written, 1, bytes);
  if (map->fill != EMU_FILL_NAN) return;
  for (uint32_t i = 0; i < bytes; i++)
    image->bytes[i] = i & 1 ? 0x7f : 0xf7;
}

/* f32 is rounded to tf32 on the way in. Types that flush subnormals do so only in reductions (seen
 * on the H200). */
static void convert(uint8_t *bytes, uint32_t count, emu_tensor_type type) {
  bool round = type == EMU_TENSOR_TF32 || type == EMU_TENSOR_TF32_FTZ;
  for (uint32_t i = 0; round && i + 4 <= count; i += 4) {
    uint32_t bits;
    memcpy(&bits, bytes + i, 4);
    bits = emu_narrow(&emu_tf32, emu_f32_value(bits, 0), EMU_RN);
    memcpy(bytes + i, &bits, 4);
  }
}

/* The bytes of global memory that are spread over 16 bytes of shared memory. */
static uint32_t packed_bytes(const emu_tensor_map *map) {
  return 2 * emu_tensor_type_bits(map->type);
}

/* Spreads packed elements: each group goes to the first of 16 bytes. Nobody may rely on the bytes
 * between, but they count as written, because whoever reads elements reads 16 bytes. */
static void spread(row_image *image, const emu_tensor_map *map, uint32_t bytes) {
  uint32_t packed = packed_bytes(map), pieces = bytes / packed;
  for (uint32_t i = pieces; i-- > 0;) {
    memmove(image->bytes + (size_t)i * piece_most, image->bytes + (size_t)i * packed, packed);
    memmove(image->written + (size_t)i * piece_most, image->written + (size_t)i * packed, packed);
    memset(image->bytes + (size_t)i * piece_most + packed, 0xff, piece_most - packed);
    memset(image->written + (size_t)i * piece_most + packed, 1, piece_most - packed);
  }
}

/* The reverse. */
static void pack(row_image *image, const emu_tensor_map *map, uint32_t bytes) {
  uint32_t packed = packed_bytes(map), pieces = bytes / packed;
  for (uint32_t i = 0; i < pieces; i++) {
    memmove(image->bytes + (size_t)i * packed, image->bytes + (size_t)i * piece_most, packed);
    memmove(image->written + (size_t)i * packed, image->written + (size_t)i * piece_most, packed);
  }
}

static bool read_row(row_image *image, const emu_transfer *transfer, const emu_box_row *row) {
  fill(image, &transfer->map, row->bytes);
  if (!row->inside) return true;
  const uint8_t *memory = row_memory(transfer, row, false);
  if (!memory) return false;
  emu_device *device = transfer->warp->cta->cluster->run->device;
  memcpy(image->bytes + row->lead, memory, row->inside);
  convert(image->bytes + row->lead, row->inside, transfer->map.type);
  if (emu_global_written(device, row->address, row->inside)) return true;
  for (uint32_t i = 0; i < row->inside; i++)
    image->written[row->lead + i] = emu_global_written(device, row->address + i, 1);
  return true;
}

/* Whether a swizzle separates the halves of 16 bytes. */
static bool halves_apart(const emu_tensor_map *map) {
  return map->swizzle == EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B;
}

/* Where byte `linear` of a box is that starts at shared offset `anchor`, counted from there. */
static uint32_t swizzled(const emu_transfer *transfer, uint32_t anchor, uint32_t linear) {
  uint32_t address = anchor + EMU_SHARED_RESERVED + linear;
  return emu_swizzled(transfer->map.swizzle, address) - (anchor + EMU_SHARED_RESERVED);
}

/* ---- Into shared memory ----------------------------------------------------------------- */

/* `piece` is a constant wherever these are inlined. */
static inline __attribute__((always_inline)) void
scatter_pieces(const operation *o, const emu_box_row *row, const row_image *image, uint32_t piece) {
  emu_place to = o->to.place;
  for (uint32_t i = 0; i < row->shared_bytes; i += piece) {
    uint64_t at = to.offset + swizzled(&o->transfer, (uint32_t)to.offset, row->linear + i);
    memcpy(to.bank->bytes + at, image->bytes + i, piece);
    for (uint32_t k = 0; k < piece; k++) {
      uint8_t *mark = &to.bank->marks[at + k];
      *mark =
          (uint8_t)((*mark & ~EMU_MARK_WRITTEN) | (image->written[i + k] ? EMU_MARK_WRITTEN : 0));
    }
  }
}

/* Tells follow.h where the row's pieces have gone; 16 bytes have fewer packed elements. */
static void tell_row(const operation *o, const emu_box_row *row) {
  const emu_tensor_map *map = &o->transfer.map;
  emu_place to = o->to.place, at = to;
  uint32_t piece = halves_apart(map) ? piece_most / 2 : piece_most;
  uint32_t given = emu_tensor_type_padded(map->type) ? packed_bytes(map) : piece;
  if (!o->base.warp->cta->cluster->run->config->follow) return;
  for (uint32_t i = 0; i * piece < row->shared_bytes; i++) {
    uint32_t begin = i * given, end = begin + given, last = row->lead + row->inside;
    uint32_t lead = begin < row->lead ? row->lead - begin : 0;
    bool inside = begin + lead < end && begin + lead < last;
    at.offset = to.offset + swizzled(&o->transfer, (uint32_t)to.offset, row->linear + i * piece);
    emu_follow_copied(&o->base, at, 0, piece, NULL, 0);
    if (!inside) continue;
    at.offset += lead;
    emu_follow_copied(&o->base, at, row->address + begin + lead - row->lead,
                      (end < last ? end : last) - begin - lead, o->transfer.at, map->rank);
  }
}

static void scatter(const operation *o, const emu_box_row *row, const row_image *image) {
  if (halves_apart(&o->transfer.map)) {
    scatter_pieces(o, row, image, piece_most / 2);
  } else {
    scatter_pieces(o, row, image, piece_most);
  }
}

static bool copy_box_in(operation *o) {
  row_image image;
  emu_box_row row;
  uint32_t rows = (uint32_t)emu_box_rows(&o->transfer.map);
  for (uint32_t i = 0; i < rows; i++) {
    row_at(&row, &o->transfer, i);
    if (!read_row(&image, &o->transfer, &row)) return false;
    if (emu_tensor_type_padded(o->transfer.map.type)) spread(&image, &o->transfer.map, row.bytes);
    scatter(o, &row, &image);
    tell_row(o, &row);
  }
  return true;
}

static bool copy_in(operation *o) {
  if (o->transfer.tensor) return copy_box_in(o);
  emu_box_row row;
  row_at(&row, &o->transfer, 0);
  const uint8_t *memory = row.bytes ? row_memory(&o->transfer, &row, false) : NULL;
  if (row.bytes && !memory) return false;
  if (row.bytes) emu_copy_in(&o->base, o->to.place, memory, row.address, row.bytes);
  return true;
}

static void copy_across(operation *o) {
  emu_follow_copied(&o->base, o->to.place, 0, o->to.bytes, NULL, 0);
  uint8_t *to = emu_place_bytes(o->to.place), *marks = emu_place_marks(o->to.place);
  const uint8_t *from = emu_place_bytes(o->from.place), *read = emu_place_marks(o->from.place);
  if (o->transfer.reduces) {
    emu_reduce_bytes(o->transfer.reduction, o->transfer.type, false, to, from, o->to.bytes);
    return;
  }
  memcpy(to, from, o->to.bytes);
  for (uint32_t i = 0; i < o->to.bytes; i++)
    marks[i] = (uint8_t)((marks[i] & ~EMU_MARK_WRITTEN) | (read[i] & EMU_MARK_WRITTEN));
}

/* Completes an operation on its mbarrier, in the current phase, which is the one it belongs to. */
static bool complete(operation *o) {
  const emu_transfer *t = &o->transfer;
  if (!o->barrier->live) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is invalidated while this operation was to complete on it",
              emu_place_address(o->barrier->place));
    return false;
  }
  o->base.agent = o->barrier->agent;
  o->base.clock = emu_mbarrier_clock(o->barrier);
  return emu_mbarrier_complete(t->warp, t->op, t->lane, o->barrier, emu_transfer_bytes(t));
}

static bool land_in(emu_async *self, emu_cluster *cluster) {
  operation *o = (operation *)self;
  if (!copy_in(o)) return false;
  emu_beside_complete(cluster, emu_mbarrier_key(o->barrier), o->transfer.order);
  return complete(o);
}

static bool land_across(emu_async *self, emu_cluster *cluster) {
  operation *o = (operation *)self;
  (void)cluster;
  copy_across(o);
  return complete(o);
}

static void count_bytes(const emu_transfer *t, bool in) {
  emu_counters *counters = emu_counting(t->warp);
  uint64_t *tensor = in ? &counters->tma_bytes_in : &counters->tma_bytes_out;
  uint64_t *plain = in ? &counters->async_bytes_in : &counters->async_bytes_out;
  *(t->tensor ? tensor : plain) += emu_transfer_bytes(t);
}

/* Finds the barrier, which is in the CTA that gets the bytes, or in the other one of its pair. */
static bool find_barrier(operation *o, emu_place place) {
  const emu_transfer *t = &o->transfer;
  const emu_bank *bank = o->to.place.bank;
  bool paired = t->pair && (place.bank->cta->rank ^ bank->cta->rank) == 1;
  if (place.bank != bank && !paired) {
    emu_fault(t->warp, t->op, t->lane, GG_E_EMU_MBARRIER,
              "the mbarrier at 0x%x is not in the CTA that gets the bytes, at 0x%x",
              emu_place_address(place), emu_place_address(o->to.place));
    return false;
  }
  if (!emu_async_alive(t->warp, t->op, t->lane, place.bank->cta)) return false;
  o->base.completes = o->barrier = emu_mbarrier_of_proxy(t->warp, t->op, t->lane, place);
  return o->barrier != NULL;
}

bool emu_transfer_in(const emu_transfer *transfer, emu_place to, emu_place barrier) {
  operation *o = new_operation(transfer);
  if (!o) return false;
  o->to = (emu_span){to, (uint32_t)emu_transfer_span(transfer)};
  o->base.writes = &o->to;
  o->base.write_count = o->to.bytes ? 1 : 0;
  o->base.land = land_in;
  o->transfer.order = emu_beside_order(transfer->warp);
  if (!find_barrier(o, barrier)) {
    drop(&o->base);
    return false;
  }
  count_bytes(transfer, true);
  return emu_async_issue(transfer->warp->cta->cluster, &o->base);
}

bool emu_transfer_multicast(const emu_transfer *transfer, emu_place to, emu_place barrier,
                            uint32_t mask) {
  emu_cluster *cluster = transfer->warp->cta->cluster;
  if (mask >> cluster->cta_count) {
    emu_fault(transfer->warp, transfer->op, transfer->lane, GG_E_EMU_CLUSTER,
              "a CTA mask of 0x%x, in a cluster of %u CTAs", mask, cluster->cta_count);
    return false;
  }
  /* In pairs, it is the barrier of the even or of the odd CTA of each, as the given one is. */
  uint32_t odd = barrier.bank->cta->rank & 1;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    uint32_t rank = (uint32_t)__builtin_ctz(rest);
    to.bank = cluster->ctas[rank].shared;
    barrier.bank = transfer->pair ? cluster->ctas[(rank & ~1u) | odd].shared : to.bank;
    if (!emu_transfer_in(transfer, to, barrier)) return false;
    if (transfer->tensor && rest != mask)
      emu_counting(transfer->warp)->tma_bytes_multicast += emu_transfer_bytes(transfer);
  }
  return true;
}

bool emu_transfer_across(const emu_transfer *transfer, emu_place to, emu_place from,
                         emu_place barrier) {
  operation *o = new_operation(transfer);
  if (!o) return false;
  o->to = (emu_span){to, transfer->bytes};
  o->from = (emu_span){from, transfer->bytes};
  o->base.writes = &o->to;
  o->base.reads = &o->from;
  o->base.write_count = o->base.read_count = transfer->bytes ? 1 : 0;
  o->base.land = land_across;
  if (!find_barrier(o, barrier)) {
    drop(&o->base);
    return false;
  }
  count_bytes(transfer, true);
  return emu_async_issue(transfer->warp->cta->cluster, &o->base);
}

/* ---- Out of shared memory --------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
gather_pieces(const operation *o, const emu_box_row *row, row_image *image, uint32_t piece) {
  uint32_t anchor = (uint32_t)o->from.place.offset;
  const uint8_t *marks = o->image + o->from.bytes;
  for (uint32_t i = 0; i < row->shared_bytes; i += piece) {
    uint32_t at = swizzled(&o->transfer, anchor, row->linear + i);
    memcpy(image->bytes + i, o->image + at, piece);
    memcpy(image->written + i, marks + at, piece);
  }
}

static void gather(const operation *o, const emu_box_row *row, row_image *image) {
  if (halves_apart(&o->transfer.map)) {
    gather_pieces(o, row, image, piece_most / 2);
  } else {
    gather_pieces(o, row, image, piece_most);
  }
}

/* Marks what was written, in runs. */
static void mark_written(emu_device *device, uint64_t address, const uint8_t *marks,
                         uint32_t bytes) {
  for (uint32_t i = 0, end; i < bytes; i = end) {
    bool written = marks[i] & EMU_MARK_WRITTEN;
    for (end = i + 1; end < bytes && !(marks[end] & EMU_MARK_WRITTEN) == !written;)
      end++;
    if (written) emu_global_mark(device, address + i, end - i);
  }
}

/* Reduces a row to memory, which must have been written, as for red. */
static bool reduce_row(const emu_transfer *t, const emu_box_row *row, uint8_t *memory,
                       const uint8_t *bytes) {
  const emu_run *run = t->warp->cta->cluster->run;
  if (run->checked && !emu_global_written(run->device, row->address, row->inside)) {
    bool computes = !emu_reduction_is_bitwise(t->reduction);
    if (!emu_tolerated(t->warp, t->op, t->lane,
                       computes ? GG_E_EMU_UNDEFINED : GG_E_EMU_UNINITIALISED,
                       "updates %u bytes at 0x%llx of global memory, not all of which somebody has "
                       "written",
                       row->inside, (unsigned long long)row->address)) {
      return false;
    }
    emu_global_mark(run->device, row->address, row->inside);
  }
  emu_reduce_bytes(t->reduction, t->type, t->flushes, memory, bytes, row->inside);
  return true;
}

/* Writes a plain row without the bytes that .cp_mask leaves out. */
static void write_masked(const emu_transfer *t, const emu_box_row *row, uint8_t *memory,
                         const uint8_t *bytes, const uint8_t *marks) {
  for (uint32_t i = 0; i < row->inside; i++) {
    if (t->skipped >> i % piece_most & 1) continue;
    memory[i] = bytes[i];
    mark_written(t->warp->cta->cluster->run->device, row->address + i, marks + i, 1);
  }
}

static bool write_row(const operation *o, const emu_box_row *row, const uint8_t *bytes,
                      const uint8_t *marks) {
  const emu_transfer *t = &o->transfer;
  uint8_t *memory = row_memory(t, row, true);
  if (!memory) return false;
  if (t->reduces) return reduce_row(t, row, memory, bytes);
  if (t->skipped) {
    write_masked(t, row, memory, bytes, marks);
    return true;
  }
  memcpy(memory, bytes, row->inside);
  mark_written(t->warp->cta->cluster->run->device, row->address, marks, row->inside);
  return true;
}

/* Stores and reductions of boxes end at whole 16 bytes of global memory, not at the tensor's last
 * element: an H100 writes 8 elements of 16 bits of a line even if the map has 7. */
static void widen(emu_box_row *row) {
  uint32_t rest = (uint32_t)(-(row->address + row->inside) % 16), most = row->bytes - row->lead;
  row->inside = rest < most - row->inside ? row->inside + rest : most;
}

static bool land_write(emu_async *self, emu_cluster *cluster) {
  operation *o = (operation *)self;
  (void)cluster;
  row_image image;
  emu_box_row row;
  uint32_t rows = rows_read(&o->transfer);
  for (uint32_t i = 0; i < rows; i++) {
    row_at(&row, &o->transfer, i);
    const uint8_t *bytes = o->image, *marks = o->image + o->from.bytes;
    if (!row.inside) continue;
    if (o->transfer.tensor) {
      widen(&row);
      gather(o, &row, &image);
      if (emu_tensor_type_padded(o->transfer.map.type)) pack(&image, &o->transfer.map, row.bytes);
      bytes = image.bytes + row.lead;
      marks = image.written + row.lead;
    }
    if (!write_row(o, &row, bytes, marks)) return false;
  }
  return true;
}

/* Reads shared memory, and issues the operation that writes what was read. */
static bool land_read(emu_async *self, emu_cluster *cluster) {
  operation *o = (operation *)self;
  operation *write = new_operation(&o->transfer);
  if (!write) return false;
  write->from = o->from;
  write->base.group = self->group;
  write->base.land = land_write;
  write->base.unit = NULL;
  write->image = gg_malloc(2 * (size_t)o->from.bytes);
  if (!write->image) {
    drop(&write->base);
    return emu_async_no_memory(self->warp, self->op);
  }
  memcpy(write->image, emu_place_bytes(o->from.place), o->from.bytes);
  memcpy(write->image + o->from.bytes, emu_place_marks(o->from.place), o->from.bytes);
  return emu_async_issue(cluster, &write->base);
}

bool emu_transfer_out(const emu_transfer *transfer, emu_place from) {
  emu_groups *groups = emu_unit_of_warp(transfer->warp, transfer->op, EMU_UNIT_ID_BULK);
  operation *o = groups ? new_operation(transfer) : NULL;
  if (!o) return false;
  o->from = (emu_span){from, (uint32_t)emu_transfer_span_read(transfer)};
  o->base.reads = &o->from;
  o->base.read_count = o->from.bytes ? 1 : 0;
  o->base.land = land_read;
  o->transfer.order = emu_beside_order(transfer->warp);
  o->base.map = transfer->map_at;
  o->base.group = groups->committed[transfer->lane];
  o->base.clock = ++groups->issued;
  count_bytes(transfer, false);
  emu_cluster *cluster = transfer->warp->cta->cluster;
  bool strict = cluster->run->fences;
  if (strict) o->base.agent = emu_hazard_agent(cluster, groups);
  return emu_async_issue(cluster, &o->base) && (strict || emu_async_land(cluster, &o->base));
}

/* ---- Groups ----------------------------------------------------------------------------- */

/* The groups' clock counts reads of shared memory. */
const emu_unit emu_unit_bulk = {.name = "asynchronous work", .warp_bytes = sizeof(emu_groups)};

bool emu_bulk_commit(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_BULK);
  if (groups) emu_groups_commit(groups, lanes);
  return groups != NULL;
}

/* Lands the lane's operations of groups before `first`. Landing a read adds its write at the end
 * of the list, where the loop comes to it. */
static bool land_groups(emu_warp *warp, int lane, uint64_t first, bool reading) {
  emu_cluster *cluster = warp->cta->cluster;
  for (emu_async *async = emu_async_first(cluster); async;) {
    bool reads = async->land == land_read, writes = async->land == land_write;
    bool waited = async->warp == warp && async->lanes >> lane & 1 && async->group < first &&
                  (reads || (writes && !reading));
    if (waited && !emu_async_land(cluster, async)) return false;
    async = waited ? emu_async_first(cluster) : async->next;
  }
  return true;
}

bool emu_bulk_wait(emu_warp *warp, const emu_op *op, uint32_t lanes, uint64_t pending,
                   bool reading) {
  const emu_groups *groups = emu_unit_of_warp(warp, op, EMU_UNIT_ID_BULK);
  if (!groups) return false;
  emu_agent agent = emu_hazard_agent(warp->cta->cluster, groups);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    uint64_t first = emu_groups_first_pending(groups, lane, pending);
    if (!land_groups(warp, lane, first, reading)) return false;
    emu_hazard_learn(warp, agent, emu_groups_clock(groups, lane, pending));
  }
  return true;
}
