// Bytes as words of four along K: as they come where K is contiguous; else of four lines, whose
// bytes change places: 4 x 4 of them by 8 permutations, of which narrower chunks need fewer.
template <class op>
__device__ __forceinline__ void put_unit(unsigned dst, const fetched<op> &f, int turn) {
  if constexpr (op::k_major) {
    const word_t x[1][1] = {{f.raw[turn][0][0]}};
    st_words<1>(dst, x);
  } else {
    const unsigned r0 = f.raw[turn][0][0], r1 = f.raw[turn][1][0];
    const unsigned r2 = f.raw[turn][2][0], r3 = f.raw[turn][3][0];
    const unsigned low01 = __byte_perm(r0, r1, 0x5140), low23 = __byte_perm(r2, r3, 0x5140);
    const unsigned high01 = __byte_perm(r0, r1, 0x7362), high23 = __byte_perm(r2, r3, 0x7362);
    const word_t x[4][1] = {{__byte_perm(low01, low23, 0x5410)},
                            {__byte_perm(low01, low23, 0x7632)},
                            {__byte_perm(high01, high23, 0x5410)},
                            {__byte_perm(high01, high23, 0x7632)}};
    st_words<op::chunk_size>(dst, x);
  }
}
