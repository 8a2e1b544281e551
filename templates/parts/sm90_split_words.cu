
template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], unsigned word) {
  bits[0] = element(word);
  bits[1] = element(word >> 8 * sizeof(element));
}
