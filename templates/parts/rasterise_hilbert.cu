// CTAs that run at the same time should share rows of A and columns of B in L2. Tiles are walked
// along a Hilbert curve, generalised to rectangles: a rectangle is cut in two along its longer side
// where that is much longer, else in three, of which the second is walked like the whole and the
// others across.
// (J. Červený, "gilbert: space-filling curve for rectangular domains of arbitrary size".)
struct tile_coord {
  int m, n;
};

__device__ __forceinline__ int extent_of(tile_coord side) { return abs(side.m) + abs(side.n); }

__device__ __forceinline__ tile_coord step_of(tile_coord side) {
  return {(side.m > 0) - (side.m < 0), (side.n > 0) - (side.n < 0)};
}

__device__ __forceinline__ tile_coord operator+(tile_coord x, tile_coord y) {
  return {x.m + y.m, x.n + y.n};
}

__device__ __forceinline__ tile_coord operator-(tile_coord x, tile_coord y) {
  return {x.m - y.m, x.n - y.n};
}

// Half of a side; by one more where the half is odd, so that the curve meets itself.
__device__ __forceinline__ tile_coord half_of(tile_coord side) {
  const tile_coord half = {side.m / 2, side.n / 2};
  return extent_of(half) % 2 && extent_of(side) > 2 ? half + step_of(side) : half;
}

__device__ __forceinline__ tile_coord rasterise(unsigned tile, unsigned tiles_m,
                                                unsigned tiles_n) {
  tile_coord at = {0, 0};               // where the rectangle's curve begins
  tile_coord a = {0, int(tiles_n)};     // the side that it runs along, and the other
  tile_coord b = {int(tiles_m), 0};
  if (tiles_m > tiles_n) a = {int(tiles_m), 0}, b = {0, int(tiles_n)};
  int left = int(tile);
  while (extent_of(a) > 1 && extent_of(b) > 1) {
    const tile_coord half_a = {a.m / 2, a.n / 2};
    if (2 * extent_of(a) > 3 * extent_of(b)) {
      const tile_coord first = half_of(a);
      const int size = extent_of(first) * extent_of(b);
      if (left < size) {
        a = first;
      } else {
        left -= size;
        at = at + first;
        a = a - first;
      }
      continue;
    }
    const tile_coord half_b = half_of(b);
    const int size = extent_of(half_a) * extent_of(half_b);
    const int middle = extent_of(a) * extent_of(b - half_b);
    if (left < size) {
      a = half_b;
      b = half_a;
    } else if (left < size + middle) {
      left -= size;
      at = at + half_b;
      b = b - half_b;
    } else {
      left -= size + middle;
      at = at + (a - step_of(a)) + (half_b - step_of(b));
      const tile_coord back = half_a - a;
      a = tile_coord{0, 0} - half_b;
      b = back;
    }
  }
  const tile_coord step = step_of(extent_of(b) == 1 ? a : b);
  return {at.m + step.m * left, at.n + step.n * left};
}
