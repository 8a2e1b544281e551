// ---- Loading tiles ------------------------------------------------------------------------------

// What a load must know of A and of B. CTAs beside each other along N share their tile of A,
// those along M their tile of B: each copies its part of the lines, to all of them.
struct operand_a {
  static constexpr bool k_major = a_k_major;
  static constexpr int tile_mn = tile_m, boxes = boxes_a, line = line_a;
  static constexpr int copy_lines = copy_lines_a, sharers = cluster_n;
//@ if lines
  static constexpr int align = align_a;
//@ end
  static constexpr unsigned column_bytes = column_bytes_a, copy_bytes = copy_bytes_a;
};

struct operand_b {
  static constexpr bool k_major = b_k_major;
  static constexpr int tile_mn = tile_n, boxes = boxes_b, line = line_b;
  static constexpr int copy_lines = copy_lines_b, sharers = cluster_m;
//@ if lines
  static constexpr int align = align_b;
//@ end
  static constexpr unsigned column_bytes = column_bytes_b, copy_bytes = copy_bytes_b;
};

// A tile lies in shared memory in columns, each as wide as the swizzle's pattern. Copies this CTA's
// part of it, `part`, to the CTAs of the mask.
template <class op>
__device__ __forceinline__ void load_tile(unsigned dst, const tensor_map &map, unsigned barrier,
                                          int mn0, int k0, int batch, int part,
                                          unsigned short ctas) {
  const int first = op::k_major ? k0 : mn0;  // along the contiguous dimension
  const int line = (op::k_major ? mn0 : k0) + part * op::copy_lines;
#pragma unroll
  for (int box = 0; box < op::boxes; ++box) {
    const unsigned at = dst + box * op::column_bytes + part * op::copy_bytes;
    if constexpr (op::sharers == 1)
      tma_load(at, map, barrier, first + box * op::line, line, batch);
    else
      tma_load_multicast(at, map, barrier, first + box * op::line, line, batch, ctas);
  }
}
