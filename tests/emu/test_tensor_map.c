/* Tensor maps: the checks of their encoding, its round trip, and the bytes of boxes against a
 * direct reference: every element found by its coordinates alone. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emu/async/box.h"
#include "suite.h"

static const emu_tensor_map legal = {.type = EMU_TENSOR_BF16,
                                     .rank = 3,
                                     .address = 0x10000,
                                     .dims = {64, 512, 8},
                                     .strides = {1024, 1 << 20},
                                     .box = {64, 128, 1},
                                     .element_strides = {1, 1, 1},
                                     .swizzle = EMU_SWIZZLE_128B};

/* ---- Encoding --------------------------------------------------------------------------- */

START_TEST(a_map_comes_back) {
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  emu_tensor_map map = legal, back;
  gg_error err = GG_ERROR_INIT;
  map.dims[1] = (uint64_t)1 << 32;
  map.strides[0] = ((uint64_t)1 << 40) - 16;
  map.box[2] = 256;
  map.element_strides[2] = 8;
  map.l2_promotion = 2;
  map.fill = EMU_FILL_NAN;
  ck_assert_msg(!emu_tensor_map_encode(bytes, &map, 90, &err), "%s", err.message);
  ck_assert(emu_tensor_map_decode(&back, bytes));
  ck_assert_int_eq(back.type, map.type);
  ck_assert_uint_eq(back.rank, map.rank);
  ck_assert_uint_eq(back.address, map.address);
  for (uint32_t i = 0; i < map.rank; i++) {
    ck_assert_uint_eq(back.dims[i], map.dims[i]);
    ck_assert_uint_eq(back.box[i], map.box[i]);
    ck_assert_uint_eq(back.element_strides[i], map.element_strides[i]);
    if (i + 1 < map.rank) ck_assert_uint_eq(back.strides[i], map.strides[i]);
  }
  ck_assert_int_eq(back.interleave, map.interleave);
  ck_assert_int_eq(back.swizzle, map.swizzle);
  ck_assert_uint_eq(back.l2_promotion, map.l2_promotion);
  ck_assert_int_eq(back.fill, map.fill);
  bytes[0] ^= 1;
  ck_assert(!emu_tensor_map_decode(&back, bytes));
}
END_TEST

/* Zeros are the map that a kernel begins to build: no field has a legal value by itself. */
START_TEST(zeros_are_a_map_of_zeros) {
  uint8_t bytes[EMU_TENSOR_MAP_BYTES] = {0};
  emu_tensor_map map;
  gg_str why = GG_STR_INIT;
  ck_assert(emu_tensor_map_decode(&map, bytes));
  ck_assert_uint_eq(map.rank, 0);
  map.rank = 2;
  ck_assert(emu_tensor_map_wrong(&why, &map, 90) && strstr(gg_str_text(&why), "globalDim[0] = 0"));
  map.dims[0] = map.dims[1] = 64;
  map.strides[0] = 128;
  map.box[0] = 1 << 20;
  emu_tensor_map_pack(bytes, &map);
  ck_assert(emu_tensor_map_decode(&map, bytes));
  ck_assert_uint_eq(map.box[0], 1 << 20);
  why.length = 0;
  ck_assert(emu_tensor_map_wrong(&why, &map, 90) &&
            strstr(gg_str_text(&why), "boxDim[0] = 1048576"));
  gg_str_free(&why);
}
END_TEST

/* One field of the legal map changed, and what the message says. */
static const struct {
  size_t offset;
  uint64_t value;
  size_t bytes;
  const char *message;
} wrong[] = {
#define FIELD(field, value, message)                                                               \
  { offsetof(emu_tensor_map, field), value, sizeof(((emu_tensor_map *)NULL)->field), message }
    FIELD(type, 13, "tensorDataType 13"),
    FIELD(rank, 0, "tensorRank 0"),
    FIELD(rank, 6, "tensorRank 6"),
    FIELD(address, 0x10008, "globalAddress 0x10008 is not a multiple of 16"),
    FIELD(dims[1], 0, "globalDim[1] = 0"),
    FIELD(dims[2], ((uint64_t)1 << 32) + 1, "globalDim[2]"),
    FIELD(strides[0], 1032, "globalStrides[0] = 1032 bytes: it is a multiple of 16"),
    FIELD(strides[1], (uint64_t)1 << 40, "globalStrides[1]"),
    FIELD(box[1], 0, "boxDim[1] = 0"),
    FIELD(box[1], 257, "boxDim[1] = 257"),
    FIELD(box[0], 4, "boxDim[0] = 4 elements are 8 bytes"),
    FIELD(box[0], 128, "swizzle 128B takes 128"),
    FIELD(element_strides[1], 0, "elementStrides[1] = 0"),
    FIELD(element_strides[1], 9, "elementStrides[1] = 9"),
    FIELD(interleave, 3, "interleave 3"),
    FIELD(swizzle, 4, "swizzle 4"),
    FIELD(swizzle, EMU_SWIZZLE_64B, "swizzle 64B takes 64"),
    FIELD(l2_promotion, 4, "l2Promotion 4"),
    FIELD(fill, 2, "oobFill 2"),
#undef FIELD
};

START_TEST(wrong_maps_are_refused) {
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  gg_error err = GG_ERROR_INIT;
  emu_tensor_map map = legal;
  memcpy((uint8_t *)&map + wrong[_i].offset, &wrong[_i].value, wrong[_i].bytes);
  ck_assert_int_eq(emu_tensor_map_encode(bytes, &map, 90, &err), GG_E_EMU_TENSOR_MAP);
  ck_assert_msg(strstr(err.message, wrong[_i].message), "%s", err.message);
  gg_error_clear(&err);
}
END_TEST

START_TEST(only_floats_have_nan) {
  uint8_t bytes[EMU_TENSOR_MAP_BYTES];
  emu_tensor_map map = legal;
  map.type = EMU_TENSOR_U16;
  map.fill = EMU_FILL_NAN;
  ck_assert_int_eq(emu_tensor_map_encode(bytes, &map, 90, NULL), GG_E_EMU_TENSOR_MAP);
}
END_TEST

/* Packed types and swizzles of other chunks are sm_100's. */
START_TEST(packed_maps_are_checked) {
  const emu_tensor_map packed = {.type = EMU_TENSOR_16U4_ALIGN16B,
                                 .rank = 2,
                                 .address = 0x10000,
                                 .dims = {256, 16},
                                 .strides = {128},
                                 .box = {128, 8},
                                 .element_strides = {1, 1},
                                 .swizzle = EMU_SWIZZLE_128B};
  static const struct {
    size_t at;
    uint32_t value;
    int arch;
    const char *why;
  } cases[] = {
      {offsetof(emu_tensor_map, type), EMU_TENSOR_16U6_ALIGN16B, 100, NULL},
      {offsetof(emu_tensor_map, type), 16, 100, "tensorDataType 16: it is 0 to 15 for sm_100"},
      {offsetof(emu_tensor_map, type), EMU_TENSOR_16U4_ALIGN8B, 90,
       "tensorDataType 13: it is 0 to 12 for sm_90, packed types need sm_100"},
      {offsetof(emu_tensor_map, swizzle), EMU_SWIZZLE_128B_ATOM_32B, 100, NULL},
      {offsetof(emu_tensor_map, swizzle), EMU_SWIZZLE_128B_ATOM_64B, 100,
       "swizzle 6 of type 16U4_ALIGN16B: it is 0, 3, or 4"},
      {offsetof(emu_tensor_map, swizzle), EMU_SWIZZLE_64B, 100,
       "swizzle 2 of type 16U4_ALIGN16B: it is 0, 3, or 4"},
      {offsetof(emu_tensor_map, swizzle), 7, 100, "swizzle 7: it is 0 to 6 for sm_100"},
      {offsetof(emu_tensor_map, dims[0]), 192, 100,
       "globalDim[0] = 192: of type 16U4_ALIGN16B it is a multiple of 128"},
      {offsetof(emu_tensor_map, box[0]), 64, 100,
       "boxDim[0] = 64: of type 16U4_ALIGN16B it is 128"},
      {offsetof(emu_tensor_map, strides[0]), 144, 100, "it is a multiple of 32 below 2^40"},
      {offsetof(emu_tensor_map, address), 0x10010, 100, "is not a multiple of 32"},
      {offsetof(emu_tensor_map, interleave), 1, 100, "the emulator has packed types with none"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    emu_tensor_map map = packed;
    gg_str why = GG_STR_INIT;
    memcpy((char *)&map + cases[i].at, &cases[i].value, sizeof cases[i].value);
    if (cases[i].at == offsetof(emu_tensor_map, interleave)) map.rank = 3, map.dims[2] = 1;
    bool is_wrong = emu_tensor_map_wrong(&why, &map, cases[i].arch);
    ck_assert_msg(is_wrong == !!cases[i].why, "%zu: %s", i, gg_str_text(&why));
    if (is_wrong) ck_assert_msg(strstr(gg_str_text(&why), cases[i].why), "%s", gg_str_text(&why));
    gg_str_free(&why);
  }
}
END_TEST

/* ---- Boxes ------------------------------------------------------------------------------ */

static uint64_t state = 1;

static uint32_t draw(uint32_t low, uint32_t high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (uint32_t)(state >> 33) % (high - low + 1);
}

static void draw_map(emu_tensor_map *map) {
  static const emu_tensor_type types[] = {EMU_TENSOR_U8, EMU_TENSOR_BF16, EMU_TENSOR_F32,
                                          EMU_TENSOR_F64};
  *map = (emu_tensor_map){.type = types[draw(0, 3)], .rank = draw(1, 5), .address = 4096};
  uint32_t size = emu_tensor_type_bits(map->type) / 8;
  if (map->rank > 2) map->interleave = (emu_tensor_interleave)draw(0, 2);
  uint64_t stride = 32 * draw(1, 10);
  map->dims[0] = stride / emu_tensor_map_global_bytes(map, 1);
  map->box[0] = 16 / size * draw(1, 8);
  map->swizzle = (emu_tensor_swizzle)draw(0, 3);
  while (map->swizzle && map->box[0] * size > 16u << map->swizzle)
    map->box[0] -= 16 / size;
  for (uint32_t i = 0; i < map->rank; i++) {
    map->element_strides[i] = draw(1, 3);
    if (!i) continue;
    map->strides[i - 1] = stride;
    map->dims[i] = draw(1, 9);
    map->box[i] = draw(1, 6);
    stride *= map->dims[i];
  }
}

/* The element at a place of the box, dimension by dimension: its address; 0 out of bounds. An
 * interleaved tensor's are pixels of 16 or 32 bytes, of one slice. */
static uint64_t reference(const emu_tensor_map *map, const int32_t at[5], uint32_t element) {
  uint64_t address = map->address;
  uint32_t pixel = 16u * (uint32_t)map->interleave;
  for (uint32_t i = 0; i < map->rank; i++) {
    uint32_t step = i || pixel ? map->element_strides[i] : 1;
    uint32_t extent = pixel && i + 2 == map->rank ? 1 : (map->box[i] + step - 1) / step;
    int64_t c = at[i] + (int64_t)(element % extent) * step;
    element /= extent;
    if (c < 0 || c >= (int64_t)map->dims[i]) return 0;
    uint64_t inner = pixel ? pixel : emu_tensor_type_bits(map->type) / 8;
    address += (uint64_t)c * (i ? map->strides[i - 1] : inner);
  }
  return address;
}

START_TEST(boxes_hold_their_elements) {
  for (int round = 0; round < 2000; round++) {
    emu_tensor_map map;
    draw_map(&map);
    emu_box box = {.map = &map};
    for (uint32_t i = 0; i < map.rank; i++)
      box.at[i] = (int32_t)draw(0, 24) - 8;
    uint32_t size = emu_tensor_map_global_bytes(&map, 1), seen = 0;
    uint32_t line = size * emu_tensor_map_extent(&map, 0), pitch = line; /* a span at least */
    if (map.swizzle && !map.interleave && line < 16u << map.swizzle) pitch = 16u << map.swizzle;
    uint64_t end = 0; /* of the last line in bounds */
    for (uint32_t r = 0; r < emu_box_rows(&map); r++) {
      emu_box_row row;
      emu_box_row_at(&row, &box, r);
      for (uint32_t b = 0; b < row.bytes; b += size, seen += size) {
        bool inside = b >= row.lead && b < row.lead + row.inside;
        uint64_t address = inside ? row.address + b - row.lead : 0;
        ck_assert_uint_eq(row.linear + b, seen / line * pitch + seen % line);
        ck_assert_msg(address == reference(&map, box.at, seen / size),
                      "round %d, byte %u of the box: 0x%" PRIx64, round, seen, address);
        if (inside) end = (seen / line + 1) * pitch;
      }
    }
    ck_assert_uint_eq(seen, emu_tensor_map_box_bytes(&map));
    if (map.swizzle) end = (end + 127) / 128 * 128;
    ck_assert_uint_eq(emu_box_span_inside(&box), end);
  }
}
END_TEST

START_TEST(large_boxes_are_large) {
  const emu_tensor_map map = {.type = EMU_TENSOR_F32,
                              .rank = 5,
                              .dims = {1, 1, 1, 1, 1},
                              .box = {4, 256, 256, 256, 16},
                              .element_strides = {1, 1, 1, 1, 1}};
  emu_box box = {.map = &map};
  ck_assert_uint_eq(emu_box_span(&map), (uint64_t)1 << 32);
  ck_assert_uint_eq(emu_box_rows_inside(&box), 1);
  ck_assert_uint_eq(emu_tensor_map_box_bytes(&map), (uint64_t)1 << 32);
}
END_TEST

/* The patterns as the PTX ISA draws them: of 8 rows of 128 bytes, the chunk where chunk 0 of each
 * row stands, and where chunk 5 of row 3 does. */
START_TEST(swizzles_exchange_chunks) {
  static const uint32_t first[4][8] = {
      {0, 0, 0, 0, 0, 0, 0, 0},
      {0, 1, 0, 1, 0, 1, 0, 1},
      {0, 1, 2, 3, 0, 1, 2, 3},
      {0, 1, 2, 3, 4, 5, 6, 7},
  };
  for (int mode = 0; mode < 4; mode++) {
    for (uint32_t row = 0; row < 8; row++) {
      for (uint32_t base = 0; base < 4096; base += 1024) {
        uint32_t at = emu_swizzled((emu_tensor_swizzle)mode, base + row * 128);
        ck_assert_uint_eq(at, base + row * 128 + first[mode][row] * 16);
      }
    }
  }
  /* Of sm_100: chunks of 32 and 64 bytes; the halves of 16 bytes swapped in every other line. */
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_32B, 2 * 128 + 40), 2 * 128 + 96 + 8);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_32B, 5 * 128 + 16), 5 * 128 + 32 + 16);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B, 5 * 128 + 16),
                    5 * 128 + 32 + 16 + 8);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B, 2 * 128 + 40),
                    2 * 128 + 96 + 8);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_64B, 3 * 128 + 80), 3 * 128 + 16);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B_ATOM_64B, 2 * 128 + 80), 2 * 128 + 80);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_128B, 3 * 128 + 5 * 16 + 7), 3 * 128 + 6 * 16 + 7);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_64B, 3 * 128 + 5 * 16), 3 * 128 + 6 * 16);
  ck_assert_uint_eq(emu_swizzled(EMU_SWIZZLE_32B, 3 * 128 + 5 * 16), 3 * 128 + 4 * 16);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("tensor maps");
  TCase *tcase = tcase_create("tensor maps");
  tcase_add_test(tcase, a_map_comes_back);
  tcase_add_test(tcase, packed_maps_are_checked);
  tcase_add_test(tcase, zeros_are_a_map_of_zeros);
  tcase_add_loop_test(tcase, wrong_maps_are_refused, 0, sizeof wrong / sizeof *wrong);
  tcase_add_test(tcase, only_floats_have_nan);
  tcase_add_test(tcase, boxes_hold_their_elements);
  tcase_add_test(tcase, large_boxes_are_large);
  tcase_add_test(tcase, swizzles_exchange_chunks);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
