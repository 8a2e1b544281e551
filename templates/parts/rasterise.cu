// CTAs that run at the same time should share rows of A and columns of B in L2. Tiles are walked in
// bands raster_group tiles wide: across the band first, then one step along it.
struct tile_coord {
  int m, n;
};

__device__ __forceinline__ tile_coord rasterise(unsigned tile, unsigned tiles_m,
                                                unsigned tiles_n) {
  const unsigned across = raster_along_m ? tiles_n : tiles_m;
  const unsigned along = raster_along_m ? tiles_m : tiles_n;
  const unsigned band = tile / (raster_group * along);
  const unsigned in_band = tile % (raster_group * along);
  const unsigned width = min(unsigned(raster_group), across - band * raster_group);
  const int a = int(band * raster_group + in_band % width);
  const int l = int(in_band / width);
  return raster_along_m ? tile_coord{l, a} : tile_coord{a, l};
}
