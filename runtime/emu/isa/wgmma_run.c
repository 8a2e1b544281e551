/* wgmma.mma_async: issue and landing.
 *
 * When the instruction is issued, its descriptors are read and checked, the shared memory that it
 * will read is listed, and its registers are claimed. The matrices are read and the product is
 * computed when it lands. A warp's wgmmas land in the order of issue, so that the accumulators in
 * registers are those of the one before. */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/hazard.h"
#include "emu/isa/fragment.h"
#include "emu/isa/unit_set.h"
#include "emu/isa/wgmma.h"
#include "emu/report.h"

enum {
  rows = EMU_WGMMA_ROWS,
  k_most = 64,
  columns_at_once = 64, /* of B that are decoded at a time */
  flights_most = 1024,  /* of a warp; if there are more, some land early */
};

/* ---- Matrices in shared memory ---------------------------------------------------------- */

/* A part of a matrix: lines and units of 16 bytes. */
typedef struct part {
  const emu_matrix_view *view;
  int line, lines, unit, units;
} part;

/* Bytes of an element; bits are taken as words. */
static int element_bytes(emu_type type) {
  return type == EMU_B1 ? 4 : emu_type_of(type)->bits / 8;
}

/* Elements of a row of A that are stored, and elements of a column of B. Bits count as words. */
static int stored_k(const emu_wgmma_facts *f) {
  int k = f->sparse ? f->k / 2 : f->k;
  return f->a == EMU_B1 ? k / 32 : k;
}

static int whole_k(const emu_wgmma_facts *f) {
  return f->a == EMU_B1 ? f->k / 32 : f->k;
}

/* The warp's rows of A. */
static part part_a(const emu_wgmma_work *work) {
  const emu_wgmma_facts *f = work->async.op->facts;
  int each = EMU_UNIT_BYTES / element_bytes(f->a), row = work->warp->index % EMU_WGMMA_WARPS * rows;
  if (work->a.along_k) return (part){&work->a, row, rows, 0, stored_k(f) / each};
  return (part){&work->a, 0, stored_k(f), row / each, rows / each};
}

static part part_b(const emu_wgmma_work *work, int column, int columns) {
  const emu_wgmma_facts *f = work->async.op->facts;
  int each = EMU_UNIT_BYTES / element_bytes(f->b);
  if (work->b.along_k) return (part){&work->b, column, columns, 0, whole_k(f) / each};
  return (part){&work->b, 0, whole_k(f), column / each, columns / each};
}

/* By inlining, there is a copy of the loops for each size. */
#define INLINE static inline __attribute__((always_inline))

INLINE void split_unit(uint32_t *codes, int stride, const uint8_t *bytes, int size) {
  for (int j = 0; j < EMU_UNIT_BYTES / size; j++) {
    const uint8_t *at = bytes + j * size;
    uint32_t code = at[0];
    if (size >= 2) code |= (uint32_t)at[1] << 8;
    if (size == 4) code |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    codes[j * stride] = code;
  }
}

INLINE void gather_size(uint32_t *codes, int line_stride, int element_stride, const part *p,
                        const emu_cta *cta, int size) {
  const uint8_t *memory = cta->shared->bytes;
  for (int line = 0; line < p->lines; line++) {
    for (int unit = 0; unit < p->units; unit++) {
      uint32_t address = emu_matrix_unit(p->view, p->line + line, p->unit + unit);
      uint32_t *out = codes + line * line_stride + unit * (EMU_UNIT_BYTES / size) * element_stride;
      split_unit(out, element_stride, memory + address - EMU_SHARED_RESERVED, size);
    }
  }
}

/* Codes of a part: lines are `line_stride` apart, elements of a line `element_stride`. */
static void gather(uint32_t *codes, int line_stride, int element_stride, const part *p,
                   const emu_cta *cta, int size) {
  switch (size) {
  case 1:
    gather_size(codes, line_stride, element_stride, p, cta, 1);
    return;
  case 2:
    gather_size(codes, line_stride, element_stride, p, cta, 2);
    return;
  default:
    gather_size(codes, line_stride, element_stride, p, cta, 4);
    return;
  }
}

/* ---- What is read ----------------------------------------------------------------------- */

static bool add_part(emu_unit_set *set, emu_warp *warp, const emu_op *op, const char *name,
                     const part *p) {
  for (int line = p->line; line < p->line + p->lines; line++) {
    for (int unit = p->unit; unit < p->unit + p->units; unit++) {
      uint32_t address = emu_matrix_unit(p->view, line, unit);
      if (!emu_unit_add(set, warp, op, name, warp->cta, address)) return false;
    }
  }
  return true;
}

/* How many units are written of those that have one place along M or N: if lines run along K, the
 * units of a line, else one unit of each line. `last` becomes the offset of one that is not. */
static int units_written(uint32_t *last, const part *p, const emu_cta *cta, int place) {
  bool along_k = p->view->along_k;
  int written = 0;
  for (int i = 0; i < (along_k ? p->units : p->lines); i++) {
    int line = along_k ? place : p->line + i, unit = along_k ? p->unit + i : place;
    uint32_t offset = emu_matrix_unit(p->view, line, unit) - EMU_SHARED_RESERVED;
    if (emu_unit_written(cta, offset))
      written++;
    else
      *last = offset;
  }
  return written;
}

/* Checks whether the rows of A, or the columns of B, have been written. If nobody has written
 * anything of one, only its own row or column of D becomes garbage, which nobody may want: it may
 * lie beyond a matrix's edge. It reads as NaN. If one is written in part, or nothing of B is
 * written, it was meant to be an operand. But all of B may lie beyond the edge if the wgmma before
 * this one has multiplied the same A by columns that exist. */
static bool rows_written(const part *p, emu_warp *warp, const emu_op *op, bool any) {
  bool along_k = p->view->along_k;
  int first = along_k ? p->line : p->unit, count = along_k ? p->lines : p->units;
  int all = along_k ? p->units : p->lines, there = 0;
  uint32_t last = 0;
  for (int place = first; place < first + count; place++) {
    int written = units_written(&last, p, warp->cta, place);
    if (written > 0 && written < all) return emu_unit_refuse(warp, op, last);
    if (written > 0)
      there++;
    else
      emu_counting(warp)->unwritten_reads++;
  }
  return there > 0 || any || emu_unit_refuse(warp, op, last);
}

static bool same_view(const emu_matrix_view *a, const emu_matrix_view *b) {
  return a->start == b->start && a->leading == b->leading && a->stride == b->stride &&
         a->base_offset == b->base_offset && a->row == b->row && a->along_k == b->along_k;
}

/* Whether a wgmma has the same A as the one before. */
static bool has_same_a(const emu_wgmma_before *before, const emu_wgmma_work *work) {
  const emu_wgmma_facts *f = work->async.op->facts;
  if (!before->exists) return false;
  if (f->a_in_registers) return !memcmp(before->a_words, work->a_words, sizeof work->a_words);
  return same_view(&before->a, &work->a);
}

/* Whether what a part reads and claims has been written, or belongs to rows that need not be. */
static bool operands_written(const emu_wgmma_work *work, emu_warp *warp) {
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  uint32_t count = work->async.read_count;
  if (!warp->cta->cluster->run->checked) return true;
  emu_wgmma_before *before = &emu_wgmma_at(work->warp)->before;
  if (!emu_units_written(work->spans, count)) {
    part a = part_a(work), b = part_b(work, 0, f->n);
    if (!f->a_in_registers && !rows_written(&a, warp, op, true)) return false;
    bool beyond = has_same_a(before, work);
    if (count > work->a_count && !rows_written(&b, warp, op, beyond)) return false;
  }
  before->exists = true;
  before->a = work->a;
  memcpy(before->a_words, work->a_words, sizeof before->a_words);
  return true;
}

static void no_memory(emu_warp *warp, const emu_op *op) {
  emu_fault(warp, op, -1, GG_E_MEMORY, " for wgmma");
}

/* Whether two warps have issued the same wgmma, as PTX demands of a warpgroup. */
static bool are_twins(const emu_wgmma_work *x, const emu_wgmma_work *y) {
  return x->number == y->number && x->async.op == y->async.op && same_view(&x->a, &y->a) &&
         same_view(&x->b, &y->b);
}

/* The part of the same wgmma among a neighbour's from `work` on; NULL: none. */
static emu_wgmma_work *twin_among(emu_wgmma_work *work, const emu_wgmma_work *of) {
  while (work && work->number < of->number)
    work = work->next;
  return work && are_twins(work, of) ? work : NULL;
}

/* The part of the same wgmma that a neighbour has issued; NULL: none. */
static const emu_wgmma_work *issued_twin(const emu_wgmma_work *work) {
  const emu_warp *first = emu_wgmma_group(work->warp);
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    const struct emu_wgmma *w = emu_wgmma_at(&first[i]);
    const emu_wgmma_work *twin = w ? twin_among(w->unstarted, work) : NULL;
    if (twin) return twin;
  }
  return NULL;
}

/* If parts read the same B, that of the last warp claims it, because it usually lands last. */
static void share_reads(emu_warp *first) {
  const emu_wgmma_work *last = emu_wgmma_at(&first[EMU_WGMMA_WARPS - 1])->unstarted;
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    emu_wgmma_work *work = emu_wgmma_at(&first[i])->unstarted;
    bool shares = work != last && are_twins(work, last);
    work->async.read_count = work->a_count + (shares ? 0 : work->b_count);
    work->async.shared_count = shares ? work->b_count : 0;
  }
}

/* Called when a part lands. If it has claimed B for others, one that is still in flight claims it
 * from now on. */
static void pass_reads(emu_wgmma_work *work) {
  emu_warp *first = emu_wgmma_group(work->warp);
  if (work->async.shared_count) return;
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    emu_wgmma_work *heir = twin_among(emu_wgmma_at(&first[i])->first, work);
    if (!heir || !heir->async.shared_count) continue;
    emu_async_pass_reads(&heir->async, &work->async);
    return;
  }
}

/* ---- Landing ---------------------------------------------------------------------------- */

/* A and a part of B, decoded, with the accumulators of that part. */
typedef struct matrices {
  uint32_t codes[k_most * columns_at_once], d[rows * columns_at_once];
  float a[rows * k_most], stored[rows * k_most / 2];
  int16_t a_exponent[rows * k_most], stored_exponent[rows * k_most / 2];
  uint32_t a_bits[rows * 8];
  uint8_t columns[EMU_SPARSE_ROWS * EMU_SPARSE_K / 2];
} matrices;

static void decode(float *value, int16_t *exponent, const emu_wgmma_facts *f, emu_type type,
                   bool negate, const uint32_t *codes, int count) {
  if (f->d == EMU_S32) {
    emu_operand_decode_integer(value, type, codes, (size_t)count);
  } else {
    emu_dot_decode(f->model, value, exponent, type, negate, codes, (size_t)count);
  }
}

/* Checks that the registers of A are still what they were at the issue. */
static bool a_unchanged(const emu_wgmma_work *work) {
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  for (int i = 0; i < EMU_WGMMA_A_REGISTERS; i++) {
    const uint32_t *now = EMU_AT(uint32_t, work->warp, &op->operands[f->a_at + i]);
    if (!memcmp(now, work->a_words[i], sizeof work->a_words[i])) continue;
    return emu_tolerated(work->warp, op, -1, GG_E_EMU_IN_FLIGHT,
                         "register %d of A was written before the wgmma had read it", i);
  }
  return true;
}

static bool load_a(matrices *x, const emu_wgmma_work *work) {
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  int k = stored_k(f), size = element_bytes(f->a);
  uint32_t *codes = f->a == EMU_B1 ? x->a_bits : x->codes;
  if (f->a_in_registers) {
    if (!a_unchanged(work)) return false;
    emu_fragment_a(codes, work->warp, op->operands + f->a_at, rows, k, size * 8);
  } else {
    part p = part_a(work);
    bool along_k = work->a.along_k;
    gather(codes, along_k ? k : 1, along_k ? 1 : k, &p, work->warp->cta, size);
  }
  if (f->a == EMU_B1) return true;
  if (!f->sparse) {
    decode(x->a, x->a_exponent, f, f->a, f->negate_a, codes, rows * k);
    return true;
  }
  decode(x->stored, x->stored_exponent, f, f->a, f->negate_a, codes, rows * k);
  emu_stored stored = {x->stored, f->d == EMU_S32 ? NULL : x->stored_exponent};
  if (!emu_sparse_columns(x->columns, work->warp, op, &f->sparsity, &stored, work->metadata)) {
    return false;
  }
  emu_sparse_spread(x->a, f->d == EMU_S32 ? NULL : x->a_exponent, &stored, x->columns, rows, f->k);
  return true;
}

/* Codes of columns of B: [k][columns], or bits as [columns][words]. */
static void gather_b(uint32_t *codes, const emu_wgmma_work *work, int column, int columns) {
  const emu_wgmma_facts *f = work->async.op->facts;
  part p = part_b(work, column, columns);
  int line_stride = columns, element_stride = 1;
  if (f->b == EMU_B1) {
    line_stride = whole_k(f);
  } else if (work->b.along_k) {
    line_stride = 1;
    element_stride = columns;
  }
  gather(codes, line_stride, element_stride, &p, work->warp->cta, element_bytes(f->b));
}

static bool make_room(emu_wgmma_b *b, const emu_wgmma_work *work) {
  const emu_wgmma_facts *f = work->async.op->facts;
  size_t count = (size_t)(whole_k(f) * f->n);
  if (count <= b->room) return true;
  gg_free(b->values);
  gg_free(b->exponents);
  b->room = 0;
  b->values = gg_malloc(count * sizeof *b->values);
  b->exponents = gg_malloc(count * sizeof *b->exponents);
  if (!b->values || !b->exponents) {
    no_memory(work->warp, work->async.op);
    return false;
  }
  b->room = count;
  return true;
}

/* Decodes columns of B for the group, unless the part that has just landed has done so. */
static bool load_b(matrices *x, emu_wgmma_b *b, const emu_wgmma_work *work) {
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  int k = whole_k(f);
  if (f->b == EMU_B1) return true;
  if (b->op == op && b->number == work->number && same_view(&b->view, &work->b)) return true;
  if (!make_room(b, work)) return false;
  for (int column = 0; column < f->n; column += columns_at_once) {
    int left = f->n - column, columns = left < columns_at_once ? left : columns_at_once;
    gather_b(x->codes, work, column, columns);
    decode(b->values + k * column, b->exponents + k * column, f, f->b, f->negate_b, x->codes,
           k * columns);
  }
  b->op = b->kept ? op : NULL;
  b->number = work->number;
  b->view = work->b;
  return true;
}

/* Products with `columns` columns of B. */
static void multiply(matrices *x, const emu_wgmma_b *b, const emu_wgmma_work *work, int column,
                     int columns) {
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  int k = whole_k(f), bits = emu_type_of(f->d)->bits, at = k * column;
  const emu_operand *d = op->operands + column * f->d_count / f->n;
  if (work->accumulate) {
    emu_fragment_load(x->d, work->warp, d, rows, columns, bits);
  } else {
    memset(x->d, 0, sizeof x->d);
  }
  emu_tile tile = {rows, columns, k, f->sparse, x->a, x->a_exponent, NULL, NULL, x->d};
  if (f->b == EMU_B1) {
    gather_b(x->codes, work, column, columns);
    emu_dot_bits(x->d, x->a_bits, x->codes, rows, columns, f->k, false);
  } else {
    tile.b = b->values + at;
    tile.b_exponent = b->exponents + at;
    if (f->d == EMU_S32) {
      emu_dot_integer(&tile, f->saturate);
    } else {
      emu_dot(f->model, &tile);
    }
  }
  emu_fragment_store(x->d, work->warp, d, rows, columns, bits);
}

static bool compute(const emu_wgmma_work *work) {
  const emu_wgmma_facts *f = work->async.op->facts;
  emu_wgmma_b *b = &emu_wgmma_at(emu_wgmma_group(work->warp))->b;
  matrices x;
  if (!load_a(&x, work) || !load_b(&x, b, work)) return false;
  for (int column = 0; column < f->n; column += columns_at_once) {
    int left = f->n - column;
    multiply(&x, b, work, column, left < columns_at_once ? left : columns_at_once);
  }
  return true;
}

/* The registers are still those of the frame that issued it, because leaving a frame lands what is
 * in flight. */
static bool land(emu_async *async, emu_cluster *cluster) {
  emu_wgmma_work *work = (emu_wgmma_work *)async;
  emu_warp *warp = work->warp;
  struct emu_wgmma *w = emu_wgmma_at(warp);
  uint8_t *running = warp->registers;
  (void)cluster;
  for (emu_wgmma_work **link = &w->first; *link; link = &(*link)->next) {
    if (*link != work) continue;
    *link = work->next;
    w->flights--;
    if (!work->next) w->end = link;
    break;
  }
  pass_reads(work);
  warp->registers = w->file;
  bool ok = compute(work);
  emu_wgmma_release(warp, async->op);
  warp->registers = running;
  return ok;
}

static void drop(emu_async *async) {
  gg_free(async);
}

/* ---- Issue ------------------------------------------------------------------------------ */

/* A value that all lanes must share. */
static bool uniform64(uint64_t *out, emu_warp *warp, const emu_op *op, int operand,
                      const char *name) {
  const uint64_t *values = EMU_AT(uint64_t, warp, &op->operands[operand]);
  *out = values[0];
  for (int lane = 1; lane < EMU_LANES; lane++) {
    if (values[lane] == values[0]) continue;
    emu_fault(warp, op, lane, GG_E_EMU_DESCRIPTOR,
              "descriptor of %s is 0x%016" PRIx64 " here and 0x%016" PRIx64 " in lane 0", name,
              values[lane], values[0]);
    return false;
  }
  return true;
}

static bool read_descriptors(emu_wgmma_work *work, emu_warp *warp, const emu_op *op) {
  const emu_wgmma_facts *f = op->facts;
  uint64_t descriptor;
  if (!f->a_in_registers &&
      (!uniform64(&descriptor, warp, op, f->a_at, "A") ||
       !emu_descriptor_read(&work->a, warp, op, "A", descriptor, f->a_along_k))) {
    return false;
  }
  return uniform64(&descriptor, warp, op, f->b_at, "B") &&
         emu_descriptor_read(&work->b, warp, op, "B", descriptor, f->b_along_k);
}

static bool take_values(emu_wgmma_work *work, emu_warp *warp, const emu_op *op) {
  const emu_wgmma_facts *f = op->facts;
  for (int i = 0; f->a_in_registers && i < EMU_WGMMA_A_REGISTERS; i++) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &op->operands[f->a_at + i]);
    memcpy(work->a_words[i], words, sizeof work->a_words[i]);
  }
  if (f->sparse) {
    const uint32_t *words = EMU_AT(uint32_t, warp, &op->operands[f->metadata_at]);
    memcpy(work->metadata, words, sizeof work->metadata);
  }
  work->accumulate = f->scale;
  if (f->scale_constant) return true;
  uint32_t lanes = emu_predicate(warp, &op->operands[f->scale_at]);
  work->accumulate = lanes != 0;
  if (!lanes || lanes == UINT32_MAX) return true;
  emu_fault(warp, op, -1, GG_E_EMU_CONVERGENCE, "scale-d differs among the lanes: 0x%08" PRIx32,
            lanes);
  return false;
}

/* Lists the units that a wgmma reads, those of B only if no neighbour has listed them; false after
 * a fault. */
static bool add_reads(emu_unit_set *a, emu_unit_set *b, const emu_wgmma_work *work, bool listed) {
  emu_warp *warp = work->warp;
  const emu_op *op = work->async.op;
  const emu_wgmma_facts *f = op->facts;
  if (!f->a_in_registers) {
    part p = part_a(work);
    if (!add_part(a, warp, op, "A", &p)) return false;
  }
  part p = part_b(work, 0, f->n);
  return listed || add_part(b, warp, op, "B", &p);
}

/* Makes a part that is ready to be issued; NULL after a fault. */
static emu_wgmma_work *prepare(emu_warp *warp, const emu_op *op) {
  emu_unit_set a = {{0}}, b = {{0}};
  emu_wgmma_work draft = {.async = {.op = op}, .warp = warp, .number = emu_wgmma_at(warp)->issued};
  if (!read_descriptors(&draft, warp, op) || !take_values(&draft, warp, op)) return NULL;
  const emu_wgmma_work *twin = issued_twin(&draft);
  if (!add_reads(&a, &b, &draft, twin)) return NULL;
  draft.a_count = emu_unit_count_spans(&a);
  draft.b_count = twin ? twin->b_count : emu_unit_count_spans(&b);
  size_t spans = (size_t)draft.a_count + draft.b_count;
  emu_wgmma_work *work = gg_malloc(sizeof *work + spans * sizeof *work->spans);
  if (!work) {
    no_memory(warp, op);
    return NULL;
  }
  *work = draft;
  emu_unit_list_spans(work->spans, &a, warp->cta);
  if (twin) {
    memcpy(work->spans + work->a_count, twin->spans + twin->a_count,
           work->b_count * sizeof *work->spans);
  } else {
    emu_unit_list_spans(work->spans + work->a_count, &b, warp->cta);
  }
  return work;
}

static bool whole_group(emu_warp *warp, const emu_op *op) {
  int first = warp->index - warp->index % EMU_WGMMA_WARPS;
  if (first + EMU_WGMMA_WARPS <= warp->cta->warp_count) return true;
  emu_fault(warp, op, -1, GG_E_EMU_CONVERGENCE,
            "a warpgroup is %d warps; of that of warps %d to %d the CTA has %d", EMU_WGMMA_WARPS,
            first, first + EMU_WGMMA_WARPS - 1, warp->cta->warp_count - first);
  return false;
}

/* Starts a part when all four warps have issued theirs. `warp` must know of what it reads. */
static bool start(emu_wgmma_work *work, emu_warp *warp) {
  struct emu_wgmma *w = emu_wgmma_at(work->warp);
  emu_async *async = &work->async;
  if (!operands_written(work, warp)) return false;
  w->unstarted = work->next;
  async->warp = warp;
  async->reads = work->spans;
  async->chain = w;
  async->proxy = EMU_PROXY_ASYNC;
  async->agent = emu_hazard_agent(warp->cta->cluster, w);
  async->clock = work->number + 1;
  async->unit = "wgmma";
  async->starts[0] = work->a.start;
  async->starts[1] = work->b.start;
  async->land = land;
  async->drop = drop;
  return emu_async_issue(warp->cta->cluster, async);
}

/* If the warp was the last to issue number n, that starts, and those who wait for it go on. By PTX,
 * what a part reads must be ordered before its own warp's issue. In a module without fences, all
 * warps learn what each knew, because on hardware the warps do meet here (CuTe's wgmma_sm90 needs
 * that). */
static bool start_group(emu_warp *warp, uint64_t n) {
  emu_warp *first = emu_wgmma_group(warp);
  bool waited = false, ok = true, meets = !warp->cta->cluster->run->fences;
  if (meets) emu_hazard_release(warp, first);
  for (int i = 0; i < EMU_WGMMA_WARPS; i++) {
    if (!emu_wgmma_at(&first[i]) || emu_wgmma_at(&first[i])->issued <= n) return true;
    waited |= emu_wgmma_at(&first[i])->waits;
  }
  if (meets) emu_hazard_acquire(warp, first);
  share_reads(first);
  for (int i = 0; i < EMU_WGMMA_WARPS && ok; i++) {
    ok = start(emu_wgmma_at(&first[i])->unstarted, meets ? warp : &first[i]);
  }
  if (waited) emu_wake(warp->cta->cluster, first);
  return ok;
}

emu_step emu_wgmma_issue(emu_warp *warp, const emu_op *op, uint32_t lanes) {
  const emu_wgmma_facts *f = op->facts;
  if (!emu_converge(warp, op, UINT32_MAX, &lanes)) return EMU_WAIT;
  emu_hazard_converge(warp);
  struct emu_wgmma *w = emu_wgmma_of(warp, op);
  if (!w || !whole_group(warp, op)) return EMU_FAULT;
  if (w->flights == flights_most) {
    if (!emu_wgmma_started(warp, w->issued)) return EMU_WAIT;
    if (!emu_wgmma_land(warp, UINT64_MAX)) return EMU_FAULT;
  }
  emu_wgmma_work *work = prepare(warp, op);
  if (!work) return EMU_FAULT;
  if (!emu_wgmma_claim(warp, op)) {
    gg_free(work);
    return EMU_FAULT;
  }
  work->async.lanes = lanes;
  emu_hazard_moment(warp, &work->async.since);
  w->issued++;
  *w->end = work;
  w->end = &work->next;
  if (!w->unstarted) w->unstarted = work;
  w->flights++;
  emu_counting(warp)->tensor_macs += (uint64_t)(rows * f->n * f->k / (f->sparse ? 2 : 1));
  return start_group(warp, work->number) ? EMU_NEXT : EMU_FAULT;
}
