/* Shared-memory bank conflicts.
 *
 * Shared memory has 32 banks of 4 bytes; a wavefront serves one 4-byte word of each. A warp's
 * access of up to 4 bytes a lane goes as one request; of 8 bytes as two half-warps; of 16 bytes
 * as four quarter-warps. Within a request, lanes that read the same word share it, and words in
 * the same bank take a wavefront each. (CUDA C++ Programming Guide, "Shared Memory"; the split
 * of wide accesses is what the profiler's wavefront counters show on sm_80 and sm_90.) */
#include "layout/banks.h"

#include <stdbool.h>
#include <string.h>

/* The distinct words of one request, by bank. */
typedef struct request {
  int64_t word[GG_BANKS][GG_WARP];
  int count[GG_BANKS];
} request;

static void touch(request *req, int64_t word) {
  int bank = (int)(word % GG_BANKS);
  for (int i = 0; i < req->count[bank]; i++) {
    if (req->word[bank][i] == word) return;
  }
  req->word[bank][req->count[bank]++] = word;
}

static gg_wavefronts count_request(const int64_t *address, int lanes, int bytes) {
  request req; /* word[] has as many entries as count[] says */
  memset(req.count, 0, sizeof req.count);
  gg_wavefronts w = {0, 0, 0};
  for (int lane = 0; lane < lanes; lane++) {
    if (address[lane] < 0) continue;
    int64_t last = (address[lane] + bytes - 1) / GG_BANK_BYTES;
    for (int64_t word = address[lane] / GG_BANK_BYTES; word <= last; word++)
      touch(&req, word);
  }
  int words = 0;
  for (int bank = 0; bank < GG_BANKS; bank++) {
    words += req.count[bank];
    if (req.count[bank] > 1) w.banks |= (uint32_t)1 << bank;
    if (req.count[bank] > w.taken) w.taken = req.count[bank];
  }
  w.least = (words + GG_BANKS - 1) / GG_BANKS;
  return w;
}

/* Counts the usual kind of request: addresses are multiples of the access's size, and no bank is
 * asked for two words. Then it is enough to look at whole accesses, or at the words of smaller
 * ones, and not at each word. False: it is another kind, which must be counted in full. */
static bool is_free(gg_wavefronts *out, const int64_t *address, int lanes, int bytes) {
  int64_t seen[GG_BANKS];
  uint32_t busy = 0;
  int unit = bytes < GG_BANK_BYTES ? GG_BANK_BYTES : bytes;
  int places = GG_BANKS * GG_BANK_BYTES / unit, log = __builtin_ctz((unsigned)unit);
  for (int lane = 0; lane < lanes; lane++) {
    if (address[lane] < 0) continue;
    if (address[lane] & (bytes - 1)) return false;
    int64_t at = address[lane] >> log;
    int place = (int)(at & (places - 1));
    bool is_busy = busy >> place & 1;
    if (is_busy && seen[place] != at) return false;
    busy |= (uint32_t)1 << place;
    seen[place] = at;
  }
  out->taken = out->least = busy != 0;
  out->banks = 0;
  return true;
}

gg_wavefronts gg_bank_wavefronts(const int64_t address[GG_WARP], int bytes) {
  int lanes = bytes <= GG_BANK_BYTES ? GG_WARP : GG_WARP * GG_BANK_BYTES / bytes;
  gg_wavefronts sum = {0, 0, 0};
  for (int first = 0; first < GG_WARP; first += lanes) {
    gg_wavefronts w;
    if (!is_free(&w, address + first, lanes, bytes))
      w = count_request(address + first, lanes, bytes);
    sum.taken += w.taken;
    sum.least += w.least;
    sum.banks |= w.banks;
  }
  return sum;
}
