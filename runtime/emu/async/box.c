/* See box.h. */
#include "emu/async/box.h"

static bool is_interleaved(const emu_tensor_map *map) {
  return map->interleave != EMU_INTERLEAVE_NONE;
}

/* Lines of a box along its first dimension. */
static uint64_t line_count(const emu_tensor_map *map) {
  uint64_t lines = 1;
  for (uint32_t i = 1; i < map->rank; i++)
    lines *= emu_tensor_map_extent(map, i);
  return lines;
}

/* Pixels may be strided, so that each is a row. */
static uint32_t rows_of_line(const emu_tensor_map *map) {
  return is_interleaved(map) ? emu_tensor_map_extent(map, 0) : 1;
}

uint64_t emu_box_rows(const emu_tensor_map *map) {
  return line_count(map) * rows_of_line(map);
}

/* Bytes from one line to the next: a swizzle's whole span, however little of it a line takes, but
 * of interleaved tensors no more than it takes. */
static uint32_t line_pitch(const emu_tensor_map *map) {
  uint32_t bytes = emu_tensor_map_shared_bytes(map, emu_tensor_map_extent(map, 0));
  bool dense = map->swizzle == EMU_SWIZZLE_NONE || is_interleaved(map);
  uint32_t span = dense ? 0 : map->swizzle < EMU_SWIZZLE_128B ? 16u << map->swizzle : 128;
  return bytes < span ? span : bytes;
}

static uint64_t bytes_of_lines(const emu_tensor_map *map, uint64_t lines) {
  uint64_t bytes = lines * line_pitch(map);
  return map->swizzle == EMU_SWIZZLE_NONE ? bytes : (bytes + 127) / 128 * 128;
}

uint64_t emu_box_span(const emu_tensor_map *map) {
  return bytes_of_lines(map, line_count(map));
}

/* Lines up to the last one in bounds, which is the last one of every dimension. */
static uint64_t lines_inside(const emu_box *box) {
  const emu_tensor_map *map = box->map;
  uint64_t line = 0, lines = 1;
  if (box->rows) return line_count(map);
  for (uint32_t i = 0; i < map->rank; i++) {
    uint32_t extent = emu_tensor_map_extent(map, i);
    uint32_t stride = i || is_interleaved(map) ? map->element_strides[i] : 1;
    int64_t room = (int64_t)map->dims[i] - 1 - box->at[i];
    if (room < 0) return 0;
    int64_t most = room / stride, last = most < extent ? most : (int64_t)extent - 1;
    if (box->at[i] + last * stride < 0) return 0;
    if (!i) continue;
    line += (uint64_t)last * lines;
    lines *= extent;
  }
  return line + 1;
}

uint64_t emu_box_rows_inside(const emu_box *box) {
  return lines_inside(box) * rows_of_line(box->map);
}

uint64_t emu_box_span_inside(const emu_box *box) {
  return bytes_of_lines(box->map, lines_inside(box));
}

/* Bytes of global memory before element `at` of a line; of a whole tensor, more than 32 bits. */
static uint64_t global_offset(const emu_tensor_map *map, uint64_t at) {
  const uint64_t some = 16;
  return at / some * emu_tensor_map_global_bytes(map, some) +
         emu_tensor_map_global_bytes(map, at % some);
}

void emu_box_row_at(emu_box_row *out, const emu_box *box, uint32_t index) {
  const emu_tensor_map *map = box->map;
  uint32_t rows = rows_of_line(map), line = index / rows, along = index % rows;
  uint32_t extent = is_interleaved(map) ? 1 : emu_tensor_map_extent(map, 0);
  *out = (emu_box_row){
      .linear = line * line_pitch(map) + emu_tensor_map_shared_bytes(map, along),
      .bytes = emu_tensor_map_global_bytes(map, extent),
      .shared_bytes = emu_tensor_map_shared_bytes(map, extent),
  };
  bool inside = true;
  uint64_t address = map->address;
  for (uint32_t i = 1; i < map->rank; i++) {
    uint32_t lines = emu_tensor_map_extent(map, i);
    int64_t at = box->at[i] + (int64_t)(line % lines) * map->element_strides[i];
    if (box->rows) at = box->rows[line % lines];
    line /= lines;
    inside = inside && at >= 0 && (uint64_t)at < map->dims[i];
    address += (uint64_t)at * map->strides[i - 1];
  }
  int64_t first = box->at[0] + (int64_t)along * map->element_strides[0];
  int64_t last = first + extent, limit = (int64_t)map->dims[0];
  int64_t low = first < 0 ? 0 : first, high = last > limit ? limit : last;
  if (!inside || low >= high) return;
  out->lead = emu_tensor_map_global_bytes(map, (uint64_t)(low - first));
  out->inside = emu_tensor_map_global_bytes(map, (uint64_t)(high - low));
  out->address = address + global_offset(map, (uint64_t)low);
}
