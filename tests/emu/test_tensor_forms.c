/* Tensor copies that came with sm_100: packed elements of 4 and 6 bits, swizzles of chunks of 32
 * and 64 bytes, .tile::gather4 and .tile::scatter4. A kernel copies one box into shared memory or
 * out of it; each element is then looked up, bit by bit, where its coordinates say that it is. */
#include <stdio.h>
#include <string.h>

#include "emu/async/tensor_map.h"
#include "emu/emu.h"
#include "suite.h"

enum { columns = 256, rows = 32, lines = 4, smem = 1024, global_bytes = rows * columns * 2 };

typedef struct box_case {
  emu_tensor_type type;
  emu_tensor_swizzle swizzle;
  bool four, stores;
  int x, y[lines];
  const char *replace; /* code that changes the map in global memory first */
} box_case;

#define ANYWHERE                                                                                   \
  { 7, 2, 29, 2 }
#define OUTSIDE                                                                                    \
  { 31, -1, 32, 0 }
#define APART                                                                                      \
  { 30, 3, 17, 8 }
#define BEYOND                                                                                     \
  { 31, 32, 4, 0x7fffffff }
#define FROM(y)                                                                                    \
  { y, y + 1, y + 2, y + 3 }

static const box_case cases[] = {
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, false, 64, ANYWHERE, NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_NONE, true, false, 0, OUTSIDE, NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, true, 128, APART, NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, true, 64, BEYOND, NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B_ATOM_32B, false, false, 64, FROM(5), NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B, false, false, 0, FROM(5), NULL},
    {EMU_TENSOR_BF16, EMU_SWIZZLE_128B_ATOM_64B, false, true, 192, FROM(8), NULL},
    {EMU_TENSOR_16U4_ALIGN8B, EMU_SWIZZLE_64B, false, false, 128, FROM(3), NULL},
    {EMU_TENSOR_16U4_ALIGN8B, EMU_SWIZZLE_NONE, false, true, 96, FROM(11), NULL},
    {EMU_TENSOR_16U4_ALIGN8B, EMU_SWIZZLE_64B, true, false, 32, OUTSIDE, NULL},
    {EMU_TENSOR_16U4_ALIGN16B, EMU_SWIZZLE_NONE, false, false, 128, FROM(0), NULL},
    {EMU_TENSOR_16U4_ALIGN16B, EMU_SWIZZLE_128B, false, false, 0, FROM(-2), NULL},
    {EMU_TENSOR_16U4_ALIGN16B, EMU_SWIZZLE_128B_ATOM_32B, true, false, 128, ANYWHERE, NULL},
    {EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_128B, false, false, 128, FROM(4), NULL},
    {EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_NONE, true, false, 0, OUTSIDE, NULL},
    {EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_128B, false, true, 0, FROM(20), NULL},
    {EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_128B_ATOM_64B, true, true, 128, APART, NULL},
    {EMU_TENSOR_16U4_ALIGN16B, EMU_SWIZZLE_128B_ATOM_32B, false, false, 0, FROM(4),
     "tensormap.replace.tile.elemtype.global.b1024.b32 [%d4], 14;\n"
     "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d4], 1;\n"
     "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d4], 3;\n"},
};

/* ---- Where elements are ----------------------------------------------------------------- */

static int bits_of(emu_tensor_type type) {
  return type == EMU_TENSOR_BF16 ? 16 : type == EMU_TENSOR_16U6_ALIGN16B ? 6 : 4;
}

static bool is_padded(emu_tensor_type type) {
  return type == EMU_TENSOR_16U4_ALIGN16B || type == EMU_TENSOR_16U6_ALIGN16B;
}

static int inner_of(emu_tensor_type type) {
  return type == EMU_TENSOR_BF16 ? 64 : 128;
}

static int line_bytes(emu_tensor_type type) {
  return type == EMU_TENSOR_16U4_ALIGN8B ? 64 : 128;
}

/* Of a line of 128 bytes of the tile: which chunk stands where chunk `chunk` would, in units of 8
 * bytes; line by line, as the ISA draws the patterns. */
static int exchanged(emu_tensor_swizzle swizzle, int line, int chunk) {
  switch (swizzle) {
  case EMU_SWIZZLE_64B:
    return chunk ^ (line % 4) * 2;
  case EMU_SWIZZLE_128B:
    return chunk ^ (line % 8) * 2;
  case EMU_SWIZZLE_128B_ATOM_32B:
    return chunk ^ (line % 4) * 4;
  case EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B:
    return chunk ^ (line % 4) * 4 ^ line % 2;
  case EMU_SWIZZLE_128B_ATOM_64B:
    return chunk ^ (line % 2) * 8;
  default:
    return chunk;
  }
}

static int shared_bit(const box_case *c, int line, int element) {
  int bits = bits_of(c->type), at = line * line_bytes(c->type) * 8;
  at += is_padded(c->type) ? element / 16 * 128 + element % 16 * bits : element * bits;
  int byte = at / 8, of_128 = byte / 128;
  int chunk = exchanged(c->swizzle, of_128, byte % 128 / 8);
  return (of_128 * 128 + chunk * 8 + byte % 8) * 8 + at % 8;
}

static int global_bit(const box_case *c, int y, int element) {
  int bits = bits_of(c->type);
  return (y * columns + c->x + element) * bits;
}

static bool bit_of(const uint8_t *bytes, int at) {
  return bytes[at / 8] >> at % 8 & 1;
}

/* ---- Running ---------------------------------------------------------------------------- */

typedef struct images {
  uint8_t global[global_bytes], shared[smem];
} images;

/* Shared memory is filled from the second buffer, and goes back to it. */
static const char kernel[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 shared, .param .u64 spare, .param .align 64 .b8 map[128]) {\n"
    ".shared .align 1024 .b8 buf[1024]; .shared .align 8 .b64 bar;\n"
    ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<16>;\n"
    "ld.param.u64 %%d1, [shared]; ld.param.u64 %%d4, [spare];\n"
    "mov.u32 %%r1, %%tid.x; setp.eq.u32 %%p1, %%r1, 0;\n"
    "shl.b32 %%r2, %%r1, 3; cvt.u64.u32 %%d2, %%r2; add.u64 %%d1, %%d1, %%d2;\n"
    "mov.u32 %%r3, buf; add.u32 %%r4, %%r3, %%r2; mov.u32 %%r5, bar;\n"
    "ld.global.u64 %%d3, [%%d1]; st.shared.u64 [%%r4], %%d3;\n"
    "@%%p1 mbarrier.init.shared::cta.b64 [%%r5], 1;\n"
    "fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta; bar.sync 0;\n"
    "mov.b64 %%d5, map; cvta.param.u64 %%d5, %%d5;\n"
    "@!%%p1 bra WAIT;\n%s%s"
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %%p2, [%%r5], 0; @!%%p2 bra WAIT;\n"
    "ld.shared.u64 %%d3, [%%r4]; st.global.u64 [%%d1], %%d3;\nret;\n}\n";

static const char map_to_spare[] =
    "mov.u64 %d6, 0;\nCOPY:\nadd.u64 %d7, %d5, %d6; add.u64 %d8, %d4, %d6;\n"
    "ld.u64 %d9, [%d7]; st.global.u64 [%d8], %d9;\n"
    "add.u64 %d6, %d6, 8; setp.lt.u64 %p3, %d6, 128; @%p3 bra COPY;\n";
static const char use_spare[] = "fence.proxy.tensormap::generic.release.gpu;\n"
                                "fence.proxy.tensormap::generic.acquire.gpu [%d4], 128;\n"
                                "mov.u64 %d5, %d4;\n";

static void write_copy(char *out, size_t room, const box_case *c) {
  char at[128];
  if (c->four) {
    snprintf(at, sizeof at, "%d, %d, %d, %d, %d", c->x, c->y[0], c->y[1], c->y[2], c->y[3]);
  } else {
    snprintf(at, sizeof at, "%d, %d", c->x, c->y[0]);
  }
  if (c->stores) {
    snprintf(out, room,
             "cp.async.bulk.tensor.2d.global.shared::cta.%s.bulk_group [%%d5, {%s}], [%%r3];\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
             "mbarrier.arrive.shared::cta.b64 _, [%%r5];\n",
             c->four ? "tile::scatter4" : "tile", at);
  } else {
    snprintf(out, room,
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r5], %d;\n"
             "cp.async.bulk.tensor.2d.shared::cta.global.%s.mbarrier::complete_tx::bytes [%%r3], "
             "[%%d5, {%s}], [%%r5];\n",
             lines * inner_of(c->type) * bits_of(c->type) / 8, c->four ? "tile::gather4" : "tile",
             at);
  }
}

static emu_tensor_map map_of(const box_case *c, uint64_t address) {
  uint32_t stride = columns * (uint32_t)bits_of(c->type) / 8;
  emu_tensor_map map = {.type = c->type,
                        .rank = 2,
                        .address = address,
                        .dims = {columns, rows},
                        .strides = {stride},
                        .box = {(uint32_t)inner_of(c->type), c->four ? 1 : lines},
                        .element_strides = {1, 1},
                        .swizzle = c->swizzle};
  if (c->replace) {
    map.type = EMU_TENSOR_16U4_ALIGN8B;
    map.swizzle = EMU_SWIZZLE_64B;
  }
  return map;
}

static gg_status run(images *io, const box_case *c, gg_error *err) {
  char text[4096], copy[512], replace[1024] = "";
  emu_device *device = NULL;
  emu_module *module;
  uint64_t global;
  struct {
    uint64_t shared, spare;
    uint8_t pad[48], map[EMU_TENSOR_MAP_BYTES];
  } params = {0};
  write_copy(copy, sizeof copy, c);
  if (c->replace) snprintf(replace, sizeof replace, "%s%s%s", map_to_spare, c->replace, use_spare);
  snprintf(text, sizeof text, kernel, replace, copy);
  emu_launch_config config = {.grid = {1, 1, 1}, .block = {smem / 8, 1, 1}, .params = &params};
  const emu_options options = {.arch = 100};
  gg_status st = emu_device_open(&device, &options, err);
  if (!st) st = emu_memory_alloc(&global, device, global_bytes, 1024, err);
  if (!st) st = emu_memory_alloc(&params.shared, device, smem, 1024, err);
  if (!st) st = emu_memory_alloc(&params.spare, device, EMU_TENSOR_MAP_BYTES, 128, err);
  if (!st) st = emu_memory_write(device, global, io->global, global_bytes, err);
  if (!st) st = emu_memory_write(device, params.shared, io->shared, smem, err);
  emu_tensor_map map = map_of(c, st ? 0 : global);
  if (!st) st = emu_tensor_map_encode(params.map, &map, options.arch, err);
  if (!st) st = emu_module_load(&module, device, "test.ptx", text, strlen(text), err);
  if (!st) st = emu_launch(device, emu_module_kernel(module, "k"), &config, err);
  if (!st) st = emu_memory_read(device, io->global, global, global_bytes, err);
  if (!st) st = emu_memory_read(device, io->shared, params.shared, smem, err);
  emu_device_close(device);
  return st;
}

static void fill(images *io) {
  uint8_t *bytes = (uint8_t *)io;
  for (uint32_t i = 0; i < sizeof *io; i++)
    bytes[i] = (uint8_t)((i + 7) * 2654435761u >> 11);
}

/* ---- Tests ------------------------------------------------------------------------------ */

static void check_load(const box_case *c, const images *before, const images *after) {
  for (int line = 0; line < lines; line++) {
    int y = c->y[line];
    for (int i = 0; i < inner_of(c->type) * bits_of(c->type); i++) {
      int element = i / bits_of(c->type), bit = i % bits_of(c->type);
      bool inside = y >= 0 && y < rows;
      bool want = inside && bit_of(before->global, global_bit(c, y, element) + bit);
      ck_assert_msg(bit_of(after->shared, shared_bit(c, line, element) + bit) == want,
                    "case %d: line %d, element %d, bit %d", (int)(c - cases), line, element, bit);
    }
  }
  int end = lines * line_bytes(c->type);
  ck_assert_mem_eq(after->shared + end, before->shared + end, (size_t)(smem - end));
}

static void check_store(const box_case *c, const images *before, const images *after) {
  static uint8_t want[global_bytes];
  memcpy(want, before->global, sizeof want);
  for (int line = 0; line < lines; line++) {
    if (c->y[line] >= rows) continue;
    for (int i = 0; i < inner_of(c->type) * bits_of(c->type); i++) {
      int element = i / bits_of(c->type), bit = i % bits_of(c->type);
      int at = global_bit(c, c->y[line], element) + bit;
      bool value = bit_of(before->shared, shared_bit(c, line, element) + bit);
      want[at / 8] = (uint8_t)((want[at / 8] & ~(1 << at % 8)) | value << at % 8);
    }
  }
  ck_assert_mem_eq(after->global, want, sizeof want);
}

START_TEST(test_boxes) {
  static images before, after;
  const box_case *c = &cases[_i];
  gg_error err = GG_ERROR_INIT;
  fill(&before);
  after = before;
  gg_status st = run(&after, c, &err);
  ck_assert_msg(!st, "%s", err.message);
  (c->stores ? check_store : check_load)(c, &before, &after);
}
END_TEST

#define MODE(MODE) "tensormap.replace.tile.swizzle_mode.global.b1024.b32 [%d4], " MODE ";\n"

static const struct {
  box_case box;
  gg_status code;
  const char *why;
} refused[] = {
    {{EMU_TENSOR_16U4_ALIGN16B, EMU_SWIZZLE_128B, false, true, 0, FROM(0), NULL},
     GG_E_EMU_TENSOR_MAP,
     "tensors of type 16U4_ALIGN16B are loaded, not stored"},
    {{EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_128B_ATOM_64B, false, false, 0, FROM(0), NULL},
     GG_E_EMU_TENSOR_MAP,
     "type 16U6_ALIGN16B has the swizzle 128B_ATOM_64B for stores alone"},
    {{EMU_TENSOR_16U6_ALIGN16B, EMU_SWIZZLE_128B, false, false, 64, FROM(0), NULL},
     GG_E_EMU_ILLEGAL,
     "the innermost coordinate is 64: of this type a copy takes multiples of 128"},
    {{EMU_TENSOR_16U4_ALIGN8B, EMU_SWIZZLE_64B, false, false, 16, FROM(0), NULL},
     GG_E_EMU_ILLEGAL,
     "the innermost coordinate, 16, is 8 bytes: a copy takes multiples of 16"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, false, false, 0, FROM(0),
      "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d4], 2;\n"},
     GG_E_EMU_TENSOR_MAP,
     "swizzle_mode 2 with swizzle_atomicity 2: modes are 0 to 3, and mode 3 (128B) alone has an "
     "atomicity other than 0, of 1 to 3"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, false, false, 0, FROM(0), MODE("4")},
     GG_E_EMU_TENSOR_MAP,
     "swizzle_mode 4 with swizzle_atomicity 0: modes are 0 to 3"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, false, false, 0, FROM(0), MODE("5")},
     GG_E_EMU_TENSOR_MAP,
     "swizzle_mode 5 with swizzle_atomicity 0: modes are 0 to 3"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, false, false, 0, FROM(0), MODE("6")},
     GG_E_EMU_TENSOR_MAP,
     "swizzle_mode 6 with swizzle_atomicity 0: modes are 0 to 3"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, false, false, 0, FROM(0), MODE("19")},
     GG_E_EMU_TENSOR_MAP,
     "swizzle_mode 7 or more with swizzle_atomicity 0: modes are 0 to 3"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, true, 0, {-1, 2, 3, 4}, NULL},
     GG_E_EMU_ILLEGAL,
     "coordinate 1 is -1: only loads take negative ones"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, true, 0, {1, 2, -7, 4}, NULL},
     GG_E_EMU_ILLEGAL,
     "coordinate 3 is -7: only loads take negative ones"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, true, 0, {1, 2, 3, -1}, NULL},
     GG_E_EMU_ILLEGAL,
     "coordinate 4 is -1: only loads take negative ones"},
    {{EMU_TENSOR_BF16, EMU_SWIZZLE_128B, true, false, 0, FROM(0),
      "tensormap.replace.tile.box_dim.global.b1024.b32 [%d4], 1, 4;\n"},
     GG_E_EMU_TENSOR_MAP,
     "boxDim[1] = 4: where four rows are copied each is a box of its own, and boxDim[1] is 1"},
};

START_TEST(test_refused) {
  static images io;
  gg_error err = GG_ERROR_INIT;
  fill(&io);
  ck_assert_int_eq(run(&io, &refused[_i].box, &err), refused[_i].code);
  ck_assert_msg(strstr(err.message, refused[_i].why), "%s", err.message);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tensor forms");
  TCase *tests = tcase_create("boxes");
  tcase_add_loop_test(tests, test_boxes, 0, sizeof cases / sizeof *cases);
  tcase_add_loop_test(tests, test_refused, 0, sizeof refused / sizeof *refused);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
