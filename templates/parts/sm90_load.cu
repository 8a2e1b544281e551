//@ include sm90_boxes

// ---- Loading tiles ------------------------------------------------------------------------------

// What a load must know of A and of B. CTAs beside each other along N share their tile of A,
// those along M their tile of B.
struct operand_a {
  static constexpr bool k_major = a_k_major;
  static constexpr int tile_mn = tile_m, boxes = boxes_a, line = line_a;
  static constexpr int box_lines = box_lines_a, box_bytes = box_bytes_a, sharers = cluster_n;
//@ insert line_members_a
};

struct operand_b {
  static constexpr bool k_major = b_k_major;
  static constexpr int tile_mn = tile_n, boxes = boxes_b, line = line_b;
  static constexpr int box_lines = box_lines_b, box_bytes = box_bytes_b, sharers = cluster_m;
//@ insert line_members_b
};

// A tile lies in shared memory in boxes, each as wide as the swizzle's pattern. The CTAs that share
// it, those of the mask, take turns at copying it to all of them, a K tile each: `turn` is the
// number of this one among them.
template <class op>
__device__ __forceinline__ void load_tile(unsigned dst, const tensor_map &map, unsigned barrier,
                                          int mn0, int k_tile, int batch, int turn,
                                          unsigned short ctas) {
  if (op::sharers > 1 && k_tile % op::sharers != turn) return;
  const int k0 = k_tile * tile_k;
  const int first = op::k_major ? k0 : mn0;  // along the contiguous dimension
  const int line = op::k_major ? mn0 : k0;
#pragma unroll
  for (int box = 0; box < op::boxes; ++box) {
    const unsigned at = dst + box * op::box_bytes;
    if constexpr (op::sharers == 1)
      tma_load(at, map, barrier, first + box * op::line, line, batch);
    else
      tma_load_multicast(at, map, barrier, first + box * op::line, line, batch, ctas);
  }
}
