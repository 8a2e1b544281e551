//@ if chunks_of_d
//@ include sm90_chunks

//@ end
//@ if shifts_d
//@ include sm90_shift_chunks

//@ end
//@ if long_lines
__device__ __forceinline__ void st_global_chunk(unsigned long long to,
                                                const unsigned (&x)[chunk_words]) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(x[0]), "r"(x[1]),
               "r"(x[2]), "r"(x[3])
               : "memory");
}

//@ end
// Lines begin anywhere, at multiples of what they are aligned to: units of so many bytes.
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

// A warp's box of D, or of what is like it.
template <class result>
struct staged_lines {
  using element = typename result::element;
  using unit = typename unit_of<result::access_bytes>::type;
  static constexpr int size = int(sizeof(element)), length = d_n_major ? ${box_d} : epi_m;
  static constexpr int count = d_n_major ? epi_m : ${box_d}, bytes = length * size;

  element *first;  // in memory
  int64 ld;
  unsigned staged;
  int lines;  // that exist

  __device__ __forceinline__ element *begin(int line) const { return first + line * ld; }

  __device__ __forceinline__ unsigned at(int line, int along) const {
    return staged + (d_n_major ? result::offset(line, along) : result::offset(along, line));
  }
};

// Pieces of lines, of each as many as `a_line`; `choose` says which, or a negative one for none.
// Neighbouring lanes have neighbouring pieces.
template <class result, class piece, int a_line, class chosen>
__device__ __forceinline__ void store_pieces(const staged_lines<result> &b, int lane,
                                             const chosen &choose) {
  using box = staged_lines<result>;
  constexpr int elements = int(sizeof(piece)) / box::size, most = 8;
  constexpr int all = box::count * a_line, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    piece x[at_once], *places[at_once];
    bool there[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size, line = number / a_line;
      const int along = choose(line, number % a_line) * elements;
      there[i] = number < all && line < b.lines && along >= 0;
      places[i] = (piece *)(b.begin(line) + along);
      if (there[i]) ld_shared(x[i], b.at(line, along));
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (there[i]) *places[i] = x[i];
  }
}

//@ if long_lines
// Bytes from the last boundary of chunks in memory to where a line begins.
template <class result>
__device__ __forceinline__ int ahead_of(const staged_lines<result> &b, int line) {
  return int((unsigned long long)b.begin(line) % chunk_bytes);
}

// Of whole lines the chunks of memory that they have all of, each cut from two chunks of the
// staging buffer.
template <class result>
__device__ __forceinline__ void store_chunks(const staged_lines<result> &b, int lane) {
  using box = staged_lines<result>;
  constexpr int chunks = box::bytes / chunk_bytes, unit = chunk_bytes / box::size, most = 4;
  constexpr int all = box::count * chunks, each = (all + warp_size - 1) / warp_size;
  constexpr int at_once = each < most ? each : most;
#pragma unroll 1
  for (int first = lane; first < all; first += at_once * warp_size) {
    unsigned x[at_once][chunk_words];
    unsigned long long places[at_once];
    bool whole[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const int number = first + i * warp_size, line = number / chunks, chunk = number % chunks;
      const int ahead = ahead_of(b, line);
      whole[i] = number < all && line < b.lines && (ahead == 0 || chunk > 0);
      places[i] = (unsigned long long)b.begin(line) - ahead + chunk * chunk_bytes;
      if (!whole[i]) continue;
      unsigned low[chunk_words], high[chunk_words];
      ld_shared_chunk(high, b.at(line, chunk * unit));
      ld_shared_chunk(low, b.at(line, (ahead ? chunk - 1 : chunk) * unit));
      shift_chunks<result::access_bytes>(x[i], low, high, (chunk_bytes - ahead) % chunk_bytes);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i)
      if (whole[i]) st_global_chunk(places[i], x[i]);
  }
}

// What else they have: of the chunks in which a line begins and ends as much as one chunk.
template <class result>
__device__ __forceinline__ void store_ends(const staged_lines<result> &b, int lane) {
  using box = staged_lines<result>;
  using unit = typename box::unit;
  constexpr int a_chunk = chunk_bytes / int(sizeof(unit));
  constexpr int behind = box::bytes / int(sizeof(unit)) - a_chunk;
  store_pieces<result, unit, a_chunk>(b, lane, [&](int line, int number) {
    const int ahead = ahead_of(b, line) / int(sizeof(unit));
    return ahead == 0 ? -1 : number < a_chunk - ahead ? number : behind + number;
  });
}

//@ end
template <class result>
__device__ __forceinline__ void store_lines(const epilogue_arguments &arg,
                                            typename result::element *to, int64 ld, int row0,
                                            int col0, unsigned staged, int lane) {
  using box = staged_lines<result>;
  const int rows = int(min(arg.rows - row0, int64(epi_m)));
  const int cols = int(min(arg.cols - col0, int64(${box_d})));
  const int inside = d_n_major ? cols : rows;
  const box b{to + (d_n_major ? row0 * ld + col0 : col0 * ld + row0), ld, staged,
              d_n_major ? rows : cols};
  __syncwarp();
  if (inside < box::length) {
    store_pieces<result, typename box::element, box::length>(
        b, lane, [&](int, int along) { return along < inside ? along : -1; });
    return;
  }
//@ if long_lines
  store_chunks<result>(b, lane);
  store_ends<result>(b, lane);
//@ else
  using unit = typename box::unit;
  store_pieces<result, unit, box::bytes / int(sizeof(unit))>(b, lane, [](int, int i) { return i; });
//@ end
}
