// ---- Copies through registers -------------------------------------------------------------------

// What cp.async cannot bring as it is multiplied: elements that become wider, bytes of which four
// rows along K become a word, and what is aligned to less than 4 bytes. A thread reads its chunks
// while one tile is multiplied, and stores them to shared memory when it is done.
template <class op>
struct fetched {
  unsigned raw[turns<op>][op::unit][op::raw_words];
};

// Bytes of global memory that exist, else 0.
template <int bytes>
__device__ __forceinline__ void ld_global_raw(unsigned (&x)[(bytes + 3) / 4], const void *src,
                                              bool exists) {
  x[0] = 0;
  if constexpr (bytes == 8) {
    x[1] = 0;
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %3, 0;\n\t"
        "@exists ld.global.v2.b32 {%0, %1}, [%2]; }"
        : "+r"(x[0]), "+r"(x[1])
        : "l"(src), "r"(int(exists)));
  } else {
    asm volatile(
        "{ .reg .pred exists; setp.ne.b32 exists, %2, 0;\n\t"
        "@exists ld.global.u%3 %0, [%1]; }"
        : "+r"(x[0])
        : "l"(src), "r"(int(exists)), "n"(bytes * 8));
  }
}

// A chunk that lies inside the matrix, or outside, by as many bytes at once as it is aligned to.
template <class op>
__device__ __forceinline__ void fetch_chunk(unsigned (&raw)[op::raw_words], const ab_t *src,
                                            bool inside) {
  if constexpr (op::access_bytes == op::copy_bytes) {
    ld_global_raw<op::copy_bytes>(raw, src, inside);
  } else {
    raw[0] = 0;
#pragma unroll
    for (int at = 0; at < op::copy_bytes; at += op::access_bytes) {
      unsigned x[1];
      ld_global_raw<op::access_bytes>(x, src + at / int(sizeof(ab_t)), inside);
      raw[0] |= x[0] << at * 8;
    }
  }
}

// A chunk of which so many elements lie inside.
template <class op>
__device__ __forceinline__ void fetch_part(unsigned (&raw)[op::raw_words], const ab_t *src,
                                           int valid) {
#pragma unroll
  for (int i = 0; i < op::raw_words; ++i) raw[i] = 0;
#pragma unroll
  for (int e = 0; e < op::chunk_size; ++e) {
    const int bit = e * int(sizeof(ab_t)) * 8;
    if (e < valid) raw[bit / 32] |= unsigned(src[e]) << bit % 32;
  }
}

template <class op>
__device__ __forceinline__ void fetch_tile(tile_loader &l, fetched<op> &f, bool exists,
                                           int k_left) {
  const int lines_left = op::k_major ? l.mn_left : k_left - l.line;
  const int line_left = op::k_major ? k_left - l.pos : l.mn_left;
//@ if ragged_by_registers
  const bool careful = k_left < tile_k || l.careful;
//@ else
  const bool careful = k_left < tile_k;
//@ end
#pragma unroll
  for (int turn = 0; turn < turns<op>; ++turn) {
    const int down = turn / op::chunk_turns * op::line_step;
    const int along = turn % op::chunk_turns * op::chunk_step;
//@ if splits_columns
    const int from = column_in_half<op>(along);
    const int64 place = place_in_line<op>(along, l.half);
//@ end
    const bool works =
        exists && (op::all_work || has_work<op>(l.line, l.line + down, l.pos + along));
#pragma unroll
    for (int i = 0; i < op::unit; ++i) {
//@ if units
      const ab_t *src = l.g + i * l.ld + ${place_along};
//@ else
      const ab_t *src = l.g + ${place_along};
//@ end
      if (careful)
        fetch_part<op>(f.raw[turn][i], src,
                       works && down + i < lines_left ? line_left - ${column_along} : 0);
      else
        fetch_chunk<op>(f.raw[turn][i], src,
                        works && (op::even_mn || (op::k_major ? down : ${column_along}) < l.mn_left));
    }
    if (turn % op::chunk_turns == op::chunk_turns - 1) l.g += l.turn_step;
  }
  l.g += l.tile_step;
}

//@ slot put_unit

// To where the tile's chunks lie in shared memory.
template <class op>
__device__ __forceinline__ void put_tile(const tile_loader &l, const fetched<op> &f,
                                         unsigned smem_tile) {
#pragma unroll
  for (int turn = 0; turn < turns<op>; ++turn) {
    const int down = turn / op::chunk_turns * op::line_step;
    const int along = turn % op::chunk_turns * op::chunk_step;
    if (op::all_work || has_work<op>(l.line, l.line + down, l.pos + along))
      put_unit<op>(smem_tile + place_of<op>(l, down, along), f, turn);
  }
}
