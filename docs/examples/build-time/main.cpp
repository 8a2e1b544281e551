/* The layer of main.c in C++, by gemmgen_launch.hpp: owners, and errors as exceptions.
 *
 *     D = relu(A * B + bias)
 *
 * Exit status: 0 the result is right, 1 it is not or something failed, 77 there is no GPU. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gemmgen/gemmgen_launch.hpp>

#include "gemms.h"

namespace {

using Kernels = gemmgen::Packed<gemms_open, gemms_close>;

constexpr int64_t M = 100, N = 72, K = 64;
constexpr int no_device = 77;

/* One in f16, and what sums of up to 64 of it and a bias of one are. */
constexpr uint16_t one = 0x3c00, sixty_five = 0x5410;

gemmgen::Memory filled(const gemmgen::Context &context, int64_t count, uint16_t value) {
  std::vector<uint16_t> elements(static_cast<size_t>(count), value);
  size_t bytes = elements.size() * sizeof elements[0];
  gemmgen::Memory memory(context, bytes);
  memory.write(elements.data(), bytes);
  return memory;
}

/* The kernel for Hopper where the device can run it, else the one for all. */
void launch(const Kernels &kernels, const gg_problem &problem) {
  bool hopper = static_cast<bool>(kernels.module(gemms_module_layer_hopper));
  std::printf("%s: ", hopper ? "layer_hopper" : "layer");
  kernels.launch(hopper ? gemms_layer_hopper : gemms_layer, problem);
}

int count_right(const gemmgen::Context &context, const Kernels &kernels) {
  gemmgen::Memory a = filled(context, M * K, one), b = filled(context, N * K, one),
                  bias = filled(context, N, one), d = filled(context, M * N, 0);
  gg_problem problem = GG_PROBLEM_INIT;
  problem.m = M, problem.n = N, problem.k = K;
  gemmgen::Failure failure;
  gg_problem_pack(&problem, gemms_kernel_layer(), failure.get());
  gemmgen::check(failure);
  problem.a = a.address(), problem.b = b.address(), problem.d = d.address();
  problem.extras[0].address = bias.address(); /* of the epilogue's first operation */
  launch(kernels, problem);
  context.synchronize();
  std::vector<uint16_t> result(static_cast<size_t>(M * N));
  d.read(result.data(), result.size() * sizeof result[0]);
  int right = 0;
  for (uint16_t element : result)
    right += element == sixty_five;
  return right;
}

} // namespace

int main() try {
  gemmgen::Context context;
  Kernels kernels(context);
  int right = count_right(context, kernels);
  std::printf("%d of %d elements are right\n", right, static_cast<int>(M * N));
  return right == M * N ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const gemmgen::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.code() == GG_E_NO_DRIVER || error.code() == GG_E_NO_DEVICE ? no_device
                                                                          : EXIT_FAILURE;
}
