// D's lines begin anywhere. Lanes store them, neighbouring ones side by side, in units of what the
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

__device__ __forceinline__ void ld_shared(long long &x, unsigned addr) {
  asm volatile("ld.shared.b64 %0, [%1];" : "=l"(x) : "r"(addr) : "memory");
}

template <class unit>
__device__ __forceinline__ void store_units(const epilogue_arguments &arg, int row0, int col0,
                                            unsigned sD, int lane) {
  constexpr int elements = int(sizeof(unit) / sizeof(d_t));
  constexpr int a_line = (d_n_major ? epi_n : epi_m) / elements;
  constexpr int all = epi_m * epi_n / elements;
  constexpr int most = 8, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    unit x[at_once], *to[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size;
      const int along = number % a_line * elements;
      const int row = d_n_major ? number / a_line : along;
      const int col = d_n_major ? along : number / a_line;
      const bool inside = number < all && row0 + row < arg.rows && col0 + col < arg.cols;
      d_t *at = arg.gD + (d_n_major ? (row0 + row) * arg.ldd + col0 + col
                                    : (col0 + col) * arg.ldd + row0 + row);
      to[i] = inside ? (unit *)at : nullptr;
      if (inside) ld_shared(x[i], staged(sD, row, col));
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (to[i]) *to[i] = x[i];
  }
}

__device__ __forceinline__ void store_box(const epilogue_arguments &arg, int row0, int col0,
                                          unsigned sD, int lane) {
  if (d_n_major ? col0 + epi_n <= arg.cols : row0 + epi_m <= arg.rows)
    store_units<unit_of<access_bytes_d>::type>(arg, row0, col0, sD, lane);
  else
    store_units<d_t>(arg, row0, col0, sD, lane);
}
