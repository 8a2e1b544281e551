#include "tuned.h"

#include <stdlib.h>

#include "cache.h"
#include "choice/form.h"

gg_status gg_tuned_directory(gg_str *out, const char *asked, gg_error *err) {
  const char *own = asked ? asked : getenv("GEMMGEN_TUNED");
  const char *xdg = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (own) {
    gg_str_puts(out, own);
  } else if (xdg && *xdg == '/') { /* the XDG specification: a relative path is to be ignored */
    gg_str_printf(out, "%s/gemmgen/tuned", xdg);
  } else if (home && *home == '/') {
    gg_str_printf(out, "%s/.local/share/gemmgen/tuned", home);
  }
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

void gg_tuned_device(gg_str *out, const char *device) {
  for (const char *s = device; *s; s++) {
    bool upper = *s >= 'A' && *s <= 'Z';
    bool keeps = (*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || *s == '.';
    gg_str_putc(out, upper ? (char)(*s + ('a' - 'A')) : keeps ? *s : '-');
  }
}

/* A file's name has 255 bytes at most. A form's name gets up to 160 of them, the rest is for
 * extents: one that is longer because of its epilogue has a digest in place of that. */
static gg_status put_form(gg_str *out, const gg_form *form, gg_error *err) {
  enum { most = 160 };
  gg_str full = GG_STR_INIT;
  gg_status st = gg_form_full_name(&full, form, err);
  if (!st && full.length <= most) {
    gg_str_puts(out, gg_str_text(&full));
  } else if (!st) {
    const char *const texts[] = {gg_str_text(&full)};
    gg_cache_key key = gg_cache_key_of(texts, 1);
    gg_form_name(out, form);
    gg_str_puts(out, ",epilogue_");
    for (int i = 0; i < GG_CACHE_DIGEST; i++)
      gg_str_printf(out, "%02x", key.digest[i]);
  }
  gg_str_free(&full);
  return st;
}

gg_status gg_tuned_path(gg_str *out, const char *directory, const char *device, const gg_form *form,
                        gg_tuned_extents e, gg_error *err) {
  gg_str_printf(out, "%s/", directory);
  gg_tuned_device(out, device);
  gg_str_putc(out, '/');
  gg_status st = put_form(out, form, err);
  if (st) return st;
  gg_str_printf(out, ",%lldx%lldx%lld,b%lld.yaml", (long long)e.m, (long long)e.n, (long long)e.k,
                (long long)e.batch);
  return out->failed ? gg_fail(err, MEMORY, NULL, "") : GG_OK;
}

gg_tuned_extents gg_tuned_bucket(gg_tuned_extents extents) {
  int64_t m = 1;
  while (m < extents.m && m <= INT64_MAX / 2)
    m *= 2;
  extents.m = m < extents.m ? extents.m : m;
  return extents;
}
