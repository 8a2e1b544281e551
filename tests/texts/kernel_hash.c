#include "kernel_hash.h"

#include "base/hash.h"
#include "base/str.h"
#include "emit/emit.h"

typedef long long ll; /* for printf */

/* ---- Launch facts --------------------------------------------------------------------- */

static const char letters[] = "-ABCD\0STUE"; /* by gg_operand_id */

static void print_param(gg_str *out, gg_param param) {
  static const char *const words[] = {
      [GG_PARAM_ADDRESS] = "pointer",
      [GG_PARAM_LD] = "ld",
      [GG_PARAM_BATCH_STRIDE] = "batch_stride",
      [GG_PARAM_MAP] = "map",
      [GG_PARAM_M] = "m",
      [GG_PARAM_N] = "n",
      [GG_PARAM_K] = "k",
      [GG_PARAM_BATCH] = "batch",
      [GG_PARAM_ALPHA] = "alpha",
      [GG_PARAM_BETA] = "beta",
      [GG_PARAM_WORKSPACE] = "workspace",
      [GG_PARAM_SHARED_TILES] = "shared_tiles",
      [GG_PARAM_GROUP_TILES] = "group_tiles",
      [GG_PARAM_GROUP_SHARES] = "group_shares",
      [GG_PARAM_NEXT_BESIDE] = "next_beside",
      [GG_PARAM_SUM_PARTS] = "sum_parts",
      [GG_PARAM_MAP_END] = "end",
      [GG_PARAM_EVICT_FIRST] = "evict_first",
      [GG_PARAM_MAP_SETS] = "map_sets",
      [GG_PARAM_GPCS] = "gpcs",
  };
  gg_str_printf(out, "param %s", words[param.kind]);
  if (param.operand == GG_OPERAND_EXTRA) {
    gg_str_printf(out, " %d", param.operation);
  } else if (param.operand) {
    gg_str_printf(out, " %c", letters[param.operand]);
  }
  gg_str_putc(out, '\n');
}

static void print_operand(gg_str *out, const char *name, gg_operand operand) {
  gg_str_printf(out, "%s %d %d %d\n", name, (int)operand.type, (int)operand.major, operand.align);
}

static void print_operation(gg_str *out, const gg_operation *op) {
  gg_str_printf(out, "operation %d %d %d %d %d\n", (int)op->kind, op->alpha, op->beta,
                (int)op->form, (int)op->along);
  print_operand(out, "of", op->operand);
}

static void print_facts(gg_str *out, const gg_kernel *kernel) {
  const gg_kernel *k = kernel;
  gg_str_printf(out, "%s %s %s\n", k->name, k->family, k->arch);
  print_operand(out, "A", k->a);
  print_operand(out, "B", k->b);
  print_operand(out, "C", k->c);
  print_operand(out, "D", k->d);
  gg_str_printf(out, "accumulator %d %d %d\n", (int)k->accumulator, k->accumulator_bits,
                k->accumulator_span);
  gg_str_printf(out, "fixed %lld %lld %lld %lld\n", (ll)k->fixed_m, (ll)k->fixed_n, (ll)k->fixed_k,
                (ll)k->fixed_batch);
  if (k->scale_a.block)
    gg_str_printf(out, "scales %d %d %d %d\n", (int)k->scale_a.type, k->scale_a.block,
                  (int)k->scale_b.type, k->scale_b.block);
  if (k->scale_d.block)
    gg_str_printf(out, "scales of D %d %d\n", (int)k->scale_d.type, k->scale_d.block);
  if (k->sparse_a) gg_str_puts(out, "sparse A\n");
  if (k->sparse_b) gg_str_puts(out, "sparse B\n");
  for (size_t i = 0; i < k->operation_count; i++)
    print_operation(out, &k->operations[i]);
  gg_str_printf(out, "grid %d splits %d tile %d %d %d warps %d\n", (int)k->grid, k->splits,
                k->tile_m, k->tile_n, k->tile_k, k->tile_warps);
  gg_str_printf(out, "dependent %d threads %d cluster %d %d %d smem %lld int32 %d\n", k->dependent,
                k->threads, k->cluster_m, k->cluster_n, k->cluster_k, (ll)k->smem_bytes,
                k->int32_coordinates);
  if (k->turns_pairs_m || k->turns_pairs_n)
    gg_str_printf(out, "pairs take turns %lld %lld\n", (ll)k->turns_pairs_m, (ll)k->turns_pairs_n);
  if (k->turns_halves_m || k->turns_halves_n)
    gg_str_printf(out, "halves take turns %lld %lld\n", (ll)k->turns_halves_m,
                  (ll)k->turns_halves_n);
  for (size_t i = 0; i < k->param_count; i++)
    print_param(out, k->params[i]);
  for (size_t i = 0; i < k->map_count; i++) {
    const gg_tensor_map *map = &k->maps[i];
    gg_str_printf(out, "map %c %d %d %d\n", letters[map->operand], map->box[0], map->box[1],
                  map->swizzle_bytes);
    if (map->unpacks) gg_str_puts(out, "unpacks\n");
    if (map->swizzle_wide) gg_str_puts(out, "wide\n");
    if (map->end) gg_str_puts(out, "end\n");
    if (map->rows_step) gg_str_printf(out, "each %d\n", map->rows_step);
  }
}

/* ---- Hashes --------------------------------------------------------------------------- */

uint64_t kernel_hash(uint64_t from, const gg_kernel *kernel) {
  size_t length;
  const char *code = gg_kernel_code(kernel, &length);
  gg_str facts = GG_STR_INIT;
  print_facts(&facts, kernel);
  from = gg_hash_bytes(from, code, length);
  from = gg_hash_bytes(from, gg_str_text(&facts), facts.length);
  gg_str_free(&facts);
  return from;
}
