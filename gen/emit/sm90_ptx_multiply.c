/* Family sm90 in PTX: MMAs of the stages that a consumer reads.
 *
 * Their accumulators are the sums of a tile; or, promoted, sums of a few steps along K, which are
 * then added to those. Two sets of such sums overlap: the tensor core fills one while the other is
 * added. That is written out as the .cu unrolls it: `sums` in a row of a K tile or two, of which
 * each is added behind the issue of the next. */
#include "emit/ptx.h"
#include "emit/sm90.h"
#include "emit/sm90_ptx.h"
#include "plan/narrow.h"

/* The descriptor of an operand's first MMA in a stage. */
void gg_sm90_ptx_write_descriptor(gg_str *out, char x, const gg_boxed_tile *boxes, bool block) {
  gg_str_printf(out,
                "  and.b32 %%address, %%%c_stage, 0x3ffff;  // the bits above name the CTA\n"
                "  shr.u32 %%address, %%address, 4;\n",
                x);
  if (block) gg_str_puts(out, "  add.u32 %address, %address, %first_block;\n");
  gg_str_printf(out,
                "  cvt.u64.u32 %%desc_%c, %%address;\n  add.u64 %%desc_%c, %%desc_%c, 0x%llx;\n", x,
                x, x, (unsigned long long)boxes->descriptor);
}

static void write_descriptors(gg_str *out, const gg_plan *plan, const gg_layouts *layouts) {
  gg_sm90_ptx_write_descriptor(out, 'a', &layouts->boxes_a, plan->atoms_m > 1);
  gg_str_printf(out, "  add.u32 %%b_stage, %%a_stage, %lld;\n",
                (ll)gg_plan_smem_bytes(plan, plan->a.type, layouts->size_a));
  gg_sm90_ptx_write_descriptor(out, 'b', &layouts->boxes_b, false);
}

/* The descriptor of a step, and what it is called. */
const char *gg_sm90_ptx_write_step(gg_str *out, char x, ll by) {
  if (by) gg_str_printf(out, "  add.u64 %%step_%c, %%desc_%c, %lld;\n", x, x, by);
  return by ? x == 'a' ? "%step_a" : "%step_b" : x == 'a' ? "%desc_a" : "%desc_b";
}

/* MMAs of some steps along K: into registers `sums` from `first_word` on, to which the first step's
 * are added where `begins`, a predicate, says so. */
typedef struct issue {
  int first, count;
  const char *sums, *begins;
  int first_word;
} issue;

static void write_issue(gg_str *out, const gg_plan *plan, const gg_layouts *layouts, issue of) {
  const gg_layout *of_a = &layouts->boxes_a.steps, *of_b = &layouts->boxes_b.steps;
  int64_t blocks = plan->tile_m / plan->mma.m;
  int frags = gg_plan_block_m(plan) / plan->mma.m, words = gg_sm90_mma_registers(plan);
  int beside = gg_plan_wgmmas_beside(plan), part = words / beside;
  gg_str_puts(out, "  wgmma.fence.sync.aligned;\n");
  for (int step = of.first; step < of.first + of.count; step++) {
    gg_str_printf(out, "  // K from %d to %d.\n", step * plan->mma.k, (step + 1) * plan->mma.k - 1);
    for (int n = 0; n < beside; n++) {
      const char *b = gg_sm90_ptx_write_step(out, 'b', (ll)gg_layout_at(of_b, n + step * beside));
      for (int i = 0; i < frags; i++) {
        const char *a = gg_sm90_ptx_write_step(out, 'a', (ll)gg_layout_at(of_a, i + step * blocks));
        gg_str_puts(out, "  ");
        gg_mma_atom_ptx(out, &plan->mma);
        gg_str_puts(out, "\n    ");
        gg_ptx_write_registers(out, of.sums, of.first_word + i * words + n * part, part, 4);
        gg_str_printf(out, "\n    %s, %s, %s", a, b, step > of.first ? "%always" : of.begins);
        gg_mma_wgmma_immediates(out, &plan->mma);
        gg_str_puts(out, ";\n");
      }
    }
  }
  gg_str_puts(out, "  wgmma.commit_group.sync.aligned;\n");
}

/* ---- Promoted sums ------------------------------------------------------------------------- */

/* Sums of a K tile, K tiles whose sums overlap, and how many sums are under way behind the one that
 * is added, which is as many as sets of registers but one. */
typedef struct promotion {
  int a_tile, tiles, behind;
} promotion;

static promotion promotion_of(const gg_plan *plan) {
  int sums = plan->tile_k / plan->mma.k / plan->promote;
  return (promotion){.a_tile = sums,
                     .tiles = plan->sum_sets == 2 && sums == 1 ? 2 : 1,
                     .behind = plan->sum_sets - 1};
}

/* A stage, when its bytes have arrived: that of K tile `number` of those in this piece of text. */
static gg_status write_take(gg_str *out, gg_arena *arena, const gg_plan *plan,
                            const gg_layouts *layouts, int number, gg_error *err) {
  const gg_ring *stages = gg_rings_find(&layouts->rings, GG_RING_STAGES);
  gg_bindings bindings = {.arena = arena};
  gg_str descriptors = GG_STR_INIT;
  gg_ptx_bind_number(&bindings, "number", number);
  gg_ptx_bind_number(&bindings, "stages", stages->depth);
  gg_ptx_bind_number(&bindings, "stage_bytes", (ll)stages->bytes);
  write_descriptors(&descriptors, plan, layouts);
  gg_bind_str(&bindings, "descriptors", &descriptors);
  gg_status st = gg_bindings_check(&bindings, err);
  if (st) return st;
  return gg_template_expand(out, gg_template_files, "parts/sm90_take_stage.ptx", bindings.rows,
                            bindings.count, err);
}

/* Where a stage's `empty` is. */
static const char *space_of(const gg_plan *plan) {
  return plan->cluster_m * plan->cluster_n > 1 ? "cluster" : "cta";
}

static void write_add(gg_str *out, int first, int registers) {
  for (int i = 0; i < registers; i++)
    gg_str_printf(out, "  add.rn.f32 %%acc%d, %%acc%d, %%sum%d;\n", i, i, first + i);
}

/* Multiplies so many K tiles and adds their sums, each behind the issue of the next. */
static gg_status write_promoted(gg_str *out, gg_arena *arena, const gg_plan *plan,
                                const gg_layouts *layouts, int tiles, gg_error *err) {
  promotion of = promotion_of(plan);
  int registers = gg_plan_block_m(plan) / plan->mma.m * gg_sm90_mma_registers(plan);
  int count = tiles * of.a_tile;
  for (int i = 0; i < count + of.behind; i++) {
    gg_status st = GG_OK;
    if (i < count && i % of.a_tile == 0)
      st = write_take(out, arena, plan, layouts, i / of.a_tile, err);
    if (st) return st;
    issue next = {i % of.a_tile * plan->promote, plan->promote, "sum", "%never",
                  i % plan->sum_sets * registers};
    if (i < count) write_issue(out, plan, layouts, next);
    int done = i - of.behind;
    if (done < 0) continue;
    gg_str_printf(out, "  wgmma.wait_group.sync.aligned %d;\n", i < count ? of.behind : 0);
    if (done % of.a_tile == of.a_tile - 1)
      gg_str_printf(out, "  @%%arrives mbarrier.arrive.shared::%s.b64 _, [%%bar_read%d];\n",
                    space_of(plan), done / of.a_tile);
    write_add(out, done % plan->sum_sets * registers, registers);
  }
  return GG_OK;
}

/* ---- Bindings ------------------------------------------------------------------------------ */

static gg_status bind_promoted(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                               gg_error *err) {
  promotion of = promotion_of(plan);
  int registers = gg_plan_block_m(plan) / plan->mma.m * gg_sm90_mma_registers(plan);
  gg_str text = GG_STR_INIT, last = GG_STR_INIT;
  gg_ptx_bind_number(out, "sums", (ll)plan->sum_sets * registers);
  gg_ptx_bind_number(out, "steps_a_sum", plan->promote);
  gg_ptx_bind_number(out, "tiles_at_once", of.tiles);
  gg_bind_flag(out, "overlaps_tiles", of.tiles > 1);
  gg_status st = write_promoted(&text, out->arena, plan, layouts, of.tiles, err);
  if (!st) st = write_promoted(&last, out->arena, plan, layouts, 1, err);
  gg_bind_str(out, "multiply", &text);
  gg_bind_str(out, "multiply_last", &last);
  return st;
}

gg_status gg_sm90_ptx_bind_multiply(gg_bindings *out, const gg_plan *plan,
                                    const gg_layouts *layouts, gg_error *err) {
  gg_str text = GG_STR_INIT;
  bool promotes = plan->promote > 0;
  gg_bind_part(out, "declare_sums", promotes ? "sm90_declare_promoted" : "sm90_declare_sums");
  gg_bind_part(out, "multiply_tile", promotes ? "sm90_multiply_promoted" : "sm90_multiply");
  gg_bind_part(out, "finish_multiply", promotes ? NULL : "sm90_finish_multiply");
  if (promotes) return bind_promoted(out, plan, layouts, err);
  issue all = {0, plan->tile_k / plan->mma.k, "acc", "%accumulates", 0};
  write_descriptors(&text, plan, layouts);
  gg_bind_str(out, "descriptors", &text);
  gg_bind_text(out, "arrive_space", space_of(plan));
  write_issue(&text, plan, layouts, all);
  gg_bind_str(out, "multiply", &text);
  return GG_OK;
}
