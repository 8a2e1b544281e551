/* Family sm90: operands of 8 and 32 bits whose M or N is contiguous, although wgmma reads such
 * types K-major only.
 *
 * A tensor map brings such an operand's tile to the place in its stage where it is to lie, in boxes
 * as they are in global memory: lines along M or N. Warps of the producer's warpgroup read all of a
 * box to registers and write it back along K, under the swizzle of 128 bytes. So no memory is
 * added, and the copy engine has as many stages under way as for any operand.
 *
 * A lane moves cells: 4 places along M or N by 16 bytes along K. It reads them as they arrived, 4
 * places at once for each place along K, and stores 16 bytes for each of the 4. The cells of
 * neighbouring lanes lie on diagonals. Along M or N they are neighbours, so that reads are free of
 * bank conflicts; along K they differ in the chunk of 16 bytes, so that stores are, too.
 * (docs/adr/0013-transposed-in-stages.md) */
#include "atom/dtype.h"
#include "plan/atoms.h"
#include "plan/check.h"
#include "plan/choices.h"
#include "plan/gate.h"
#include "plan/sm90.h"
#include "plan/transpose.h"

enum {
  line_bytes = 128, /* of a line along K, and the most of a box's line */
  chunk_bytes = 16, /* bytes that are stored at once */
  chunks = line_bytes / chunk_bytes,
  cell_width = 4,  /* elements of a cell along M or N */
  warp_width = 32, /* lines along K that a warp stores of one box: 128 bytes a lane */
  warps_a_group = 4,
};

/* ---- Which operands ---------------------------------------------------------------------- */

bool gg_sm90_transposes(const gg_plan *plan, const gg_operand *operand) {
  if (operand->major == GG_MAJOR_K) return false;
  const gg_mma_row *row = gg_atoms_row(plan, GG_MMA_SHARED);
  return row && row->kind == GG_MMA_wgmma && row->k_major;
}

bool gg_sm90_is_k_major(const gg_plan *plan, const gg_operand *operand) {
  return operand->major == GG_MAJOR_K || gg_sm90_transposes(plan, operand);
}

bool gg_sm90_transposes_any(const gg_plan *plan) {
  return gg_sm90_transposes(plan, &plan->a) || gg_sm90_transposes(plan, &plan->b);
}

gg_status gg_sm90_check_transposed(const gg_plan *plan, gg_error *err) {
  const gg_spec_operand *asked[] = {&plan->spec->a, &plan->spec->b};
  const gg_operand *operands[] = {&plan->a, &plan->b};
  for (int i = 0; i < 2; i++) {
    if (!gg_sm90_transposes(plan, operands[i])) continue;
    bool is_a = i == plan->swap_ab;
    if (!plan->specialised) {
      return gg_refuse_major(plan, asked[i], is_a,
                             "k beside schedule multistage: wgmma reads K-major alone, and there "
                             "is no warpgroup that transposes",
                             err);
    }
    if (operands[i]->align >= chunk_bytes) continue;
    return gg_refuse(plan, &asked[i]->align,
                     is_a ? "A that is transposed, aligned to" : "B that is transposed, aligned to",
                     asked[i]->align.text, "16: a tensor map brings it", err);
  }
  return GG_OK;
}

/* Checks the tile of an operand that is transposed. If the spec asks for no swizzle, it follows
 * from the tile's K. */
gg_status gg_sm90_check_transposed_tile(const gg_plan *plan, const gg_sm90_tile *tile, bool is_a,
                                        gg_swizzle_kind swizzle, gg_error *err) {
  const gg_spec *spec = plan->spec;
  const gg_spec_field *asked = is_a ? &spec->swizzle.a : &spec->swizzle.b;
  int bits = gg_dtype_info_of((is_a ? &plan->a : &plan->b)->type)->bits;
  bool split = !is_a && gg_plan_is_split(plan);
  gg_status st = gg_check_multiple(is_a != plan->swap_ab ? "tile M" : "tile N",
                                   is_a ? tile->m : tile->n, split ? 2 * warp_width : warp_width,
                                   split ? "2 halves of N x 32 lines that a warp transposes"
                                         : "lines that a warp transposes",
                                   gg_element_mark(&spec->tile, is_a ? 0 : 1), err);
  if (!st)
    st = gg_check_multiple("tile K", tile->k, line_bytes * 8 / bits,
                           "128 bytes of a line that is transposed",
                           gg_element_mark(&spec->tile, 2), err);
  if (st || swizzle == GG_SWIZZLE_128B) return st;
  return gg_refuse(plan, asked, "swizzle", asked->text, "128B where an operand is transposed", err);
}

/* ---- Boxes -------------------------------------------------------------------------------- */

/* The width of the boxes: as wide as they can be while they divide the tile; for a split gate, both
 * of its halves. */
int gg_sm90_raw_width(const gg_plan *plan, bool is_a, int mn) {
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  bool split = !is_a && gg_plan_is_split(plan);
  int width = line_bytes * 8 / gg_dtype_info_of(operand->type)->bits;
  int most = split ? gg_sm90_split_most(plan, mn) : width;
  while (mn % width != 0 || width > most)
    width /= 2;
  return width;
}

gg_sm90_raw_boxes gg_sm90_raw_boxes_of(const gg_plan *plan, bool is_a) {
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  int bytes = gg_dtype_info_of(operand->type)->bits / 8, mn = is_a ? plan->tile_m : plan->tile_n;
  gg_sm90_raw_boxes out = {.width = gg_sm90_raw_width(plan, is_a, mn), .lines = line_bytes / bytes};
  out.bytes = (int64_t)mn * plan->tile_k * bytes;
  out.count = (int)(out.bytes / ((int64_t)out.width * line_bytes));
  out.across = mn / out.width;
  out.warps = out.width / warp_width;
  return out;
}

/* The cell of a box that a lane moves. */
typedef struct cell {
  int quad, chunk; /* along M or N, along K */
} cell;

static cell cell_of(const gg_sm90_raw_boxes *boxes, int warp, int turn, int lane) {
  int quads = boxes->width / cell_width;
  int diagonal = lane / quads + GG_WARP / quads * (warp * 2 + turn), quad = lane % quads;
  return (cell){quad, (quad ^ diagonal) % chunks};
}

/* One of a lane's two cells, in all lanes of a warp. */
typedef struct move {
  const gg_sm90_raw_boxes *boxes;
  const gg_composed *smem; /* the K-major tile */
  int64_t mn;              /* its lines */
  int bytes;               /* of an element */
  int box, warp, turn;
} move;

static int64_t box_begin(const move *m) {
  return (int64_t)m->box * m->boxes->width * line_bytes;
}

static void count_reads(gg_smem_access *access, const move *m) {
  int steps = chunk_bytes / m->bytes;
  for (int step = 0; step < steps; step++) {
    int64_t address[GG_WARP];
    for (int lane = 0; lane < GG_WARP; lane++) {
      cell at = cell_of(m->boxes, m->warp, m->turn, lane);
      int element = (at.chunk * steps + step) * m->boxes->width + at.quad * cell_width;
      address[lane] = box_begin(m) + (int64_t)element * m->bytes;
    }
    gg_smem_access_count(access, address);
  }
}

/* Counts the stores; returns how many of them go to where the layout has what they store. */
static int64_t count_writes(gg_smem_access *access, const move *m) {
  int across = m->boxes->across, right = 0;
  for (int row = 0; row < cell_width; row++) {
    int64_t address[GG_WARP];
    for (int lane = 0; lane < GG_WARP; lane++) {
      cell at = cell_of(m->boxes, m->warp, m->turn, lane);
      int line = at.quad * cell_width + row;
      address[lane] =
          box_begin(m) + line * line_bytes + (at.chunk ^ line % chunks) * (int64_t)chunk_bytes;
      int64_t k = m->box / across * m->boxes->lines + at.chunk * chunk_bytes / m->bytes;
      int64_t place = m->box % across * m->boxes->width + line + k * m->mn;
      right += gg_composed_at(m->smem, place) * m->bytes == address[lane];
    }
    gg_smem_access_count(access, address);
  }
  return right;
}

static void add_map(gg_layouts *out, const gg_sm90_raw_boxes *boxes, gg_operand_id id,
                    gg_dtype type) {
  out->maps[out->map_count++] = (gg_tensor_map){.operand = id,
                                                .type = type,
                                                .rank = 3,
                                                .modes = {GG_MAP_LINE, GG_MAP_LINES, GG_MAP_BATCH},
                                                .box = {boxes->width, boxes->lines, 1}};
}

gg_status gg_sm90_derive_transposed(gg_layouts *out, const gg_plan *plan, bool is_a,
                                    gg_error *err) {
  const gg_sm90_raw_boxes boxes = gg_sm90_raw_boxes_of(plan, is_a);
  const gg_operand *operand = is_a ? &plan->a : &plan->b;
  int bytes = gg_dtype_info_of(operand->type)->bits / 8;
  move m = {.boxes = &boxes,
            .smem = is_a ? &out->sA : &out->sB,
            .mn = is_a ? plan->tile_m : plan->tile_n,
            .bytes = bytes};
  add_map(out, &boxes, is_a ? GG_OPERAND_A : GG_OPERAND_B, operand->type);
  gg_smem_access *read = gg_layouts_access(out, is_a ? "transpose A from" : "transpose B from",
                                           cell_width * bytes),
                 *write = gg_layouts_access(out, is_a ? "transpose A to" : "transpose B to",
                                            chunk_bytes);
  if (boxes.width * bytes < line_bytes) read->why = "boxes narrower than 128 bytes";
  int64_t right = 0, all = boxes.bytes / chunk_bytes;
  for (m.box = 0; m.box < boxes.count; m.box++) {
    for (m.warp = 0; m.warp < boxes.warps; m.warp++) {
      for (m.turn = 0; m.turn < 2; m.turn++) {
        count_reads(read, &m);
        right += count_writes(write, &m);
      }
    }
  }
  if (right == all) return GG_OK;
  return gg_fail(err, DERIVE_COVER, NULL, is_a ? "sA" : "sB", (long long)right, (long long)all);
}
