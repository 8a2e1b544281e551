/* A launch in the emulator. page.js makes the tables and the timeline from the emulator's own JSON.
 */
#include <string.h>

#include "page/parts.h"

/* Bytes of a timeline at most. Events beyond are left out, and the page says how many. */
enum { timeline_most = 7 << 17 };

/* Puts whole lines of the timeline as far as there is room. Clusters come one after the other. */
static void put_timeline(gg_str *out, const char *timeline) {
  const char *at = strchr(timeline, '['), *end = strstr(timeline, "\n],");
  size_t room = timeline_most, left_out = 0;
  gg_str_puts(out, "<script type=\"application/json\" id=\"timeline\">{\"events\":[");
  if (at && end) {
    for (at += 2; at < end;) {
      size_t length = strcspn(at, "\n");
      bool last = at[length - 1] != ',';
      if (length > room) {
        left_out++;
        room = 0;
      } else {
        if (room < timeline_most) gg_str_putc(out, ',');
        gg_page_put_json(out, at, length - !last);
        room -= length;
      }
      at += length + 1;
    }
  }
  gg_str_printf(out, "],\"left_out\":%zu}</script>\n", left_out);
}

static void put_followed(gg_str *out, const gg_page_run *run) {
  if (!run->followed) return;
  gg_str_printf(out,
                "<h3>The way of A(%lld, %lld)</h3>\n"
                "<p>Where its first byte went, and what read it there: as the emulator saw it, in "
                "the first CTA that had it.</p>\n<div class=\"wide\" id=\"followed-table\"></div>\n"
                "<script type=\"application/json\" id=\"followed\">{\"row\":%lld,\"k\":%lld,"
                "\"events\":",
                (long long)run->row, (long long)run->along_k, (long long)run->row,
                (long long)run->along_k);
  gg_page_put_json(out, run->followed, strlen(run->followed));
  gg_str_puts(out, "}</script>\n");
}

void gg_page_launch(gg_str *out, const gg_page *page) {
  const gg_page_run *run = page->run;
  gg_str_printf(out,
                "<p>M %lld, N %lld, K %lld, batch %lld, on an emulated device of sm_%d. Time is in "
                "instructions of a cluster, its warps in turns: it says what waits for what, and "
                "nothing of seconds.</p>\n",
                (long long)run->m, (long long)run->n, (long long)run->k, (long long)run->batch,
                run->arch);
  gg_str_puts(
      out,
      "<h3>Timeline</h3>\n<div class=\"timeline\">\n<p class=\"tools\"><label>CTA "
      "<select id=\"timeline-cta\"></select></label>\n"
      "<button type=\"button\" data-do=\"in\">Closer</button>\n"
      "<button type=\"button\" data-do=\"out\">Farther</button>\n"
      "<button type=\"button\" data-do=\"left\">Earlier</button>\n"
      "<button type=\"button\" data-do=\"right\">Later</button>\n"
      "<button type=\"button\" data-do=\"all\">All</button></p>\n"
      "<p id=\"timeline-help\">Lanes are warps by their role, and the units that copy and multiply "
      "meanwhile. Colours and numbers are stages; pale: a wait. Arrow keys go from one "
      "event to the next and from lane to lane, + and - come closer and go farther, 0 shows all; "
      "a wheel with Ctrl, or dragging, does the same by pointer.</p>\n"
      "<ul class=\"key\" id=\"timeline-key\"></ul>\n"
      "<div class=\"canvas\"><canvas id=\"timeline-canvas\" tabindex=\"0\" role=\"img\" "
      "aria-label=\"Timeline; arrow keys move\" aria-describedby=\"timeline-said\"></canvas></div>\n"
      "<p class=\"said\" id=\"timeline-said\" aria-live=\"polite\"></p>\n</div>\n");
  put_timeline(out, run->timeline);
  put_followed(out, run);
  gg_str_puts(out, "<h3>Counters</h3>\n<div class=\"facts\" id=\"counters-tables\"></div>\n"
                   "<div class=\"wide\" id=\"sites-table\"></div>\n"
                   "<script type=\"application/json\" id=\"counters\">");
  gg_page_put_json(out, run->counters, strlen(run->counters));
  gg_str_puts(out, "</script>\n");
}
