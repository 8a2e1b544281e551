/* An expression of the layout calculator as a page. The list of its steps is made here. Where the
 * calculator was also compiled to WebAssembly, the page contains that, and calculator.js uses it to
 * make the list again whenever the expression is edited, with the same code. */
#include "calculator/tree.h"

#include "page/page.h"
#include "page/parts.h"

/* Puts the form by which the expression is edited. It is hidden until calculator.js finds that it
 * can calculate. */
static void put_form(gg_str *out, const char *expression, const gg_layout_options *options) {
  gg_str_puts(out, "<form id=\"edit\" hidden>\n<label for=\"expression\">Expression</label>\n"
                   "<input id=\"expression\" spellcheck=\"false\" autocomplete=\"off\" "
                   "aria-describedby=\"how wrong\" value=\"");
  gg_str_xml(out, expression);
  gg_str_printf(out,
                "\">\n<div class=\"tools\">"
                "<label>Coloured by the banks of elements of <input id=\"bits\" type=\"number\" "
                "min=\"0\" max=\"1024\" value=\"%lld\"> bits</label>"
                "<label>Threads and values over <input id=\"tile\" size=\"9\" value=\"",
                (long long)options->bits);
  gg_str_xml(out, options->tile ? options->tile : "");
  gg_str_printf(out,
                "\"></label><label><input id=\"compact\" type=\"checkbox\"%s> compact</label>"
                "<label><input id=\"cute\" type=\"checkbox\"%s> CuTe's notation</label></div>\n"
                "<p id=\"how\" class=\"remark\">Up and down change the number at the cursor.</p>\n"
                "<pre id=\"wrong\" class=\"spec\" role=\"alert\" hidden></pre>\n</form>\n",
                options->compact ? " checked" : "", options->cute ? " checked" : "");
}

gg_status gg_page_layout(gg_str *out, const char *expression, const gg_layout_options *options,
                         gg_error *err) {
  const char *module = gg_page_file("calculator.base64");
  gg_page_head(out, expression, *module);
  gg_str_printf(out,
                "<p>A layout and the steps that make it, by gemmgen %s.</p>\n</header>\n<main>\n",
                gg_version());
  if (*module) put_form(out, expression, options);
  gg_str_puts(out, "<div id=\"steps\">\n");
  gg_status st = gg_layout_tree(out, expression, options, err);
  if (st) return st;
  gg_str_puts(out, "</div>\n</main>\n");
  if (*module) {
    gg_str_puts(out, "<script type=\"application/octet-stream\" id=\"module\">");
    gg_str_puts(out, module);
    gg_str_puts(out, "</script>\n<script>\n");
    gg_str_puts(out, gg_page_file("calculator.js"));
    gg_str_puts(out, "</script>\n");
  }
  gg_str_puts(out, "</body>\n</html>\n");
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}
