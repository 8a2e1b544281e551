/* A layer of a perceptron with libgemmgen from C++: D = relu(A * B + bias), to a checked result.
 *
 *     c++ -std=c++17 gemm.cpp -o gemm $(pkg-config --cflags --libs gemmgen) && ./gemm
 *
 * Without a GPU gemmgen's emulator computes. Exit status: 0 the result is right, 1 it is not or
 * something failed. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <gemmgen/gemmgen.hpp>

namespace {

constexpr int64_t M = 300, N = 200, K = 104;

/* A and B hold the integers -2 to 2, and the bias 0 to 6, so that D is exact. */
int integer_of(int64_t i, int64_t k, int64_t salt) {
  return static_cast<int>((i * 7 + k * 3 + i * k + salt) % 5) - 2;
}

uint16_t f16_of(int integer) {
  static const uint16_t f16[] = {0xc000, 0xbc00, 0x0000, 0x3c00, 0x4000};
  return f16[integer + 2];
}

/* A's rows, or B's columns: each K elements, contiguous. */
std::vector<uint16_t> lines(int64_t count, int64_t salt) {
  std::vector<uint16_t> out;
  for (int64_t i = 0; i < count; i++) {
    for (int64_t k = 0; k < K; k++)
      out.push_back(f16_of(integer_of(i, k, salt)));
  }
  return out;
}

std::vector<float> biases() {
  std::vector<float> out;
  for (int64_t j = 0; j < N; j++)
    out.push_back(static_cast<float>(j % 7));
  return out;
}

float wanted(int64_t i, int64_t j) {
  int64_t sum = j % 7;
  for (int64_t k = 0; k < K; k++)
    sum += integer_of(i, k, 0) * integer_of(j, k, 1);
  return static_cast<float>(std::max<int64_t>(sum, 0));
}

template <class Element>
gemmgen::Memory on_device(const gemmgen::Context &context, const std::vector<Element> &elements) {
  size_t bytes = elements.size() * sizeof(Element);
  gemmgen::Memory memory(context, bytes);
  memory.write(elements.data(), bytes);
  return memory;
}

std::vector<float> multiply() {
  gemmgen::Context context;
  gemmgen::Gemm gemm(context);
  gemmgen::Stream stream(context);
  std::vector<float> result(M * N);
  gemmgen::Memory a = on_device(context, lines(M, 0)), b = on_device(context, lines(N, 1));
  gemmgen::Memory bias = on_device(context, biases());
  gemmgen::Memory d(context, result.size() * sizeof(float));

  gg_form form = GG_FORM_INIT; /* alignments are the problem's */
  form.a = form.b = {GG_DTYPE_f16, GG_MAJOR_K, 0};
  form.d = {GG_DTYPE_f32, GG_MAJOR_N, 0};
  form.accumulator = GG_DTYPE_f32;
  form.epilogue = "[bias, relu]";

  gg_problem problem = GG_PROBLEM_INIT; /* alpha 1, beta 0, batch 1 */
  problem.m = M, problem.n = N, problem.k = K;
  problem.a = a.address(), problem.b = b.address(), problem.d = d.address();
  problem.lda = K, problem.ldb = K, problem.ldd = N;
  problem.extras[0].address = bias.address(); /* of operation 0, the bias */

  std::printf("%s: %s\n", context.device().name, gemm.choose(form, problem).kernel);
  gemm.launch(form, problem, stream.get());
  context.synchronize(stream.get());
  d.read(result.data(), result.size() * sizeof(float));
  return result;
}

} // namespace

int main() {
  try {
    std::vector<float> d = multiply();
    int64_t right = 0;
    for (int64_t i = 0; i < M; i++) {
      for (int64_t j = 0; j < N; j++)
        right += d[static_cast<size_t>(i * N + j)] == wanted(i, j);
    }
    std::printf("%lld of %lld elements are right\n", static_cast<long long>(right),
                static_cast<long long>(M * N));
    return right == M * N ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
