/* gemmgen.hpp as programs use it: a product in the emulator by spec and by form, owners that move,
 * errors by exceptions and by values. Without exceptions what takes a Failure is all there is. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <gemmgen/gemmgen.hpp>

static int failures;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::printf("line %d: %s\n", __LINE__, #condition);                                          \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

template <class Owner> constexpr bool moves_alone() {
  return std::is_nothrow_move_constructible<Owner>::value &&
         std::is_nothrow_move_assignable<Owner>::value &&
         !std::is_copy_constructible<Owner>::value && !std::is_copy_assignable<Owner>::value;
}
static_assert(moves_alone<gemmgen::SpecFile>() && moves_alone<gemmgen::Kernel>(), "");
static_assert(moves_alone<gemmgen::Binary>() && moves_alone<gemmgen::Compiler>(), "");
static_assert(moves_alone<gemmgen::Context>() && moves_alone<gemmgen::Memory>(), "");
static_assert(moves_alone<gemmgen::Stream>() && moves_alone<gemmgen::Module>(), "");
static_assert(moves_alone<gemmgen::Gemm>() && moves_alone<gemmgen::Packer>(), "");

/* As gemmgen pack writes it, of a pack whose format is a later one's. */
struct fake_pack {
  gg_packed *packed;
};
static int packs_closed;
static gg_status fake_open(fake_pack *out, gg_context *context, gg_error *err) {
  static const gg_pack pack = {
      sizeof(gg_pack), GG_PACK_FORMAT + 1, "fake", "99.0", 0, nullptr, 0, nullptr, 0};
  return gg_pack_open(&out->packed, context, &pack, err);
}
static void fake_close(fake_pack *of) {
  packs_closed++;
  gg_packed_close(of->packed);
}
static const gg_module *fake_module(const fake_pack *of) {
  return of->packed ? gg_packed_module(of->packed, 0) : nullptr;
}
static gg_status fake_launch(const fake_pack *, const gg_problem *problem, CUstream_st *,
                             gg_error *) {
  return problem->m == 7 ? GG_OK : GG_E_MEMORY;
}
using Fake = gemmgen::Packed<fake_open, fake_close>;
static_assert(moves_alone<Fake>() && std::is_same<Fake::Pack, fake_pack>::value, "");
static_assert(std::is_copy_constructible<gemmgen::ModuleRef>::value, "");

static const char spec_text[] = "arch: sm_80\na: f32\nb: f32\nd: f32\n";

enum { M = 20, N = 12, K = 8 };

/* A, B and D as problem and host have them: all of f32, lines along K of A and B. */
struct Operands {
  std::vector<float> a = std::vector<float>(M * K), b = std::vector<float>(N * K),
                     d = std::vector<float>(M * N);
  gg_problem problem = GG_PROBLEM_INIT;

  Operands() {
    for (size_t i = 0; i < a.size(); i++)
      a[i] = static_cast<float>(i * 7 % 5) - 2;
    for (size_t i = 0; i < b.size(); i++)
      b[i] = static_cast<float>(i * 3 % 5) - 2;
    problem.m = M, problem.n = N, problem.k = K;
    problem.lda = K, problem.ldb = K, problem.ldd = N;
  }

  int wrong() const {
    int count = 0;
    for (size_t i = 0; i < M; i++) {
      for (size_t j = 0; j < N; j++) {
        float sum = 0;
        for (size_t k = 0; k < K; k++)
          sum += a[i * K + k] * b[j * K + k];
        count += std::fabs(d[i * N + j] - sum) > 0;
      }
    }
    return count;
  }
};

static size_t bytes_of(const std::vector<float> &elements) {
  return elements.size() * sizeof(float);
}

static gg_context_options emulator() {
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  options.provider = GG_PROVIDER_EMU;
  return options;
}

static void errors_by_value() {
  gemmgen::Failure failure;
  CHECK(!failure && failure.code() == GG_OK && failure.message().empty());
  gemmgen::SpecFile file = gemmgen::SpecFile::parse("arch: sm_80\na: f17\n", "mine", failure);
  CHECK(failure && failure.code() == GG_E_SPEC_CHOICE && failure.stage() == GG_STAGE_SPEC);
  CHECK(!file && file.size() == 0 && !file.source());
  CHECK(failure.text("arch: sm_80\na: f17\n").find("mine:2:4: error: 'f17'") == 0);
  failure.clear();
  CHECK(!failure);
  file = gemmgen::SpecFile::load("/nowhere.yaml", failure);
  CHECK(failure.code() == GG_E_FILE_READ);
  failure.clear();
  CHECK(gemmgen::layout("4:1", nullptr, failure) == "4:1" && !failure);
  gemmgen::layout("(4,8", nullptr, failure);
  CHECK(failure.code() == GG_E_LAYOUT_SYNTAX && failure.c_error().column == 5);
  failure.clear();
  gg_context_options options = GG_CONTEXT_OPTIONS_INIT;
  options.device = 4711;
  options.provider = GG_PROVIDER_EMU;
  gemmgen::Context context(options, failure);
  CHECK(!context && failure.code() == GG_E_NO_DEVICE);
}

/* From a spec, with a workspace though it takes none, and with what is moved. */
static void by_spec() {
  gemmgen::Failure failure;
  Operands operands;
  gemmgen::Context context(emulator(), failure);
  gemmgen::SpecFile file = gemmgen::SpecFile::parse(spec_text, "<spec>", failure);
  gemmgen::Kernel kernel(file[0], failure);
  CHECK(!failure && context.device().emulated && file.size() == 1);
  CHECK(kernel.source().find(kernel->name) != std::string_view::npos);
  CHECK(gemmgen::explain(file[0], true, failure)[0] == '{');
  gemmgen::Module first(context, kernel, failure);
  gemmgen::Module module = std::move(first);
  CHECK(!first && module && module.facts().ctas_per_sm > 0);
  gemmgen::Memory a(context, bytes_of(operands.a), failure);
  gemmgen::Memory b(context, bytes_of(operands.b), failure);
  gemmgen::Memory d(context, bytes_of(operands.d), failure), moved;
  moved = std::move(d);
  a.write(operands.a.data(), bytes_of(operands.a), failure);
  b.write(operands.b.data(), bytes_of(operands.b), failure);
  operands.problem.a = a.address(), operands.problem.b = b.address();
  operands.problem.d = moved.address();
  int64_t need = -1;
  CHECK(module.workspace_bytes(need, operands.problem, failure) == GG_OK && need == 0);
  gg_prepared prepared;
  CHECK(module.prepare(prepared, operands.problem, failure) == GG_OK);
  gemmgen::Stream stream(context, failure), other = std::move(stream);
  CHECK(!stream && other);
  CHECK(gemmgen::launch(prepared, other.get(), failure) == GG_OK);
  context.synchronize(other.get(), failure);
  moved.read(operands.d.data(), bytes_of(operands.d), failure);
  CHECK(!failure && operands.wrong() == 0);
  operands.problem.lda = 1;
  CHECK(module.launch(operands.problem, nullptr, failure) == GG_E_PROBLEM_LD);
}

static void compiled() {
  gemmgen::Failure failure;
  gemmgen::Compiler compiler(GG_COMPILER_OPTIONS_INIT, failure);
  gemmgen::SpecFile file = gemmgen::SpecFile::parse(spec_text, "<spec>", failure);
  gemmgen::Kernel kernel(file[0], failure);
  CHECK(compiler && compiler.facts().nvrtc);
  gemmgen::Binary binary =
      gemmgen::compile(compiler.get(), kernel, "sm_90", GG_FORMAT_PTX, failure);
  CHECK(!failure && binary && binary.data().find(".target sm_90") != std::string_view::npos);
  gemmgen::Context context(emulator(), failure);
  gemmgen::Module module(context, kernel, *binary.get(), failure);
  CHECK(!failure && module);
}

#if defined(__cpp_exceptions)
static gg_form form_of_f32() {
  gg_form form = GG_FORM_INIT;
  form.a = form.b = {GG_DTYPE_f32, GG_MAJOR_K, 0};
  form.d = {GG_DTYPE_f32, GG_MAJOR_N, 0};
  form.accumulator = GG_DTYPE_f32;
  return form;
}

static void by_form() {
  Operands operands;
  gemmgen::Context context(emulator());
  gemmgen::Gemm gemm(context);
  gemmgen::Memory a(context, bytes_of(operands.a)), b(context, bytes_of(operands.b));
  gemmgen::Memory d(context, bytes_of(operands.d));
  a.write(operands.a.data(), bytes_of(operands.a));
  b.write(operands.b.data(), bytes_of(operands.b));
  operands.problem.a = a.address(), operands.problem.b = b.address();
  operands.problem.d = d.address();
  gemmgen::Memory workspace = gemmgen::Memory::workspace(context, GG_GEMM_WORKSPACE);
  operands.problem.workspace = workspace.address();
  operands.problem.workspace_bytes = GG_GEMM_WORKSPACE;
  gg_form form = form_of_f32();
  CHECK(std::strstr(gemm.choose(form, operands.problem).kernel, "simt"));
  gemm.launch(form, operands.problem);
  context.synchronize();
  d.read(operands.d.data(), bytes_of(operands.d));
  CHECK(operands.wrong() == 0);
  operands.d.assign(M * N, 7);
  d.write(operands.d.data(), bytes_of(operands.d));
  gemmgen::launch(gemm.prepare(form, operands.problem));
  d.read(operands.d.data(), bytes_of(operands.d));
  CHECK(operands.wrong() == 0);
  gemmgen::Packer packer(context);
  gg_packing nothing = GG_PACKING_INIT;
  nothing.block = 32;
  packer.launch(nothing);
}

static void exceptions() {
  try {
    gemmgen::SpecFile::parse("arch: sm_80\na: f17\n", "mine");
    CHECK(false); /* not reached */
  } catch (const gemmgen::Error &error) {
    CHECK(error.code() == GG_E_SPEC_CHOICE && error.stage() == GG_STAGE_SPEC);
    CHECK(error.file() == "mine" && error.line() == 2 && error.column() == 4);
    CHECK(std::strstr(error.what(), error.message().c_str()) && error.log().empty());
    CHECK(error.what()[std::strlen(error.what()) - 1] != '\n');
  }
  std::string svg;
  CHECK(gemmgen::layout("(2,4):(4,1)", &svg) == "(2,4):(4,1)" && svg.find("<svg ") == 0);
  CHECK(gemmgen::explain(gemmgen::SpecFile::parse(spec_text)[0]).find("kernel\n") == 0);
  try {
    gemmgen::Context context(emulator());
    gemmgen::Gemm gemm(context);
    gemm.prepare(form_of_f32(), Operands().problem); /* null pointers */
    CHECK(false);                                    /* not reached */
  } catch (const std::runtime_error &error) {
    CHECK(std::strstr(error.what(), "[PROBLEM_POINTER]"));
  }
}
#endif

static void packs() {
  gemmgen::Failure failure, opening;
  gemmgen::Context context(emulator(), opening);
  CHECK(!opening);
  {
    Fake pack(context, failure);
    CHECK(!pack && failure.code() == GG_E_PACK_FORMAT);
    CHECK(!pack.module(fake_module) && !pack.get()->packed);
    Fake other(std::move(pack));
    gg_problem problem = GG_PROBLEM_INIT;
    problem.m = 7;
    gemmgen::Failure none;
    CHECK(other.launch(fake_launch, problem, nullptr, none) == GG_OK && !none);
  }
  CHECK(packs_closed == 2);
#if defined(__cpp_exceptions)
  try {
    Fake pack(context);
    CHECK(false);
  } catch (const gemmgen::Error &error) {
    CHECK(error.code() == GG_E_PACK_FORMAT);
  }
  CHECK(packs_closed == 2);
#endif
}

int main() {
  errors_by_value();
  by_spec();
  compiled();
  packs();
#if defined(__cpp_exceptions)
  by_form();
  exceptions();
#endif
  std::printf("%d failures\n", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
