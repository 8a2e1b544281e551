// What an epilogue in a kernel of its own moves, without its arithmetic: the product, which may be where
// D is, and a matrix beside it are read, D and another matrix are stored, in vectors of 16 bytes. Four of
// each a thread are under way at a time, and every thread has just those.

struct span {
  uint4* at;
  long long count;  // vectors
};

extern "C" __global__ void __launch_bounds__(256) pass(span product, span read, span d, span stored) {
  long long first = blockIdx.x * 256ll + threadIdx.x, step = gridDim.x * 256ll;
  uint4 values[4] = {};
#pragma unroll
  for (int j = 0; j < 4; j++) {
    long long i = first + j * step;
    if (i < product.count) values[j] = product.at[i];
    if (i < read.count) {
      uint4 beside = read.at[i];
      values[j].x ^= beside.x ^ beside.y ^ beside.z ^ beside.w;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    long long i = first + j * step;
    if (i < d.count) d.at[i] = values[j];
    if (i < stored.count) stored.at[i] = values[j];
  }
}
