
// Elements of a vector in shared memory.
template <class element>
__device__ __forceinline__ element ld_vector(unsigned vector, int index) {
  element x;
  ld_shared(x, vector + unsigned(index) * unsigned(sizeof(element)));
  return x;
}

template <class element>
__device__ __forceinline__ two<element> ld_vector_pair(unsigned vector, int index) {
  element x[2];
  ld_shared_pair(x, vector + unsigned(index) * unsigned(sizeof(element)));
  return {x[0], x[1]};
}
