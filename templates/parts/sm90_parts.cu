// ---- Tiles whose K is dealt to the CTAs of a cluster -------------------------------------------

// CTAs that are neighbours along K sum a part of a tile's K each. Each then sends the boxes that
// are not its own to their owners' shared memory, where every part has a place of its own beside
// the stages, so that nobody asks for room. The bytes arrive at a barrier of the owner's warp,
// which then adds them up in the order of the parts behind its own: the same from run to run.
// Nobody else waits, and an owner does not leave before all that is sent to it has arrived.

//@ include sm90_sums

constexpr unsigned chunk_bytes_sent = warp_size * sum_words * 4;
constexpr unsigned box_bytes_sent = box_chunks * chunk_bytes_sent;

__device__ __forceinline__ unsigned sum_barrier(unsigned smem, int warp) {
  return smem + sum_barriers_begin + 8 * warp;
}

__device__ __forceinline__ void init_sum_barriers(unsigned smem) {
  for (int warp = 0; warp < tile_warps; ++warp) mbarrier_init(sum_barrier(smem, warp), 1);
}

// Where a box's owner has the others' sums for it, those of the first of them.
__device__ __forceinline__ unsigned box_place(unsigned smem, unsigned box) {
  return smem + sums_begin + box / cluster_k * (cluster_k - 1) * box_bytes_sent;
}

// The address of another CTA's shared memory that this CTA's has there.
__device__ __forceinline__ unsigned address_in(unsigned smem, unsigned cta) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(smem), "r"(cta));
  return there;
}

// Stores a chunk in another CTA's shared memory, whose barrier hears of the bytes that arrived.
__device__ __forceinline__ void send_chunk(unsigned to, unsigned barrier, const acc_t *x) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%2, %3, %4, %5}, "
      "[%1];" ::"r"(to),
      "r"(barrier), "${acc_register}"(x[0]), "${acc_register}"(x[1]),
      "${acc_register}"(x[2]), "${acc_register}"(x[3])
      : "memory");
}

// Waits for what threads of other CTAs have sent.
__device__ __forceinline__ void await_sums(unsigned barrier) {
  if constexpr (traced) stamp<trace_await_mbarrier>(barrier);
  asm volatile(
      "{ .reg .pred done;\n"
      "again:\n\t"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n\t"
      "@!done bra again; }" ::"r"(barrier)
      : "memory");
  if constexpr (traced) stamp<trace_go>(0);
}

// What one lane gets of another part's sums.
struct received_sums {
  unsigned smem, first_box, part;

  __device__ __forceinline__ void load(acc_t (&x)[sum_words], int chunk) const {
    const unsigned at = box_place(smem, first_box + chunk / box_chunks) + part * box_bytes_sent +
                        chunk % box_chunks * chunk_bytes_sent;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=${acc_register}"(x[0]), "=${acc_register}"(x[1]),
                   "=${acc_register}"(x[2]), "=${acc_register}"(x[3])
                 : "r"(at)
                 : "memory");
  }
};

// A warp's parts of a tile, of which one is this CTA's.
struct tile_parts {
  static constexpr unsigned parts = cluster_k;
  unsigned part;
  unsigned smem, first_box;  // of this lane; of this warp

  __device__ __forceinline__ received_sums other(unsigned i) const { return {smem, first_box, i}; }
};

__device__ __forceinline__ void send_others(const acc_t (&tCrC)[frags_m][acc_words],
                                            const work_list &list, const tile_parts &of,
                                            unsigned barrier) {
  const int first = plane_rank(list);  // of the CTAs with this tile
#pragma unroll
  for (int i = 0; i < warp_boxes; ++i) {
    const unsigned box = of.first_box + i, owner = box_owner(box, of.parts);
    if (owner == of.part) continue;
    const unsigned cta = first + owner * cluster_plane;
    const unsigned place = of.part < owner ? of.part : of.part - 1;
    const unsigned to = address_in(box_place(of.smem, box) + place * box_bytes_sent, cta);
    const unsigned there = address_in(barrier, cta);
#pragma unroll
    for (int c = 0; c < box_chunks; ++c) {
      const int chunk = i * box_chunks + c;
      send_chunk(to + c * chunk_bytes_sent, there,
                 &tCrC[chunk / fragment_chunks][chunk % fragment_chunks * sum_words]);
    }
  }
}

// Brings together the parts of a tile: returns this warp's boxes, which are then complete.
__device__ __forceinline__ box_set combine(acc_t (&tCrC)[frags_m][acc_words],
                                           const work_list &list, unsigned smem, int warp,
                                           int lane) {
  const unsigned barrier = sum_barrier(smem, warp);
  const tile_parts of = {unsigned(list.rank_k), smem + lane * (sum_words * 4),
                         unsigned(warp * warp_boxes)};
  const box_set own = dealt_boxes(of, warp);
  if (own != 0 && lane == 0)
    mbarrier_expect(barrier, __popcll(own) * (cluster_k - 1) * box_bytes_sent);
  send_others(tCrC, list, of, barrier);
  if (own == 0) return 0;
  await_sums(barrier);
  add_boxes(tCrC, of, own);
  return own;
}
