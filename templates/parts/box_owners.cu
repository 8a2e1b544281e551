// Boxes are dealt to all parts in turn, counted through all of the tile's warps.
__device__ __forceinline__ unsigned box_owner(unsigned box, unsigned parts) { return box % parts; }

template <class tile_parts>
__device__ __forceinline__ box_set dealt_boxes(const tile_parts &of, int warp) {
  box_set own = 0;
#pragma unroll
  for (int box = 0; box < warp_boxes; ++box)
    if (box_owner(warp * warp_boxes + box, of.parts) == of.part) own |= 1ull << box;
  return own;
}
