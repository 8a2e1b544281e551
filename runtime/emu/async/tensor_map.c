/* Tensor maps: the checks of cuTensorMapEncodeTiled (CUDA driver API, "Tensor Map Object
 * Management") and the emulator's encoding.
 *
 * Fields are at fixed offsets, and numbers are little-endian. Zeros are a map whose fields are
 * zero, which is not legal. So if a map is built from zeros by tensormap.replace and a field is
 * left out, that is found when the map is used. */
#include "emu/async/tensor_map.h"

#include <inttypes.h>
#include <string.h>

static const struct {
  uint8_t bits, shared_bits; /* of an element in global and in shared memory */
  bool is_float;
} types[EMU_TENSOR_TYPE_COUNT] = {
    [EMU_TENSOR_U8] = {8, 8, false},
    [EMU_TENSOR_U16] = {16, 16, false},
    [EMU_TENSOR_U32] = {32, 32, false},
    [EMU_TENSOR_S32] = {32, 32, false},
    [EMU_TENSOR_U64] = {64, 64, false},
    [EMU_TENSOR_S64] = {64, 64, false},
    [EMU_TENSOR_F16] = {16, 16, true},
    [EMU_TENSOR_F32] = {32, 32, true},
    [EMU_TENSOR_F64] = {64, 64, true},
    [EMU_TENSOR_BF16] = {16, 16, true},
    [EMU_TENSOR_F32_FTZ] = {32, 32, true},
    [EMU_TENSOR_TF32] = {32, 32, true},
    [EMU_TENSOR_TF32_FTZ] = {32, 32, true},
    [EMU_TENSOR_16U4_ALIGN8B] = {4, 4, false},
    [EMU_TENSOR_16U4_ALIGN16B] = {4, 8, false},
    [EMU_TENSOR_16U6_ALIGN16B] = {6, 8, false},
};

uint32_t emu_tensor_type_bits(emu_tensor_type type) {
  return (unsigned)type < EMU_TENSOR_TYPE_COUNT ? types[type].bits : 0;
}

bool emu_tensor_type_padded(emu_tensor_type type) {
  return (unsigned)type < EMU_TENSOR_TYPE_COUNT && types[type].bits != types[type].shared_bits;
}

static uint32_t pixel_bytes(const emu_tensor_map *map) {
  return map->interleave == EMU_INTERLEAVE_16B ? 16 : 32;
}

uint32_t emu_tensor_map_global_bytes(const emu_tensor_map *map, uint64_t count) {
  if (map->interleave != EMU_INTERLEAVE_NONE) return (uint32_t)count * pixel_bytes(map);
  return (uint32_t)(count * emu_tensor_type_bits(map->type) / 8);
}

uint32_t emu_tensor_map_shared_bytes(const emu_tensor_map *map, uint64_t count) {
  if (map->interleave != EMU_INTERLEAVE_NONE) return (uint32_t)count * pixel_bytes(map);
  if ((unsigned)map->type >= EMU_TENSOR_TYPE_COUNT) return 0;
  return (uint32_t)(count * types[map->type].shared_bits / 8);
}

uint32_t emu_tensor_map_extent(const emu_tensor_map *map, uint32_t dimension) {
  uint32_t stride = map->element_strides[dimension];
  if (map->interleave == EMU_INTERLEAVE_NONE) {
    if (!dimension) stride = 1;
  } else if (dimension + 2 == map->rank) {
    return 1;
  }
  return (map->box[dimension] + stride - 1) / (stride ? stride : 1);
}

uint64_t emu_tensor_map_box_bytes(const emu_tensor_map *map) {
  uint64_t bytes = emu_tensor_map_global_bytes(map, emu_tensor_map_extent(map, 0));
  for (uint32_t i = 1; i < map->rank; i++)
    bytes *= emu_tensor_map_extent(map, i);
  return bytes;
}

/* ---- Checks ----------------------------------------------------------------------------- */

/* Says what is wrong if tensormap.replace has set a mode and an atomicity that do not fit. */
static bool wrong_pair(gg_str *why, emu_tensor_swizzle swizzle) {
  uint32_t most = (1u << EMU_SWIZZLE_PAIR_BITS) - 1, mode = swizzle & most;
  uint32_t atomicity = (uint32_t)swizzle >> EMU_SWIZZLE_PAIR_BITS & most;
  if (((uint32_t)swizzle & ~(most | most << EMU_SWIZZLE_PAIR_BITS)) != EMU_SWIZZLE_PAIR)
    return false;
  gg_str_printf(why,
                "swizzle_mode %u%s with swizzle_atomicity %u%s: modes are 0 to 3, and mode 3 "
                "(128B) alone has an atomicity other than 0, of 1 to 3",
                mode, mode == most ? " or more" : "", atomicity,
                atomicity == most ? " or more" : "");
  return true;
}

static bool wrong_fields(gg_str *why, const emu_tensor_map *map, int arch) {
  int types_end = arch < 100 ? EMU_TENSOR_16U4_ALIGN8B : EMU_TENSOR_TYPE_COUNT;
  int swizzle_most = arch < 100 ? EMU_SWIZZLE_128B : EMU_SWIZZLE_128B_ATOM_64B;
  if (wrong_pair(why, map->swizzle)) return true;
  if ((unsigned)map->type >= (unsigned)types_end) {
    gg_str_printf(why, "tensorDataType %d: it is 0 to %d for sm_%d%s", (int)map->type,
                  types_end - 1, arch, arch < 100 ? ", packed types need sm_100" : "");
  } else if ((unsigned)map->interleave > EMU_INTERLEAVE_32B) {
    gg_str_printf(why, "interleave %d: it is 0 to 2", (int)map->interleave);
  } else if ((unsigned)map->swizzle > (unsigned)swizzle_most) {
    gg_str_printf(why, "swizzle %d: it is 0 to %d for sm_%d%s", (int)map->swizzle, swizzle_most,
                  arch, arch < 100 ? ", atoms of 32 or 64 bytes need sm_100" : "");
  } else if (map->l2_promotion > 3) {
    gg_str_printf(why, "l2Promotion %u: it is 0 to 3", map->l2_promotion);
  } else if ((unsigned)map->fill > EMU_FILL_NAN) {
    gg_str_printf(why, "oobFill %d: it is 0 or 1", (int)map->fill);
  } else if (map->fill == EMU_FILL_NAN && !types[map->type].is_float) {
    gg_str_puts(why, "oobFill with NaN of an integer type: only floating-point types have NaN");
  } else if (map->rank < 1 || map->rank > EMU_TENSOR_RANK) {
    gg_str_printf(why, "tensorRank %u: it is 1 to 5", map->rank);
  } else if (map->interleave != EMU_INTERLEAVE_NONE && map->rank < 3) {
    gg_str_printf(why, "tensorRank %u with interleave: it is 3 to 5", map->rank);
  } else {
    return false;
  }
  return true;
}

/* Checks what only the packed types require. */
static bool wrong_packed(gg_str *why, const emu_tensor_map *map) {
  static const char *const names[] = {"16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"};
  if (map->type < EMU_TENSOR_16U4_ALIGN8B) return false;
  const char *name = names[map->type - EMU_TENSOR_16U4_ALIGN8B];
  bool padded = emu_tensor_type_padded(map->type);
  uint64_t unit = padded ? 128 : 2;
  if (map->interleave != EMU_INTERLEAVE_NONE) {
    gg_str_printf(why, "interleave %d of type %s: the emulator has packed types with none",
                  (int)map->interleave, name);
  } else if (map->dims[0] % unit) {
    gg_str_printf(why, "globalDim[0] = %" PRIu64 ": of type %s it is a multiple of %" PRIu64,
                  map->dims[0], name, unit);
  } else if (padded && map->box[0] != 128) {
    gg_str_printf(why, "boxDim[0] = %u: of type %s it is 128", map->box[0], name);
  } else if (padded && map->swizzle != EMU_SWIZZLE_NONE && map->swizzle != EMU_SWIZZLE_128B &&
             map->swizzle != EMU_SWIZZLE_128B_ATOM_32B &&
             (map->swizzle != EMU_SWIZZLE_128B_ATOM_64B || map->type != EMU_TENSOR_16U6_ALIGN16B)) {
    gg_str_printf(why, "swizzle %d of type %s: it is 0, 3, or 4%s", (int)map->swizzle, name,
                  map->type == EMU_TENSOR_16U6_ALIGN16B ? ", for stores 6" : "");
  } else {
    return false;
  }
  return true;
}

static bool wrong_address(gg_str *why, const emu_tensor_map *map) {
  bool wide = map->interleave == EMU_INTERLEAVE_32B || emu_tensor_type_padded(map->type);
  uint64_t align = wide ? 32 : 16;
  if (map->address % align) {
    gg_str_printf(why, "globalAddress 0x%" PRIx64 " is not a multiple of %" PRIu64, map->address,
                  align);
    return true;
  }
  for (uint32_t i = 0; i < map->rank; i++) {
    if (map->dims[i] >= 1 && map->dims[i] <= (uint64_t)1 << 32) continue;
    gg_str_printf(why, "globalDim[%u] = %" PRIu64 ": it is 1 to 2^32", i, map->dims[i]);
    return true;
  }
  for (uint32_t i = 0; i + 1 < map->rank; i++) {
    if (map->strides[i] % align || map->strides[i] >= (uint64_t)1 << 40) {
      gg_str_printf(
          why, "globalStrides[%u] = %" PRIu64 " bytes: it is a multiple of %" PRIu64 " below 2^40",
          i, map->strides[i], align);
      return true;
    }
  }
  return false;
}

static bool wrong_inner(gg_str *why, const emu_tensor_map *map) {
  static const uint32_t spans[] = {[EMU_SWIZZLE_32B] = 32,
                                   [EMU_SWIZZLE_64B] = 64,
                                   [EMU_SWIZZLE_128B] = 128,
                                   [EMU_SWIZZLE_128B_ATOM_32B] = 128,
                                   [EMU_SWIZZLE_128B_ATOM_32B_FLIP_8B] = 128,
                                   [EMU_SWIZZLE_128B_ATOM_64B] = 128};
  uint32_t bits = map->box[0] * types[map->type].shared_bits, inner = bits / 8;
  if (bits % 128) {
    gg_str_printf(why,
                  "boxDim[0] = %u elements are %u bytes: the inner dimension is a multiple of 16 "
                  "bytes",
                  map->box[0], inner);
    return true;
  }
  if (map->interleave != EMU_INTERLEAVE_NONE) return false;
  if (map->swizzle != EMU_SWIZZLE_NONE && inner > spans[map->swizzle]) {
    gg_str_printf(why, "boxDim[0] = %u elements are %u bytes: swizzle %uB takes %u at most",
                  map->box[0], inner, spans[map->swizzle], spans[map->swizzle]);
    return true;
  }
  return false;
}

static bool wrong_box(gg_str *why, const emu_tensor_map *map) {
  for (uint32_t i = 0; i < map->rank; i++) {
    if (map->box[i] < 1 || map->box[i] > 256) {
      gg_str_printf(why, "boxDim[%u] = %u: it is 1 to 256", i, map->box[i]);
      return true;
    }
    if (map->element_strides[i] < 1 || map->element_strides[i] > 8) {
      gg_str_printf(why, "elementStrides[%u] = %u: it is 1 to 8", i, map->element_strides[i]);
      return true;
    }
  }
  return wrong_inner(why, map);
}

bool emu_tensor_map_wrong(gg_str *why, const emu_tensor_map *map, int arch) {
  return wrong_fields(why, map, arch) || wrong_packed(why, map) || wrong_address(why, map) ||
         wrong_box(why, map);
}

/* ---- Encoding --------------------------------------------------------------------------- */

enum {
  AT_MAGIC = 0,
  AT_TYPE = 4,
  AT_RANK,
  AT_INTERLEAVE,
  AT_SWIZZLE,
  AT_L2,
  AT_FILL,
  AT_ADDRESS = 16,
  AT_STRIDES = 24,         /* 8 bytes each */
  AT_DIMS = 56,            /* 5 each */
  AT_BOX = 81,             /* 4 each */
  AT_ELEMENT_STRIDES = 101 /* 4 each */
};

static const uint8_t magic[4] = {0x47, 0x47, 0x54, 0x4d};

/* A value that is too large becomes all ones, which is not legal for any field. */
static void put(uint8_t *out, uint64_t value, int bytes) {
  if (bytes < 8 && value >> (8 * bytes)) value = UINT64_MAX;
  for (int i = 0; i < bytes; i++)
    out[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *in, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++)
    value |= (uint64_t)in[i] << (8 * i);
  return value;
}

void emu_tensor_map_pack(uint8_t out[EMU_TENSOR_MAP_BYTES], const emu_tensor_map *map) {
  memset(out, 0, EMU_TENSOR_MAP_BYTES);
  memcpy(out + AT_MAGIC, magic, sizeof magic);
  put(out + AT_TYPE, map->type, 1);
  put(out + AT_RANK, map->rank, 1);
  put(out + AT_INTERLEAVE, map->interleave, 1);
  put(out + AT_SWIZZLE, map->swizzle, 1);
  put(out + AT_L2, map->l2_promotion, 1);
  put(out + AT_FILL, map->fill, 1);
  put(out + AT_ADDRESS, map->address, 8);
  for (int i = 0; i < EMU_TENSOR_RANK; i++) {
    put(out + AT_DIMS + 5 * i, map->dims[i], 5);
    put(out + AT_BOX + 4 * i, map->box[i], 4);
    put(out + AT_ELEMENT_STRIDES + 4 * i, map->element_strides[i], 4);
  }
  for (int i = 0; i < EMU_TENSOR_RANK - 1; i++)
    put(out + AT_STRIDES + 8 * i, map->strides[i], 8);
}

bool emu_tensor_map_decode(emu_tensor_map *out, const uint8_t in[EMU_TENSOR_MAP_BYTES]) {
  static const uint8_t zeros[EMU_TENSOR_MAP_BYTES];
  if (memcmp(in + AT_MAGIC, magic, sizeof magic) && memcmp(in, zeros, sizeof zeros)) return false;
  *out = (emu_tensor_map){
      .type = (emu_tensor_type)in[AT_TYPE],
      .rank = in[AT_RANK],
      .address = get(in + AT_ADDRESS, 8),
      .interleave = (emu_tensor_interleave)in[AT_INTERLEAVE],
      .swizzle = (emu_tensor_swizzle)in[AT_SWIZZLE],
      .l2_promotion = in[AT_L2],
      .fill = (emu_tensor_fill)in[AT_FILL],
  };
  for (int i = 0; i < EMU_TENSOR_RANK; i++) {
    out->dims[i] = get(in + AT_DIMS + 5 * i, 5);
    out->box[i] = (uint32_t)get(in + AT_BOX + 4 * i, 4);
    out->element_strides[i] = (uint32_t)get(in + AT_ELEMENT_STRIDES + 4 * i, 4);
  }
  for (int i = 0; i < EMU_TENSOR_RANK - 1; i++)
    out->strides[i] = get(in + AT_STRIDES + 8 * i, 8);
  return true;
}

gg_status emu_tensor_map_encode(uint8_t out[EMU_TENSOR_MAP_BYTES], const emu_tensor_map *map,
                                int arch, gg_error *err) {
  gg_str why = GG_STR_INIT;
  gg_status st = GG_OK;
  if (emu_tensor_map_wrong(&why, map, arch)) {
    st = gg_fail(err, EMU_TENSOR_MAP, NULL, gg_str_text(&why), "the encoding of a tensor map");
  } else {
    emu_tensor_map_pack(out, map);
  }
  gg_str_free(&why);
  return st;
}
