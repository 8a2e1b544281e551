/* The most that the kernel can do on the device that it is planned for: rates from the device's
 * row, the roof over the tile's intensity, and what the model predicts for some products. */
#include <math.h>

#include "atom/dtype.h"
#include "choice/model.h"
#include "page/parts.h"
#include "plan/narrow.h"

enum { width = 640, height = 300, left = 96, right = 20, top = 16, bottom = 46 };

/* Axes with marks at powers of two. */
typedef struct axes {
  double low_x, high_x, low_y, high_y; /* FLOP per byte; FLOP per second */
} axes;

static double x_of(const axes *a, double intensity) {
  double share = log2(intensity / a->low_x) / log2(a->high_x / a->low_x);
  return left + share * (width - left - right);
}

static double y_of(const axes *a, double rate) {
  double share = log2(rate / a->low_y) / log2(a->high_y / a->low_y);
  return height - bottom - share * (height - top - bottom);
}

/* The FLOP per second that the kernel's instructions reach on all multiprocessors together. */
static double peak_of(const gg_plan *plan, const gg_model *model) {
  const gg_device_model *device = model->device;
  double rate = model->rate > 0 ? model->rate
                                : gg_device_mma_rate(device, plan->a.type, gg_plan_is_packed(plan),
                                                     plan->sparse_a);
  return rate * model->tensor_share * device->sm_count;
}

/* FLOP per byte of A and B that a tile reads. */
static double tile_intensity(const gg_plan *plan) {
  double bits = (double)plan->tile_m * gg_plan_k_of_a(plan, plan->tile_k) *
                    gg_dtype_info_of(plan->a.type)->bits +
                (double)plan->tile_n * plan->tile_k * gg_dtype_info_of(plan->b.type)->bits;
  return 2.0 * plan->tile_m * plan->tile_n * plan->tile_k / (bits / 8);
}

/* FLOP per byte of A, B and D, for a product whose three extents are `side`. */
static double product_intensity(const gg_plan *plan, double side) {
  double bits = gg_dtype_info_of(plan->a.type)->bits * (plan->sparse_a ? 0.5 : 1) +
                gg_dtype_info_of(plan->b.type)->bits + gg_dtype_info_of(plan->d.type)->bits;
  return 2 * side / (bits / 8);
}

/* ---- The drawing ------------------------------------------------------------------------ */

/* Draws a roof: from the left end up to the peak, then along it. */
static void put_roof(gg_str *out, const axes *a, double bytes_rate, double peak, const char *name,
                     const char *dash) {
  double ridge = peak / bytes_rate;
  gg_str_printf(out,
                "<path d=\"M%.1f %.1fL%.1f %.1fH%d\" class=\"roof\" stroke-dasharray=\"%s\"/>\n",
                x_of(a, a->low_x), y_of(a, a->low_x * bytes_rate), x_of(a, ridge), y_of(a, peak),
                width - right, dash);
  double at = a->low_x * 1.3;
  gg_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x_of(a, at) + 14,
                y_of(a, at * bytes_rate) + 8, name);
}

/* A point under a roof. */
static void put_point(gg_str *out, const axes *a, double intensity, double bytes_rate, double peak,
                      const char *name) {
  double rate = fmin(peak, intensity * bytes_rate), x = x_of(a, intensity), y = y_of(a, rate);
  gg_str_printf(out, "<path d=\"M%.1f %.1fV%d\" class=\"drop\"/>\n", x, y, height - bottom);
  gg_str_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", x, y);
  gg_str_printf(out, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">%s</text>\n", x,
                height - bottom + 34, name);
}

static void put_ticks(gg_str *out, const axes *a) {
  for (double x = a->low_x; x <= a->high_x; x *= 4)
    gg_str_printf(out, "<text x=\"%.1f\" y=\"%d\" class=\"middle soft\">%g</text>\n", x_of(a, x),
                  height - bottom + 16, x);
  for (double y = 1e9; y <= a->high_y; y *= 10) {
    if (y < a->low_y) continue;
    gg_str_printf(out, "<path d=\"M%d %.1fH%d\" class=\"grid\"/>\n", left, y_of(a, y),
                  width - right);
    gg_str_printf(out, "<text x=\"%d\" y=\"%.1f\" class=\"end soft\">%g TFLOP/s</text>\n", left - 4,
                  y_of(a, y) + 4, y / 1e12);
  }
}

static void put_drawing(gg_str *out, const gg_plan *plan, const gg_device_model *device,
                        double peak) {
  const axes a = {1, 16384, device->dram_rate, peak * 2};
  gg_str_printf(
      out,
      "<figure class=\"roofline\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Roofs "
      "of the device over FLOP a byte, and the kernel under them\">\n",
      width, height);
  put_ticks(out, &a);
  put_roof(out, &a, device->l2_rate, peak, "L2", "none");
  put_roof(out, &a, device->dram_rate, peak, "DRAM", "6 4");
  put_point(out, &a, tile_intensity(plan), device->l2_rate, peak, "a tile, from L2");
  put_point(out, &a, product_intensity(plan, 4096), device->dram_rate, peak,
            "4096 cubed, from DRAM");
  gg_str_puts(out,
              "</svg><figcaption>FLOP for each byte, and what that lets the device do: on the "
              "slope its bandwidth bounds, on the flat its multipliers.</figcaption></figure>\n");
}

/* ---- Tables ----------------------------------------------------------------------------- */

static void put_rate(gg_str *out, const char *name, double rate, const char *unit,
                     const char *remark) {
  gg_str_printf(out,
                "<tr><th scope=\"row\">%s</th><td class=\"number\">%.4g %s</td>"
                "<td class=\"remark\">%s</td></tr>\n",
                name, rate, unit, remark);
}

static void put_rates(gg_str *out, const gg_plan *plan, const gg_device_model *device,
                      double peak) {
  gg_str_printf(out,
                "<table class=\"facts\"><caption>%s, by its row of devices.def</caption><tbody>\n",
                device->name);
  put_rate(out, "multiprocessors", device->sm_count, "", "");
  put_rate(out, "multipliers", peak / 1e12, "TFLOP/s", "that this kernel's instructions reach");
  put_rate(out, "L2", device->l2_rate / 1e12, "TB/s", "read by all multiprocessors");
  put_rate(out, "DRAM", device->dram_rate / 1e12, "TB/s", "");
  put_rate(out, "ridge of L2", peak / device->l2_rate, "FLOP/B", "from here on multipliers bound");
  put_rate(out, "ridge of DRAM", peak / device->dram_rate, "FLOP/B", "likewise");
  put_rate(out, "a tile", tile_intensity(plan), "FLOP/B",
           plan->cluster_m * plan->cluster_n > 1 ? "alone; a cluster shares some of its bytes"
                                                 : "");
  gg_str_puts(out, "</tbody></table>\n");
}

/* Puts what the model predicts for cubes that the kernel can compute. */
static void put_predictions(gg_str *out, const gg_page *page, const gg_model *model, double peak) {
  gg_str_puts(out,
              "<div class=\"wide\"><table id=\"predictions\"><caption>What the model expects, not "
              "measured</caption><thead><tr><th scope=\"col\">M, N, K</th>"
              "<th scope=\"col\">µs</th><th scope=\"col\">TFLOP/s</th>"
              "<th scope=\"col\">of the roof</th><th scope=\"col\">tiles</th>"
              "<th scope=\"col\">rounds</th></tr></thead><tbody>\n");
  for (int64_t side = 1024; side <= 16384; side *= 2) {
    const gg_prediction p = gg_model_predict(model, (gg_extents){side, side, side, 1}, 0);
    if (!isfinite(p.seconds)) continue;
    double rate = 2.0 * (double)side * (double)side * (double)side / p.seconds;
    double roof =
        fmin(peak, product_intensity(page->plan, (double)side) * model->device->dram_rate);
    gg_str_printf(out,
                  "<tr><th scope=\"row\">%lld</th><td class=\"number\">%.1f</td>"
                  "<td class=\"number\">%.1f</td><td class=\"number\">%.0f %%</td>"
                  "<td class=\"number\">%.0f</td><td class=\"number\">%.0f</td></tr>\n",
                  (long long)side, p.seconds * 1e6, rate / 1e12, 100 * rate / roof, p.tiles,
                  p.rounds);
  }
  gg_str_puts(out, "</tbody></table></div>\n");
}

void gg_page_roofline(gg_str *out, const gg_page *page) {
  const gg_plan *plan = page->plan;
  const gg_device_model *device = gg_device_row(plan->arch.number);
  const gg_terms terms = gg_terms_of(plan, plan->arch.number);
  const gg_model model = gg_model_of(&terms, device);
  double peak = peak_of(plan, &model);
  if (!(peak > 0)) {
    gg_str_puts(out, "<p>Nothing is known of how fast this device multiplies these types.</p>\n");
    return;
  }
  put_rates(out, plan, device, peak);
  put_drawing(out, plan, device, peak);
  put_predictions(out, page, &model, peak);
}
