// ---- Loading lines that begin anywhere ----------------------------------------------------------

// Copies to shared memory, by tensor maps or of 16 bytes at once, read only from multiples of 16
// bytes. If an operand promises less, each of its lines begins `shift` bytes into such a chunk. So
// all of the producer's warps copy the chunks that cover the tile's lines, each to the place of a
// chunk of the tile. Once they have arrived, a thread for each line reads them and writes them
// back, moved by the line's shift. There is no place for the chunk in which a line begins: the
// thread has it in registers, either kept from the K tile before, whose last chunk it was, or read
// from memory.

//@ include cp_async

//@ include sm90_chunks

// An operand whose lines are copied.
struct line_source {
  const ab_t *first;
  int64 ld, batch_stride;
  int length, lines;  // of the whole operand: elements of a line, and number of lines
};

// Copies a chunk, or writes zeros where the source does not exist.
__device__ __forceinline__ void cp_async_where(unsigned dst, unsigned long long src, bool exists) {
  asm volatile(
      "{ .reg .pred ignore; setp.eq.b32 ignore, %2, 0;\n\t"
      "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, ignore; }" ::"r"(dst),
      "l"(src), "r"(int(exists))
      : "memory");
}

// Loads a chunk that exists.
__device__ __forceinline__ void ld_global_chunk(unsigned (&x)[chunk_words],
                                                unsigned long long from) {
  asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "l"(from)
               : "memory");
}

// What the functions below need to know of A and of B.
struct operand_a {
  static constexpr bool k_major = a_k_major;
  static constexpr int boxes = boxes_a, line = line_a, box_lines = box_lines_a;
  static constexpr int align = align_a;
//@ if split
  static constexpr bool split = false;
//@ end
//@ if wide_lines
  static constexpr bool wide = ${wide_a};
//@ end
};

struct operand_b {
  static constexpr bool k_major = b_k_major;
  static constexpr int boxes = ${strip_boxes_b}, line = line_b, box_lines = ${strip_lines_b};
  static constexpr int align = align_b;
//@ if split
  static constexpr bool split = true;  // lines come from both halves of N in turns
//@ end
//@ if wide_lines
  static constexpr bool wide = ${wide_b};
//@ end
};

// A tile lies in a stage in boxes that are side by side; the part of a line that is in one of them
// is a strip. A stage has all strips of the first box, then those of the next.
template <class op>
struct strips {
  static constexpr int bytes = op::line * int(sizeof(ab_t)), chunks = bytes / chunk_bytes;
  static constexpr int count = op::boxes * op::box_lines;
  static constexpr int rounds = (count + warpgroup_size - 1) / warpgroup_size;
  static constexpr bool all_work = count % warpgroup_size == 0;

  // Whether a thread's strip goes on where its strip of the K tile before ended.
  static constexpr bool go_on = op::k_major && op::boxes == 1;

//@ if wide_lines
  // What the swizzle xors with a chunk's number in this line of 128 bytes. A wide swizzle moves two
  // chunks together.
  static __device__ __forceinline__ constexpr int turn(int line) {
    return op::wide ? line % 4 * 2 : line % chunks;
  }

//@ end
  // Where the swizzle puts a chunk of a strip: in bytes from the beginning of the tile.
  static __device__ __forceinline__ unsigned place(int number, int chunk) {
    const int begin = number * bytes;
    return unsigned(begin + (chunk ^ ${turn_of_line}) * chunk_bytes);
  }
};

// Where a strip is in its operand.
template <class op>
struct strip {
  const line_source &from;
  int line, first, batch;

  __device__ __forceinline__ strip(const line_source &from, int number, int mn0, int k0, int batch)
      : from(from),
        line((op::k_major ? mn0 : k0) + number % op::box_lines),
        first((op::k_major ? k0 : mn0) + number / op::box_lines * op::line),
        batch(batch) {}

//@ if split
  // The number of its line in the operand.
  __device__ __forceinline__ int place() const {
    return op::split ? line % 2 * (from.lines / 2) + line / 2 : line;
  }

//@ end
  __device__ __forceinline__ const ab_t *begin() const {
    return from.first + batch * from.batch_stride + ${place_of_line} * from.ld + first;
  }

  // Bytes from the last 16-byte boundary to the beginning.
  __device__ __forceinline__ int shift() const {
    const unsigned elements = unsigned(batch) * unsigned(from.batch_stride) +
                              unsigned(${place_of_line}) * unsigned(from.ld) + unsigned(first);
    return int((unsigned((unsigned long long)from.first) + elements * unsigned(sizeof(ab_t))) %
               chunk_bytes);
  }

  // Bytes from the beginning to the end of the line, negative beyond it, as far as they matter.
  __device__ __forceinline__ int inside() const {
    constexpr int most = op::line + chunk_bytes / int(sizeof(ab_t));
    return max(min(from.length - first, most), -1) * int(sizeof(ab_t));
  }
};

// Begins to copy 32 strips of a tile, all chunks except those in which strips begin. `number` is
// the first of this lane's strips; neighbouring lanes have neighbouring chunks. `whole` says that
// the lines do not end there. What does not exist is not read; it becomes zeros.
template <class op, bool whole>
__device__ __forceinline__ void copy_strips(unsigned dst, const line_source &from, int number,
                                            int mn0, int k0, int batch, int lane) {
  using tile = strips<op>;
  constexpr int steps = tile::chunks, at_once = warp_size / steps;
//@ if split
  constexpr int lines_at_once = op::split ? at_once / 2 : at_once;  // of a half of N
//@ end
  constexpr bool in_step = op::boxes == 1 || op::box_lines % warp_size == 0;
  const int chunk = lane % steps, ahead = (chunk + 1) * chunk_bytes;
  const unsigned to = dst + tile::place(number, chunk);
  const strip<op> first(from, number, mn0, k0, batch);
  unsigned long long at = (unsigned long long)first.begin() + ahead;
#pragma unroll
  for (int i = 0; i < steps; ++i, at += ${lines_at_once} * from.ld * sizeof(ab_t)) {
    const strip<op> s(from, number + i * at_once, mn0, k0, batch);
    if (!in_step) at = (unsigned long long)s.begin() + ahead;
    const int shift = int(at % chunk_bytes);
    const unsigned dst_i = (to ^ ${turn_of_step} * chunk_bytes) + i * warp_size * chunk_bytes;
    const bool exists = (in_step ? first.line + i * at_once : s.line) < from.lines;
    const int valid = min(max(s.inside() - ahead + shift, 0), chunk_bytes);
    if (!tile::all_work && number + i * at_once >= tile::count) continue;
    if (whole)
      cp_async_where(dst_i, at - shift, exists);
    else
      cp_async_zfill<chunk_bytes>(dst_i, (const void *)(at - shift), exists ? valid : 0, true);
  }
}

// A warp's number among those that copy B: 0 for the warp behind the last one that copies A.
__device__ __forceinline__ int copier_of_b(int warp) {
  if constexpr (first_copier_of_b > 0)
    return (warp + warps_per_group - first_copier_of_b) % warps_per_group;
  else
    return warp;
}

// Begins to copy a tile.
template <class op>
__device__ __forceinline__ void copy_tile(unsigned dst, const line_source &from, int mn0, int k0,
                                          int batch, int warp, int lane) {
  using tile = strips<op>;
  constexpr int reach = op::boxes * op::line + chunk_bytes / int(sizeof(ab_t));
  const bool whole = (op::k_major ? k0 : mn0) <= from.length - reach;
#pragma unroll 1
  for (int round = 0; round < tile::rounds; ++round) {
    const int begin = (round * warps_per_group + warp) * warp_size;
    if (!tile::all_work && begin >= tile::count) break;
    const int number = begin + lane / tile::chunks;
    if (whole)
      copy_strips<op, true>(dst, from, number, mn0, k0, batch, lane);
    else
      copy_strips<op, false>(dst, from, number, mn0, k0, batch, lane);
  }
}

__device__ __forceinline__ unsigned bits_of(ab_t x) {
  if constexpr (sizeof(ab_t) == 4)
    return __float_as_uint(x);
  else
    return x;
}

// Loads the chunk in which a strip begins. If all of it is in the matrix, and its line does not end
// in it, it is read as a whole, and nothing waits for it here. Else it is read element by element,
// with zeros for what is not in the strip's line.
template <class op>
__device__ __forceinline__ void load_head(unsigned (&head)[chunk_words], const strip<op> &s) {
  constexpr int size = int(sizeof(ab_t));
  const ab_t *first = s.begin();
  const int shift = s.shift(), inside = s.line < s.from.lines ? s.inside() : 0;
  const bool in_matrix = (s.${place_of_line} * s.from.ld + s.first) * size >= shift;
  if (in_matrix && inside >= chunk_bytes - shift) {
    ld_global_chunk(head, (unsigned long long)first - shift);
    return;
  }
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) {
    head[w] = 0;
#pragma unroll
    for (int byte = 0; byte < 4; byte += size) {
      const int at = w * 4 + byte - shift;
      if (at >= 0 && at < inside) head[w] |= bits_of(first[at / size]) << byte * 8;
    }
  }
}

//@ include sm90_shift_chunks

//@ if tf32
// Rounds to the nearest number with 10 fraction bits, ties to even, as tensor maps do. The tensor
// core would cut the low bits off.
__device__ __forceinline__ unsigned rounded(unsigned x) {
  unsigned y;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(y) : "f"(__uint_as_float(x)));
  return y;
}

//@ end
// For each of a thread's strips, the chunk in which it begins.
template <class op>
using head_chunks = unsigned[strips<op>::rounds][chunk_words];

// Loads them, unless they are the last chunks of the K tile before.
template <class op>
__device__ __forceinline__ void load_heads(head_chunks<op> &heads, const line_source &from, int mn0,
                                           int k0, int batch, bool tile_begins, int warp,
                                           int lane) {
  using tile = strips<op>;
  if (tile::go_on && !tile_begins) return;
#pragma unroll
  for (int round = 0; round < tile::rounds; ++round) {
    const int number = (round * warps_per_group + warp) * warp_size + lane;
    if (!tile::all_work && number >= tile::count) continue;
    load_head(heads[round], strip<op>(from, number, mn0, k0, batch));
  }
}

// Moves the chunks of a tile that has arrived into place. Each strip's last chunk is kept as the
// head of the next K tile's strip, for the case that it goes on there.
template <class op>
__device__ __forceinline__ void shift_lines(unsigned dst, head_chunks<op> &heads,
                                            const line_source &from, int mn0, int k0, int batch,
                                            int warp, int lane) {
  using tile = strips<op>;
#pragma unroll
  for (int round = 0; round < tile::rounds; ++round) {
    const int number = (round * warps_per_group + warp) * warp_size + lane;
    if (!tile::all_work && number >= tile::count) continue;
    const strip<op> s(from, number, mn0, k0, batch);
    const int shift = s.shift();
    const unsigned first = dst + tile::place(number, 0);
    unsigned chunks[tile::chunks + 1][chunk_words];
#pragma unroll
    for (int w = 0; w < chunk_words; ++w) chunks[0][w] = heads[round][w];
#pragma unroll
    for (int c = 0; c < tile::chunks; ++c)
      ld_shared_chunk(chunks[c + 1], first ^ c * chunk_bytes);
#pragma unroll
    for (int c = 0; c < tile::chunks; ++c) {
      unsigned moved[chunk_words];
      shift_chunks<op::align>(moved, chunks[c], chunks[c + 1], shift);
//@ if tf32
#pragma unroll
      for (int w = 0; w < chunk_words; ++w) moved[w] = rounded(moved[w]);
//@ end
      st_shared_chunk(first ^ c * chunk_bytes, moved);
    }
#pragma unroll
    for (int w = 0; w < chunk_words; ++w) heads[round][w] = chunks[tile::chunks][w];
  }
}
