/* Family sm90: how what a tile's epilogue reads is brought to shared memory before the tile's last
 * MMA ends.
 *
 * Matrices of consumers that share each tile. The ring of stages goes on behind a tile's last K
 * tile: the producer fetches C and other matrices like D, in boxes of tensor maps, to stages of
 * their own, each of which consumers release when they have read it. So matrices take no memory
 * from the stages, only turns in the ring, and they are under way (and before that, in L2) while
 * the tile is multiplied. All matrices of a tile are awaited before any of it is stored: what they
 * bring must be older than what is stored in its place, if C is D.
 *
 * Matrices of tiles that are finished while the next one is multiplied: by consumers that take
 * turns, or by family sm100's epilogue. In the ring of stages the next tile's K tiles would have to
 * wait for the stages that matrices are in. And in sm100 the tensor core empties the stages of
 * operands, while the epilogue's warps empty those of matrices, and one barrier cannot count now
 * the one, now the others. So matrices have a ring of their own there; each of the consumers that
 * take turns has one. Its stages hold sub-tiles: the rows of an MMA by the columns of one of D's
 * boxes, of all matrices together, in the order in which the epilogue finishes them. A warp of its
 * own fetches them, up to those of the next tile while this one is stored. So a sub-tile may arrive
 * when others of its tile have already been stored. If C is D, no sub-tile may then contain an
 * element of another. If a tile's last box begins within the one before it, that is not so, and its
 * sub-tile is awaited before the box before it is stored.
 *
 * Vectors. They may have any address, so a warp of the producer's warpgroup copies those of a tile,
 * element by element, to a buffer beside the stages. There is one buffer; if consumers take turns
 * at whole tiles, one for each of them.
 *
 * Threads that need it read what maps cannot address, and what does not fit. */
#include "atom/dtype.h"
#include "plan/operands.h"
#include "plan/operation.h"
#include "plan/scales.h"
#include "plan/sm90.h"

enum {
  line_bytes = 128,     /* bytes of a line of the widest swizzle's pattern */
  least_bytes = 16,     /* of a box's line; also the unit of a map's addresses and strides */
  pattern_bytes = 1024, /* bytes of the widest swizzle's pattern */
  pattern_lines = 8,    /* lines of any swizzle's pattern */
};

/* The operand of an operation that reads a matrix; NULL if it reads none. */
static const gg_operand *matrix_of(const gg_plan *plan, size_t index) {
  const gg_operation *operation = &plan->operations[index];
  if (operation->kind == GG_OP_LINEAR) return operation->beta ? &plan->c : NULL;
  bool reads = gg_operation_reads_matrix(operation);
  return reads ? &operation->operand : NULL;
}

/* ---- Matrices ---------------------------------------------------------------------------- */

/* Elements of a box along the contiguous mode: of `length`, as many as fit in a line of the widest
 * swizzle's pattern. */
static int line_of(const gg_operand *operand, int length) {
  int most = (int)gg_dtype_unit(operand->type, line_bytes), power = length & -length;
  return power < most ? power : most;
}

/* The number of pieces in which a box of `lines` lines comes: a tensor map brings at most
 * GG_BOX_EXTENT_MAX lines at once. Pieces that are whole patterns of the swizzle, one behind the
 * other, lie in memory as one box would. */
static int pieces_of(int lines) {
  int pieces = 1;
  while (lines / pieces > GG_BOX_EXTENT_MAX || lines % (pieces * pattern_lines) != 0)
    pieces++;
  return pieces;
}

/* Whether a matrix can be fetched, however wide its boxes are. A stage must hold a box, unless
 * matrices have stages of their own; then there must be warps to fetch them. And each box must
 * begin at a multiple of 16 bytes. What is in stages is read by warps that have all of its columns.
 */
static bool is_fetchable(const gg_plan *plan, const gg_operand *operand) {
  bool n_major = operand->major == GG_MAJOR_N, apart = gg_plan_fetches_subtiles(plan);
  int lines = n_major ? plan->tile_m : plan->tile_n;
  int columns = apart ? gg_plan_warp_columns(plan) : plan->tile_n; /* columns side by side */
  bool fetchers = !apart || gg_sm90_spare_warps(plan) >= gg_plan_subtile_rings(plan);
  bool whole = apart || gg_plan_column_parts(plan) == 1;
  return plan->specialised && !gg_sm90_has_copiers(plan) && fetchers && whole &&
         operand->align >= least_bytes &&
         (!n_major || gg_dtype_bytes(operand->type, columns) % least_bytes == 0) &&
         (apart || (int64_t)lines * line_bytes <= gg_sm90_stage_bytes(plan));
}

/* A sub-tile: the rows of an MMA by the columns of one of D's boxes, in boxes side by side. If a
 * warp reads one of two parts of the columns, it has both parts, the first one in front. */
static gg_fetched subtile_of(const gg_plan *plan, const gg_operand *operand, int columns) {
  bool n_major = operand->major == GG_MAJOR_N;
  int rows = gg_plan_mma_rows(plan), length = n_major ? columns : rows,
      line = line_of(operand, length);
  int lines = n_major ? rows : columns;
  return (gg_fetched){.operand = *operand,
                      .line = line,
                      .lines = lines,
                      .pieces = 1,
                      .bytes = gg_dtype_bytes(operand->type, (int64_t)line * lines),
                      .boxes = length / line * gg_plan_column_parts(plan)};
}

/* The boxes of a matrix that is fetched to the ring of stages. If N is contiguous, each of D's
 * boxes of columns has boxes of its own; else they have all columns of the tile. */
static gg_fetched boxes_of(const gg_plan *plan, const gg_operand *operand, int columns) {
  bool n_major = operand->major == GG_MAJOR_N;
  int length = n_major ? columns : plan->tile_m, line = line_of(operand, length);
  int lines = n_major ? plan->tile_m : plan->tile_n;
  int parts = n_major ? (plan->tile_n + columns - 1) / columns : 1;
  gg_fetched out = {.operand = *operand, .line = line, .lines = lines, .pieces = pieces_of(lines)};
  out.bytes = gg_dtype_bytes(operand->type, (int64_t)line * lines);
  out.boxes = parts * length / line;
  out.boxes_a_stage = (int)(gg_sm90_stage_bytes(plan) / out.bytes);
  if (out.boxes_a_stage > out.boxes) out.boxes_a_stage = out.boxes;
  out.stages = (out.boxes + out.boxes_a_stage - 1) / out.boxes_a_stage;
  return out;
}

/* The most matrices that can be fetched: as many as there are maps left for. */
static size_t most_fetched(const gg_plan *plan) {
  return (size_t)(GG_TENSOR_MAPS_MAX - gg_plan_own_maps(plan));
}

/* C comes last, so that a launch without a beta can leave it out. */
size_t gg_sm90_fetched_in(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan, int columns) {
  size_t count = 0;
  int stages = 0;
  for (int of_c = 0; of_c < 2; of_c++) {
    for (size_t i = 0; i < plan->operation_count && count < most_fetched(plan); i++) {
      const gg_operand *operand = matrix_of(plan, i);
      if (!operand || (operand == &plan->c) != of_c || !is_fetchable(plan, operand)) continue;
      gg_fetched matrix = gg_plan_fetches_subtiles(plan) ? subtile_of(plan, operand, columns)
                                                         : boxes_of(plan, operand, columns);
      matrix.operation = (int)i;
      matrix.is_c = of_c;
      matrix.first_stage = stages;
      matrix.begin = gg_sm90_subtile_bytes(out, count);
      stages += matrix.stages;
      out[count++] = matrix;
    }
  }
  return count;
}

/* Each matrix begins where a swizzle's pattern does. */
int64_t gg_sm90_subtile_bytes(const gg_fetched *all, size_t count) {
  if (count == 0) return 0;
  int64_t end = all[count - 1].begin + all[count - 1].boxes * all[count - 1].bytes;
  return (end + pattern_bytes - 1) / pattern_bytes * pattern_bytes;
}

size_t gg_sm90_fetched(gg_fetched out[GG_FETCHED_MAX], const gg_plan *plan) {
  return plan->fetches ? gg_sm90_fetched_in(out, plan, plan->epi_n) : 0;
}

bool gg_sm90_is_c_fetched(const gg_plan *plan) {
  gg_fetched all[GG_FETCHED_MAX];
  size_t count = gg_sm90_fetched(all, plan);
  return count > 0 && all[count - 1].is_c;
}

int gg_sm90_fetch_stages(const gg_plan *plan) {
  gg_fetched all[GG_FETCHED_MAX];
  return gg_sm90_stages_of(all, gg_sm90_fetched(all, plan));
}

bool gg_sm90_reads_directly(const gg_plan *plan, bool fetches) {
  size_t fetched = 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operand *operand = matrix_of(plan, i);
    if (!operand) continue;
    if (!fetches || !is_fetchable(plan, operand) || fetched == most_fetched(plan)) return true;
    fetched++;
  }
  return false;
}

/* ---- Vectors ----------------------------------------------------------------------------- */

int64_t gg_sm90_vectors_bytes(int64_t begin[GG_OPERATIONS_MAX], const gg_plan *plan) {
  int64_t bytes = 0;
  for (size_t i = 0; i < plan->operation_count; i++) {
    const gg_operation *operation = &plan->operations[i];
    if (begin) begin[i] = bytes;
    if (!gg_operation_reads_vector(operation)) continue;
    int64_t vector = gg_vector_bytes(plan, &operation->operand, gg_operation_span(operation));
    bytes += (vector + least_bytes - 1) / least_bytes * least_bytes;
  }
  return bytes;
}
