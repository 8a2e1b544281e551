
// Two neighbouring elements of 32 bits, finished.
template <class element>
__device__ __forceinline__ two<element> hold_two(two<element> pair) {
  settle(pair.x);  // not later
  settle(pair.y);
  return pair;
}
