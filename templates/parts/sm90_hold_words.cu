
// Two neighbouring elements, finished, in a register.
template <class element>
__device__ __forceinline__ unsigned hold(two<element> pair) {
  unsigned word = pair.x | unsigned(pair.y) << 8 * sizeof(element);
  settle(word);  // not later
  return word;
}
