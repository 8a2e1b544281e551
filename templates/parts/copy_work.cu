// Whether a worker has work in a turn. Some have none where the workers do not stand on whole
// lines, and where the last turns go beyond the tile's lines, or beyond the chunks of a line.
template <class tile>
__device__ __forceinline__ bool has_work(int first_line, int line, int pos) {
  return (tile::workers % tile::across == 0 || first_line < tile::line_step) &&
         (tile::lines % tile::line_step == 0 || line < tile::lines) &&
         (tile::line_size % tile::chunk_step == 0 || pos < tile::line_size);
}
