// Lines begin anywhere. Lanes store them, neighbouring ones side by side, in units of what the
// lines are aligned to; elements where a line ends within the box.
template <int bytes>
struct unit_of;
template <>
struct unit_of<1> {
  using type = unsigned char;
};
template <>
struct unit_of<2> {
  using type = unsigned short;
};
template <>
struct unit_of<4> {
  using type = int;
};
template <>
struct unit_of<8> {
  using type = long long;
};

template <class result, class unit>
__device__ __forceinline__ void store_units(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  constexpr int elements = int(sizeof(unit) / sizeof(typename result::element));
  constexpr int a_line = (d_n_major ? ${box_d} : epi_m) / elements;
  constexpr int all = epi_m * ${box_d} / elements;
  constexpr int most = 8, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    unit x[at_once], *places[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size;
      const int along = number % a_line * elements;
      const int row = d_n_major ? number / a_line : along;
      const int col = d_n_major ? along : number / a_line;
      const bool inside = number < all && row0 + row < arg.rows && col0 + col < arg.cols;
      auto *at = to + (d_n_major ? (row0 + row) * ld + col0 + col : (col0 + col) * ld + row0 + row);
      places[i] = inside ? (unit *)at : nullptr;
      if (inside) ld_shared(x[i], staged + result::offset(row, col));
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (places[i]) *places[i] = x[i];
  }
}

template <class result>
__device__ __forceinline__ void store_lines(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  using unit = typename unit_of<result::access_bytes>::type;
  __syncwarp();
  if (d_n_major ? col0 + ${box_d} <= arg.cols : row0 + epi_m <= arg.rows)
    store_units<result, unit>(arg, to, ld, row0, col0, staged, lane);
  else
    store_units<result, typename result::element>(arg, to, ld, row0, col0, staged, lane);
}
