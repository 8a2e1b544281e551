/* Family naive: plan -> what templates/naive.cu names. */
#include "atom/dtype.h"
#include "emit/cuda_text.h"
#include "emit/skeleton.h"

static void write_sizes(gg_str *out, const gg_plan *plan) {
  const gg_cuda_flag majors[] = {
      {"a_k_major", plan->a.major == GG_MAJOR_K},
      {"b_k_major", plan->b.major == GG_MAJOR_K},
      {"d_n_major", plan->d.major == GG_MAJOR_N},
  };
  gg_str_printf(out, "constexpr int tile_m = %d, tile_n = %d;\n", plan->tile_m, plan->tile_n);
  gg_str_printf(out, "constexpr int threads = %d, acc_words = 1;\n", plan->threads);
  gg_cuda_write_flags(out, majors, sizeof majors / sizeof *majors);
  if (plan->has_c) {
    gg_str_printf(out, "constexpr bool c_n_major = %s;\n",
                  gg_cuda_bool(plan->c.major == GG_MAJOR_N));
  }
  gg_str_printf(out, "constexpr bool raster_along_m = %s;\n",
                gg_cuda_bool(plan->raster == GG_RASTER_ALONG_M));
  gg_str_printf(out, "constexpr int raster_group = %d;\n\n", plan->raster_group);
  gg_cuda_write_extents(out, plan);
}

gg_status gg_naive_bind(gg_bindings *out, const gg_plan *plan, const gg_layouts *layouts,
                        gg_error *err) {
  gg_str text = GG_STR_INIT, conversion = GG_STR_INIT;
  gg_cuda_bind_first(out, plan, "a_first", GG_OPERAND_A, "batch");
  gg_cuda_bind_first(out, plan, "b_first", GG_OPERAND_B, "batch");
  gg_bind_text(out, "d_element",
               plan->pointers
                   ? "D[batch][d_n_major ? row * ldd + col : col * ldd + row]"
                   : "D[batch * batch_stride_d + (d_n_major ? row * ldd + col : col * ldd + row)]");
  gg_str_puts(&text, "using int64 = long long;\n");
  gg_cuda_write_type(&text, "ab", plan->a.type);
  gg_cuda_write_types(&text, plan);
  gg_str_putc(&text, '\n');
  write_sizes(&text, plan);
  gg_bind_str(out, "sizes", &text);
  gg_cuda_write_widening(&conversion, "ab", plan->a.type);
  gg_status st = gg_cuda_bind(out, plan, layouts, "float", gg_str_text(&conversion), err);
  if (conversion.failed) out->failed = true;
  gg_str_free(&conversion);
  return st;
}
