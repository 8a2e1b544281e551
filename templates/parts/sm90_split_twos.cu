
template <class element>
__device__ __forceinline__ void let_go(element (&bits)[2], two<element> pair) {
  bits[0] = pair.x;
  bits[1] = pair.y;
}
