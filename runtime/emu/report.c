/* Counters: adding up, the banks of shared memory, the sectors of global memory, text and JSON.
 *
 * Shared memory has 32 banks of 4 bytes; a wavefront serves one 4-byte word of each. A warp's
 * access of up to 4 bytes for each lane is one request; one of 8 bytes is split into two half-warps
 * and one of 16 bytes into four quarter-warps. A load whose lanes have equal addresses in pairs
 * (lane i and i^1 for all active lanes, or i and i^2) has twice as many lanes in a request. Within
 * a request, lanes at the same word share it, and words of the same bank take a wavefront each.
 * (CUDA C++ Programming Guide, "Shared Memory"; the split and the pairs are as NVIDIA's engineers
 * state them for sm_70 and later, and as the profiler's wavefront counters show.) Global memory
 * moves sectors of 32 bytes. */
#include "emu/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "emu/isa/umma.h"

enum { banks = 32, bank_bytes = 4, sector_bytes = 32, sites_shown = 12 };

gg_status emu_counters_open(emu_counters *out, const emu_kernel *kernel, gg_error *err) {
  *out = (emu_counters)EMU_COUNTERS_INIT;
  uint32_t count = 0;
  while (kernel && emu_kernel_op(kernel, count))
    count++;
  if (!count) return GG_OK;
  out->sites = gg_malloc(count * sizeof *out->sites);
  if (!out->sites) return gg_fail(err, MEMORY, NULL, "");
  memset(out->sites, 0, count * sizeof *out->sites);
  out->site_count = count;
  out->kernel = kernel;
  return GG_OK;
}

void emu_counters_close(emu_counters *counters) {
  gg_free(counters->sites);
  emu_warnings_free(&counters->warnings);
  *counters = (emu_counters)EMU_COUNTERS_INIT;
}

static void add_site(emu_site *to, const emu_site *from) {
  to->accesses += from->accesses;
  to->wavefronts += from->wavefronts;
  to->ideal += from->ideal;
  to->sectors += from->sectors;
  to->ideal_sectors += from->ideal_sectors;
}

void emu_counters_add(emu_counters *to, emu_counters *from) {
  for (int kind = 0; kind < EMU_KIND_COUNT; kind++) {
    to->instructions[kind] += from->instructions[kind];
    to->thread_instructions[kind] += from->thread_instructions[kind];
  }
  to->tensor_macs += from->tensor_macs;
  for (int kind = 0; kind < EMU_COUNTED_KINDS; kind++) {
    to->umma_macs[kind] += from->umma_macs[kind];
    to->umma_count[kind] += from->umma_count[kind];
  }
  to->tmem_bytes_in += from->tmem_bytes_in;
  to->tmem_bytes_out += from->tmem_bytes_out;
  to->tmem_bytes_copied += from->tmem_bytes_copied;
  to->tmem_columns_read += from->tmem_columns_read;
  to->tmem_copies += from->tmem_copies;
  to->tmem_scale_copies += from->tmem_scale_copies;
  to->async_bytes_in += from->async_bytes_in;
  to->async_bytes_out += from->async_bytes_out;
  to->tma_bytes_in += from->tma_bytes_in;
  to->tma_bytes_multicast += from->tma_bytes_multicast;
  to->tma_bytes_out += from->tma_bytes_out;
  to->barrier_waits += from->barrier_waits;
  to->mbarrier_waits += from->mbarrier_waits;
  to->unwritten_reads += from->unwritten_reads;
  to->ctas += from->ctas;
  for (uint32_t i = 0; i < from->site_count && i < to->site_count; i++)
    add_site(&to->sites[i], &from->sites[i]);
  emu_warnings_move(&to->warnings, &from->warnings);
}

/* ---- Accesses --------------------------------------------------------------------------- */

/* The op's site; NULL if nobody asked for sites, or the op is in a function that the kernel calls.
 */
static emu_site *site_of(const emu_warp *warp, const emu_op *op) {
  emu_counters *counters = emu_counting(warp);
  if (op->index >= counters->site_count) return NULL;
  return emu_kernel_op(counters->kernel, op->index) == op ? &counters->sites[op->index] : NULL;
}

/* The distinct words of one request, by bank. Only the first count[bank] words of a bank are set.
 */
typedef struct request {
  uint32_t word[banks][EMU_LANES];
  uint8_t count[banks];
} request;

static void touch(request *req, uint32_t word) {
  uint32_t bank = word % banks;
  for (int i = 0; i < req->count[bank]; i++) {
    if (req->word[bank][i] == word) return;
  }
  req->word[bank][req->count[bank]++] = word;
}

static void count_request(emu_site *site, uint32_t lanes, const uint32_t offset[EMU_LANES],
                          unsigned bytes) {
  request req;
  memset(req.count, 0, sizeof req.count);
  for (; lanes; lanes &= lanes - 1) {
    uint32_t at = offset[__builtin_ctz(lanes)];
    for (uint32_t word = at / bank_bytes; word <= (at + bytes - 1) / bank_bytes; word++)
      touch(&req, word);
  }
  unsigned words = 0, most = 0;
  for (int bank = 0; bank < banks; bank++) {
    words += req.count[bank];
    if (req.count[bank] > most) most = req.count[bank];
  }
  site->wavefronts += most;
  site->ideal += (words + banks - 1) / banks;
}

/* Whether every active lane i is at the same offset as lane i ^ distance, if that is active. */
static bool agree_in_pairs(uint32_t lanes, const uint32_t offset[EMU_LANES], int distance) {
  for (uint32_t left = lanes; left; left &= left - 1) {
    int lane = __builtin_ctz(left), other = lane ^ distance;
    if (lanes >> other & 1 && offset[lane] != offset[other]) return false;
  }
  return true;
}

void emu_count_shared(emu_warp *warp, const emu_op *op, uint32_t lanes,
                      const uint32_t offset[EMU_LANES], unsigned bytes) {
  emu_site *site = site_of(warp, op);
  if (!site) return;
  unsigned size = bytes <= bank_bytes ? EMU_LANES : EMU_LANES * bank_bytes / bytes;
  if (size < EMU_LANES && op->kind == EMU_KIND_LOAD &&
      (agree_in_pairs(lanes, offset, 1) || agree_in_pairs(lanes, offset, 2))) {
    size *= 2;
  }
  site->accesses++;
  for (unsigned first = 0; first < EMU_LANES; first += size) {
    uint32_t part = (uint32_t)(((uint64_t)1 << size) - 1) << first & lanes;
    if (part) count_request(site, part, offset, bytes);
  }
}

void emu_count_global(emu_warp *warp, const emu_op *op, uint32_t lanes,
                      const uint64_t address[EMU_LANES], unsigned bytes) {
  emu_site *site = site_of(warp, op);
  if (!site) return;
  uint64_t sector[EMU_LANES];
  unsigned count = 0, wanted = bytes * (unsigned)__builtin_popcount(lanes);
  for (; lanes; lanes &= lanes - 1) {
    uint64_t at = address[__builtin_ctz(lanes)] / sector_bytes;
    unsigned i = count; /* from the newest on, because neighbours share sectors */
    while (i > 0 && sector[i - 1] != at)
      i--;
    if (i == 0) sector[count++] = at;
  }
  /* Lanes that share bytes need fewer sectors than their sum. */
  unsigned ideal = (wanted + sector_bytes - 1) / sector_bytes;
  site->accesses++;
  site->sectors += count;
  site->ideal_sectors += ideal < count ? ideal : count;
}

/* ---- Sums ------------------------------------------------------------------------------- */

static const char *const kind_names[EMU_KIND_COUNT] = {
    [EMU_KIND_INTEGER] = "integer", [EMU_KIND_FLOAT] = "float",
    [EMU_KIND_CONVERT] = "convert", [EMU_KIND_MOVE] = "move",
    [EMU_KIND_CONTROL] = "control", [EMU_KIND_BARRIER] = "barrier",
    [EMU_KIND_WARP] = "warp",       [EMU_KIND_LOAD] = "load",
    [EMU_KIND_STORE] = "store",     [EMU_KIND_ATOMIC] = "atomic",
    [EMU_KIND_MATRIX] = "matrix",   [EMU_KIND_MMA] = "mma",
    [EMU_KIND_WGMMA] = "wgmma",     [EMU_KIND_TCGEN05] = "tcgen05",
    [EMU_KIND_ASYNC_COPY] = "copy", [EMU_KIND_MBARRIER] = "mbarrier",
    [EMU_KIND_FENCE] = "fence",
};

#define OF_EACH_KIND(ROW)                                                                          \
  ROW(EMU_UMMA_F16, f16), ROW(EMU_UMMA_TF32, tf32), ROW(EMU_UMMA_F8F6F4, f8f6f4),                  \
      ROW(EMU_UMMA_I8, i8), ROW(EMU_UMMA_MXF8F6F4, mxf8f6f4), ROW(EMU_UMMA_MXF4, mxf4),            \
      ROW(EMU_UMMA_MXF4NVF4, mxf4nvf4)
#define MACS_ROW(ID, KIND)                                                                         \
  {                                                                                                \
    offsetof(emu_counters, umma_macs[ID]), "tcgen05_" #KIND "_macs",                               \
        "of them tcgen05.mma, kind::" #KIND                                                        \
  }
#define COUNT_ROW(ID, KIND)                                                                        \
  { offsetof(emu_counters, umma_count[ID]), "tcgen05_" #KIND "_mmas", "tcgen05.mma, kind::" #KIND }

/* The sums other than instructions, with their names in JSON and in text. */
static const struct {
  size_t offset;
  const char *name, *text;
} sums[] = {
    {offsetof(emu_counters, tensor_macs), "tensor_macs", "tensor-core multiply-adds"},
    OF_EACH_KIND(MACS_ROW),
    OF_EACH_KIND(COUNT_ROW),
    {offsetof(emu_counters, tmem_bytes_in), "tmem_bytes_in", "bytes stored to tensor memory"},
    {offsetof(emu_counters, tmem_bytes_out), "tmem_bytes_out", "bytes loaded from tensor memory"},
    {offsetof(emu_counters, tmem_bytes_copied), "tmem_bytes_copied",
     "bytes copied from shared memory to tensor memory"},
    {offsetof(emu_counters, tmem_columns_read), "tmem_columns_read",
     "columns of tensor memory read by loads and products"},
    {offsetof(emu_counters, tmem_copies), "tmem_copies", "copies to tensor memory"},
    {offsetof(emu_counters, tmem_scale_copies), "tmem_scale_copies",
     "of them to several 32 lanes, as scale factors are"},
    {offsetof(emu_counters, async_bytes_in), "async_bytes_in", "bytes copied to shared memory"},
    {offsetof(emu_counters, async_bytes_out), "async_bytes_out", "bytes copied from shared memory"},
    {offsetof(emu_counters, tma_bytes_in), "tma_bytes_in", "bytes loaded by TMA"},
    {offsetof(emu_counters, tma_bytes_multicast), "tma_bytes_multicast",
     "of them not read again: multicast brought them along"},
    {offsetof(emu_counters, tma_bytes_out), "tma_bytes_out", "bytes stored by TMA"},
    {offsetof(emu_counters, barrier_waits), "barrier_waits", "waits at barriers"},
    {offsetof(emu_counters, mbarrier_waits), "mbarrier_waits", "waits at mbarriers"},
    {offsetof(emu_counters, unwritten_reads), "unwritten_reads",
     "loads, and lines of wgmma's operands, of shared memory that nobody has written"},
};
enum { sum_count = sizeof sums / sizeof *sums };

static uint64_t sum_of(const emu_counters *counters, int index) {
  uint64_t value;
  memcpy(&value, (const char *)counters + sums[index].offset, sizeof value);
  return value;
}

/* The sums of all sites. */
static emu_site total_of(const emu_counters *counters) {
  emu_site total = {0};
  for (uint32_t i = 0; i < counters->site_count; i++)
    add_site(&total, &counters->sites[i]);
  return total;
}

static const char *kernel_name(const emu_counters *counters) {
  return counters->kernel ? emu_kernel_facts_of(counters->kernel).name : "";
}

/* "gemm.cu:41"; nothing without .loc. */
static void put_source(gg_str *out, const emu_counters *counters, uint32_t site) {
  const ptx_loc *loc = emu_kernel_op(counters->kernel, site)->ptx->loc;
  if (!loc) return;
  const char *path = ptx_file_path(emu_kernel_ptx(counters->kernel), loc->file);
  const char *slash = path ? strrchr(path, '/') : NULL;
  gg_str_printf(out, "%s:%" PRIu32, slash ? slash + 1 : path ? path : "?", loc->line);
}

/* ---- Text ------------------------------------------------------------------------------- */

static uint64_t surplus_of(const emu_site *site) {
  return site->wavefronts - site->ideal + site->sectors - site->ideal_sectors;
}

/* The site with the largest surplus that is below `below`, or equal to it if the site is behind
 * `after`; the first of equals. site_count if there is none left. */
static uint32_t next_worst(const emu_counters *counters, uint64_t below, uint32_t after) {
  uint32_t found = counters->site_count;
  uint64_t most = 0;
  for (uint32_t i = 0; i < counters->site_count; i++) {
    uint64_t surplus = surplus_of(&counters->sites[i]);
    bool left = surplus < below || (surplus == below && i > after);
    if (left && surplus > most) {
      most = surplus;
      found = i;
    }
  }
  return found;
}

static void text_site(gg_str *out, const emu_counters *counters, uint32_t index) {
  const emu_site *site = &counters->sites[index];
  const ptx_instruction *ptx = emu_kernel_op(counters->kernel, index)->ptx;
  gg_str source = GG_STR_INIT;
  put_source(&source, counters, index);
  gg_str_printf(out, "    line %" PRIu32 "%s%s  %s: %" PRIu64 " accesses", ptx->place.line,
                source.length ? ", " : "", gg_str_text(&source), ptx->form->text, site->accesses);
  if (site->wavefronts > site->ideal) {
    gg_str_printf(out, ", %" PRIu64 " wavefronts where %" PRIu64 " would do", site->wavefronts,
                  site->ideal);
  }
  if (site->sectors > site->ideal_sectors) {
    gg_str_printf(out, ", %" PRIu64 " sectors where %" PRIu64 " would do", site->sectors,
                  site->ideal_sectors);
  }
  gg_str_putc(out, '\n');
  gg_str_free(&source);
}

static void text_sites(gg_str *out, const emu_counters *counters) {
  emu_site total = total_of(counters);
  if (total.wavefronts) {
    gg_str_printf(out, "  %16" PRIu64 " shared-memory wavefronts, %" PRIu64 " of them conflicts\n",
                  total.wavefronts, total.wavefronts - total.ideal);
  }
  if (total.sectors) {
    gg_str_printf(out, "  %16" PRIu64 " global sectors, %" PRIu64 " more than the bytes need\n",
                  total.sectors, total.sectors - total.ideal_sectors);
  }
  uint32_t site = next_worst(counters, UINT64_MAX, 0);
  if (site < counters->site_count) gg_str_puts(out, "  accesses that move more than they need:\n");
  for (int shown = 0; site < counters->site_count && shown < sites_shown; shown++) {
    text_site(out, counters, site);
    site = next_worst(counters, surplus_of(&counters->sites[site]), site);
  }
  if (site < counters->site_count) gg_str_puts(out, "    and others, in the JSON\n");
}

void emu_counters_text(gg_str *out, const emu_counters *counters) {
  gg_str_printf(out, "%s: %" PRIu64 " CTAs\n  instructions         of warps       of threads\n",
                kernel_name(counters), counters->ctas);
  uint64_t warps = 0, threads = 0;
  for (int kind = 0; kind < EMU_KIND_COUNT; kind++) {
    if (!counters->instructions[kind]) continue;
    gg_str_printf(out, "    %-9s %16" PRIu64 " %16" PRIu64 "\n", kind_names[kind],
                  counters->instructions[kind], counters->thread_instructions[kind]);
    warps += counters->instructions[kind];
    threads += counters->thread_instructions[kind];
  }
  gg_str_printf(out, "    %-9s %16" PRIu64 " %16" PRIu64 "\n", "all", warps, threads);
  for (int i = 0; i < sum_count; i++) {
    uint64_t value = sum_of(counters, i);
    if (value) gg_str_printf(out, "  %16" PRIu64 " %s\n", value, sums[i].text);
  }
  text_sites(out, counters);
  for (const emu_warning *w = counters->warnings.first; w; w = w->next) {
    gg_str_puts(out, w == counters->warnings.first ? "  warnings:\n    " : "    ");
    emu_warning_text(out, w);
    gg_str_putc(out, '\n');
  }
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_site(gg_str *out, const emu_counters *counters, uint32_t index) {
  const emu_site *site = &counters->sites[index];
  const ptx_instruction *ptx = emu_kernel_op(counters->kernel, index)->ptx;
  gg_str source = GG_STR_INIT;
  put_source(&source, counters, index);
  gg_str_printf(out, "{\"line\": %" PRIu32 ", \"source\": ", ptx->place.line);
  gg_str_json(out, gg_str_text(&source));
  gg_str_puts(out, ", \"instruction\": ");
  gg_str_json(out, ptx->form->text);
  gg_str_printf(out,
                ", \"accesses\": %" PRIu64 ", \"wavefronts\": %" PRIu64
                ", \"ideal_wavefronts\": %" PRIu64 ", \"sectors\": %" PRIu64
                ", \"ideal_sectors\": %" PRIu64 "}",
                site->accesses, site->wavefronts, site->ideal, site->sectors, site->ideal_sectors);
  gg_str_free(&source);
}

void emu_counters_json(gg_str *out, const emu_counters *counters) {
  gg_str_puts(out, "{\"kernel\": ");
  gg_str_json(out, kernel_name(counters));
  gg_str_printf(out, ", \"ctas\": %" PRIu64 ",\n \"instructions\": {", counters->ctas);
  for (int kind = 0; kind < EMU_KIND_COUNT; kind++) {
    gg_str_printf(out, "%s\n  \"%s\": {\"warps\": %" PRIu64 ", \"threads\": %" PRIu64 "}",
                  kind ? "," : "", kind_names[kind], counters->instructions[kind],
                  counters->thread_instructions[kind]);
  }
  gg_str_puts(out, "},\n");
  for (int i = 0; i < sum_count; i++)
    gg_str_printf(out, " \"%s\": %" PRIu64 ",\n", sums[i].name, sum_of(counters, i));
  gg_str_puts(out, " \"warnings\": ");
  emu_warnings_json(out, &counters->warnings);
  gg_str_puts(out, ",\n \"sites\": [");
  bool first = true;
  for (uint32_t i = 0; i < counters->site_count; i++) {
    if (!counters->sites[i].accesses) continue;
    gg_str_puts(out, first ? "\n  " : ",\n  ");
    json_site(out, counters, i);
    first = false;
  }
  gg_str_puts(out, "]}");
}
