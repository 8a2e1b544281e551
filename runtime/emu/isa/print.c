/* vprintf: format and arguments lie in the kernel's memory, arguments one behind the other, each
 * aligned to its size. (CUDA C++ Programming Guide, "Formatted Output".) */
#include <stdio.h>
#include <string.h>

#include "emu/isa/print.h"
#include "emu/memory.h"
#include "emu/state.h"

enum { text_most = 1 << 16, conversion_most = 32 };

/* One lane's load through a generic address. */
static bool read_lane(void *out, emu_warp *warp, const emu_op *op, int lane, uint64_t address,
                      unsigned bytes) {
  uint64_t addresses[EMU_LANES];
  uint8_t *host[EMU_LANES];
  addresses[lane] = address;
  if (!emu_access(warp, op, EMU_GENERIC, addresses, UINT32_C(1) << lane, bytes, EMU_READ, host)) {
    return false;
  }
  memcpy(out, host[lane], bytes);
  return true;
}

bool emu_read_text(gg_str *out, emu_warp *warp, const emu_op *op, int lane, uint64_t address) {
  for (uint32_t i = 0; i < text_most; i++) {
    char character;
    if (!read_lane(&character, warp, op, lane, address + i, 1)) return false;
    if (!character) return true;
    gg_str_putc(out, character);
  }
  return true;
}

/* The arguments of one lane's call. */
typedef struct printing {
  emu_warp *warp;
  const emu_op *op;
  int lane;
  uint64_t next; /* argument */
  uint32_t count;
} printing;

static bool next_argument(uint64_t *out, printing *p, unsigned bytes) {
  p->next = (p->next + bytes - 1) & ~(uint64_t)(bytes - 1);
  *out = 0;
  if (!read_lane(out, p->warp, p->op, p->lane, p->next, bytes)) return false;
  p->next += bytes;
  p->count++;
  return true;
}

/* Prints one argument by its conversion, which is a single, complete one of the kind it is for. */
static bool put_argument(gg_str *out, printing *p, char *conversion, size_t length, bool wide) {
  char kind = conversion[length - 1];
  uint64_t value;
  double number;
  if (strchr("diouxXc", kind)) {
    if (!next_argument(&value, p, wide ? 8 : 4)) return false;
    if (kind == 'c') {
      gg_str_printf(out, conversion, (int)value);
      return true;
    }
    memcpy(conversion + length - 1, "ll", 2);
    conversion[length + 1] = kind;
    conversion[length + 2] = '\0';
    if (!wide && (kind == 'd' || kind == 'i')) value = (uint64_t)(int64_t)(int32_t)value;
    gg_str_printf(out, conversion, (unsigned long long)value);
    return true;
  }
  if (!next_argument(&value, p, 8)) return false;
  if (kind == 's') {
    gg_str text = GG_STR_INIT;
    bool read = emu_read_text(&text, p->warp, p->op, p->lane, value);
    if (read) gg_str_printf(out, conversion, gg_str_text(&text));
    gg_str_free(&text);
    return read;
  }
  if (kind == 'p') {
    gg_str_printf(out, "0x%llx", (unsigned long long)value);
    return true;
  }
  memcpy(&number, &value, sizeof(number));
  gg_str_printf(out, conversion, number);
  return true;
}

/* Reads a conversion that starts behind a `%`: flags, width and precision with their stars filled
 * in go to `out`, which the caller has made large enough; *wide: it has ll, l, j, z or t. Returns
 * the text behind it; NULL after a fault; an unknown conversion leaves *length 0. */
static const char *read_conversion(char *out, size_t *length, bool *wide, printing *p,
                                   const char *at) {
  size_t n = 0;
  out[n++] = '%';
  *wide = false;
  for (; *at && strchr("-+ #0123456789.*", *at) && n < conversion_most - 16; at++) {
    if (*at != '*') {
      out[n++] = *at;
      continue;
    }
    uint64_t value;
    if (!next_argument(&value, p, 4)) return NULL;
    int width = (int32_t)value;
    if (width > 4096) width = 4096;
    if (width < -4096) width = -4096;
    n += (size_t)snprintf(out + n, 8, "%d", width);
  }
  for (; *at && strchr("hlLjzt", *at); at++) {
    *wide |= *at != 'h';
  }
  *length = 0;
  if (*at && strchr("diouxXcspeEfFgGaA", *at)) {
    out[n++] = *at++;
    *length = n;
  }
  out[n] = '\0';
  return at;
}

/* Widths written out are bounded, so that one conversion cannot ask for gigabytes. */
static bool reasonable(const char *conversion) {
  int digits = 0;
  for (; *conversion; conversion++) {
    digits = *conversion >= '0' && *conversion <= '9' ? digits + 1 : 0;
    if (digits > 4) return false;
  }
  return true;
}

bool emu_print_lane(gg_str *out, uint32_t *printed, emu_warp *warp, const emu_op *op, int lane,
                    uint64_t format, uint64_t arguments) {
  gg_str text = GG_STR_INIT;
  printing p = {.warp = warp, .op = op, .lane = lane, .next = arguments};
  bool done = emu_read_text(&text, warp, op, lane, format);
  for (const char *at = gg_str_text(&text); done && *at;) {
    size_t plain = strcspn(at, "%");
    gg_str_append(out, at, plain);
    at += plain;
    if (!*at) break;
    if (*++at == '%') {
      gg_str_putc(out, *at++);
      continue;
    }
    char conversion[conversion_most + 4];
    size_t length;
    bool wide;
    at = read_conversion(conversion, &length, &wide, &p, at);
    if (!at) {
      done = false;
    } else if (!length || !reasonable(conversion)) {
      gg_str_puts(out, conversion);
    } else {
      done = put_argument(out, &p, conversion, length, wide);
    }
  }
  gg_str_free(&text);
  *printed = p.count;
  return done;
}

void emu_print(emu_warp *warp, const gg_str *text) {
  const emu_run *run = warp->cta->cluster->run;
  if (!text->length) return;
  pthread_mutex_lock(&run->state->lock);
  if (run->options->print) {
    run->options->print(run->options->print_user, text->text, text->length);
  } else {
    fwrite(text->text, 1, text->length, stdout);
    fflush(stdout);
  }
  pthread_mutex_unlock(&run->state->lock);
}
