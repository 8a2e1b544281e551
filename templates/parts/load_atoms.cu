// Factors come in atoms of 128 rows by 4 along K, 512 bytes. A stage has those of all rows of the
// tile for a K step, then of the next. What lies outside of the tensor becomes zeros.
__device__ __forceinline__ void load_atoms(unsigned dst, const tensor_map &map, unsigned barrier,
                                           int rows, int k, int batch) {
  asm volatile(
      "cp.async.bulk.tensor.4d.${load_to}.global.tile.mbarrier::complete_tx::bytes"
      "${load_group} [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(dst),
      "l"(&map), "r"(barrier), "r"(0), "r"(rows), "r"(k), "r"(batch)
      : "memory");
}
