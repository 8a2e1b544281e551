/* See box.h. */
#include "emu/async/box.h"

uint32_t emu_box_rows(const emu_tensor_map *map) {
  uint32_t rows = 1;
  for (uint32_t i = 1; i < map->rank; i++)
    rows *= emu_tensor_map_extent(map, i);
  return rows;
}

/* Bytes from one row to the next: a swizzle's whole span, however little of it a row takes. */
static uint32_t row_pitch(const emu_tensor_map *map) {
  uint32_t bytes = emu_tensor_map_extent(map, 0) * emu_tensor_type_bytes(map->type);
  uint32_t span = map->swizzle == EMU_SWIZZLE_NONE ? 0 : 16u << map->swizzle;
  return bytes < span ? span : bytes;
}

uint32_t emu_box_span(const emu_tensor_map *map) {
  uint32_t bytes = emu_box_rows(map) * row_pitch(map);
  return map->swizzle == EMU_SWIZZLE_NONE ? bytes : (bytes + 127) & ~127u;
}

void emu_box_row_at(emu_box_row *out, const emu_box *box, uint32_t index) {
  const emu_tensor_map *map = box->map;
  uint32_t size = emu_tensor_type_bytes(map->type), extent = emu_tensor_map_extent(map, 0);
  *out = (emu_box_row){.linear = index * row_pitch(map), .bytes = extent * size};
  bool inside = true;
  uint64_t address = map->address;
  for (uint32_t i = 1; i < map->rank; i++) {
    uint32_t along = emu_tensor_map_extent(map, i);
    int64_t at = box->at[i] + (int64_t)(index % along) * map->element_strides[i];
    index /= along;
    inside = inside && at >= 0 && (uint64_t)at < map->dims[i];
    address += (uint64_t)at * map->strides[i - 1];
  }
  int64_t first = box->at[0], last = first + extent, limit = (int64_t)map->dims[0];
  int64_t low = first < 0 ? 0 : first, high = last > limit ? limit : last;
  if (!inside || low >= high) return;
  out->lead = (uint32_t)(low - first) * size;
  out->inside = (uint32_t)(high - low) * size;
  out->address = address + (uint64_t)low * size;
}
