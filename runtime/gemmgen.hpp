/* gemmgen for C++17: the handles of the C headers with owners, errors as exceptions or as values.
 *
 *     gemmgen::Context context;
 *     gemmgen::Gemm gemm(context);
 *     gemm.launch(form, problem, stream);
 *
 * Structs that callers fill in (gg_form, gg_problem, options) are C's, as are its enumerators; so
 * this header is a thin one, with nothing to compile but inline calls. Each call that can fail
 * exists twice: it throws gemmgen::Error, or, with a gemmgen::Failure as its last argument, says
 * there what went wrong, throws nothing of ours, and leaves what it should have made empty. Where
 * exceptions are off (-fno-exceptions) the second kind alone is there.
 *
 * Owners move and do not copy. What is made of a Context (Module, Gemm, Packer, Memory, Stream)
 * goes before it does: members and locals in the order of their making do. Threads are as in C: any
 * number may use one object at a time, but for its construction, its move and its end. */
#ifndef GEMMGEN_HPP
#define GEMMGEN_HPP

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gemmgen_gemm.h"

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace gemmgen {

/* ---- Errors --------------------------------------------------------------------------- */

/* A gg_error with an owner: what went wrong, or that nothing did. */
class Failure {
public:
  Failure() noexcept = default;
  Failure(const Failure &) = delete;
  Failure &operator=(const Failure &) = delete;
  ~Failure() {
    gg_error_clear(&error_);
  }

  /* Whether something failed. */
  explicit operator bool() const noexcept {
    return error_.code != GG_OK;
  }
  gg_status code() const noexcept {
    return error_.code;
  }
  gg_stage stage() const noexcept {
    return error_.stage;
  }
  std::string_view message() const noexcept {
    return error_.message;
  }
  /* A compiler's; "" where there is none. */
  std::string_view log() const noexcept {
    return error_.log ? error_.log : "";
  }
  const gg_error &c_error() const noexcept {
    return error_;
  }

  /* As compilers print it: place, message and name; with `source`, the text, its line and a caret.
   */
  std::string text(const char *source = nullptr) const {
    gg_str out = GG_STR_INIT;
    gg_error_print(&out, &error_, source);
    std::string text(gg_str_text(&out), out.length);
    gg_str_free(&out);
    return text;
  }

  /* For the next call: a first error is never overwritten. */
  void clear() noexcept {
    gg_error_clear(&error_);
  }
  /* What C's functions take. */
  gg_error *get() noexcept {
    return &error_;
  }

private:
  gg_error error_ = GG_ERROR_INIT;
};

#if defined(__cpp_exceptions)
/* What a Failure says, thrown. what() is its text without the source's line. */
class Error : public std::runtime_error {
public:
  explicit Error(const Failure &failure)
      : std::runtime_error(trimmed(failure.text())), code_(failure.code()), stage_(failure.stage()),
        line_(failure.c_error().line), column_(failure.c_error().column),
        file_(failure.c_error().file), message_(failure.message()), log_(failure.log()) {}

  gg_status code() const noexcept {
    return code_;
  }
  gg_stage stage() const noexcept {
    return stage_;
  }
  /* Of a spec or an expression; 0 and "" where there is no place. */
  int line() const noexcept {
    return line_;
  }
  int column() const noexcept {
    return column_;
  }
  const std::string &file() const noexcept {
    return file_;
  }
  const std::string &message() const noexcept {
    return message_;
  }
  const std::string &log() const noexcept {
    return log_;
  }

private:
  static std::string trimmed(std::string text) {
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return text;
  }

  gg_status code_;
  gg_stage stage_;
  int line_, column_;
  std::string file_, message_, log_;
};

/* Throws what failed; nothing where nothing did. */
inline void check(const Failure &failure) {
  if (failure) throw Error(failure);
}
#endif

/* The throwing form of a constructor and of a function, from the one that takes a Failure. */
#if defined(__cpp_exceptions)
#define GEMMGEN_THROWING(...)                                                                      \
  Failure failure;                                                                                 \
  __VA_ARGS__;                                                                                     \
  check(failure)
#endif

/* ---- Specs and kernels ---------------------------------------------------------------- */

/* A YAML file: one spec, or those of its sweep. */
class SpecFile {
public:
  SpecFile() noexcept = default;
  /* Reads a file; "-" is standard input. */
  static SpecFile load(const std::string &path, Failure &failure) {
    gg_spec_file *file = nullptr;
    gg_spec_file_load(&file, path.c_str(), failure.get());
    return SpecFile(file);
  }
  /* Reads a text, which errors call `name`. */
  static SpecFile parse(std::string_view text, const std::string &name, Failure &failure) {
    gg_spec_file *file = nullptr;
    gg_spec_file_parse(&file, text.data(), text.size(), name.c_str(), failure.get());
    return SpecFile(file);
  }
#if defined(__cpp_exceptions)
  static SpecFile load(const std::string &path) {
    GEMMGEN_THROWING(SpecFile file = load(path, failure));
    return file;
  }
  static SpecFile parse(std::string_view text, const std::string &name = "<spec>") {
    GEMMGEN_THROWING(SpecFile file = parse(text, name, failure));
    return file;
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  size_t size() const noexcept {
    return handle_ ? gg_spec_file_count(handle_.get()) : 0;
  }
  /* The file's, for as long as that is there. */
  const gg_spec &operator[](size_t index) const {
    return *gg_spec_file_get(handle_.get(), index);
  }
  /* The text, for Failure::text. */
  const char *source() const noexcept {
    return handle_ ? gg_spec_file_source(handle_.get()) : nullptr;
  }
  gg_spec_file *get() const noexcept {
    return handle_.get();
  }

private:
  struct Free {
    void operator()(gg_spec_file *file) const noexcept {
      gg_spec_file_free(file);
    }
  };
  explicit SpecFile(gg_spec_file *file) noexcept : handle_(file) {}
  std::unique_ptr<gg_spec_file, Free> handle_;
};

/* What was decided and derived for a spec, as `gemmgen explain` shows it. */
inline std::string explain(const gg_spec &spec, bool json, Failure &failure) {
  gg_str out = GG_STR_INIT;
  gg_spec_explain(&out, &spec, json, failure.get());
  std::string text(gg_str_text(&out), out.length);
  gg_str_free(&out);
  return text;
}

/* The value of an expression of the layout algebra, and where `svg` is not null its drawing. */
inline std::string layout(const std::string &expression, std::string *svg, Failure &failure) {
  gg_str value = GG_STR_INIT, drawing = GG_STR_INIT;
  gg_layout_show(&value, nullptr, svg ? &drawing : nullptr, expression.c_str(), nullptr,
                 failure.get());
  std::string text(gg_str_text(&value), value.length);
  if (svg) svg->assign(gg_str_text(&drawing), drawing.length);
  gg_str_free(&value);
  gg_str_free(&drawing);
  return text;
}

#if defined(__cpp_exceptions)
inline std::string explain(const gg_spec &spec, bool json = false) {
  GEMMGEN_THROWING(std::string text = explain(spec, json, failure));
  return text;
}
inline std::string layout(const std::string &expression, std::string *svg = nullptr) {
  GEMMGEN_THROWING(std::string text = layout(expression, svg, failure));
  return text;
}
#endif

/* A generated kernel: text and the facts of its launch, which -> reads. */
class Kernel {
public:
  Kernel() noexcept = default;
  Kernel(const gg_spec &spec, Failure &failure) {
    generate(spec, failure);
  }
#if defined(__cpp_exceptions)
  explicit Kernel(const gg_spec &spec) {
    GEMMGEN_THROWING(generate(spec, failure));
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  const gg_kernel *operator->() const noexcept {
    return handle_.get();
  }
  const gg_kernel *get() const noexcept {
    return handle_.get();
  }
  std::string_view source() const noexcept {
    return {handle_->source, handle_->source_length};
  }

private:
  struct Free {
    void operator()(gg_kernel *kernel) const noexcept {
      gg_kernel_free(kernel);
    }
  };
  void generate(const gg_spec &spec, Failure &failure) {
    gg_kernel *kernel = nullptr;
    gg_kernel_generate(&kernel, &spec, failure.get());
    handle_.reset(kernel);
  }
  std::unique_ptr<gg_kernel, Free> handle_;
};

/* ---- Compiling ------------------------------------------------------------------------ */

/* What NVRTC made; -> reads it. */
class Binary {
public:
  Binary() noexcept = default;
  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  const gg_binary *operator->() const noexcept {
    return handle_.get();
  }
  const gg_binary *get() const noexcept {
    return handle_.get();
  }
  std::string_view data() const noexcept {
    return {static_cast<const char *>(handle_->data), handle_->size};
  }

private:
  friend Binary compile(gg_compiler *, const Kernel &, const char *, gg_format, Failure &);
  struct Free {
    void operator()(gg_binary *binary) const noexcept {
      gg_binary_free(binary);
    }
  };
  explicit Binary(gg_binary *binary) noexcept : handle_(binary) {}
  std::unique_ptr<gg_binary, Free> handle_;
};

/* By a Compiler's or a Context's compiler; `arch` null: the kernel's own. */
inline Binary compile(gg_compiler *compiler, const Kernel &kernel, const char *arch,
                      gg_format format, Failure &failure) {
  gg_binary *binary = nullptr;
  gg_compile(&binary, compiler, kernel.get(), arch, format, failure.get());
  return Binary(binary);
}

#if defined(__cpp_exceptions)
inline Binary compile(gg_compiler *compiler, const Kernel &kernel, const char *arch = nullptr,
                      gg_format format = GG_FORMAT_CUBIN) {
  GEMMGEN_THROWING(Binary binary = compile(compiler, kernel, arch, format, failure));
  return binary;
}
#endif

/* NVRTC and the disk cache, without a device. */
class Compiler {
public:
  Compiler(const gg_compiler_options &options, Failure &failure) {
    open(options, failure);
  }
#if defined(__cpp_exceptions)
  explicit Compiler(const gg_compiler_options &options = GG_COMPILER_OPTIONS_INIT) {
    GEMMGEN_THROWING(open(options, failure));
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  gg_compiler *get() const noexcept {
    return handle_.get();
  }
  const gg_compiler_facts &facts() const noexcept {
    return *gg_compiler_facts_of(get());
  }

private:
  struct Close {
    void operator()(gg_compiler *compiler) const noexcept {
      gg_compiler_close(compiler);
    }
  };
  void open(const gg_compiler_options &options, Failure &failure) {
    gg_compiler *compiler = nullptr;
    gg_compiler_open(&compiler, &options, failure.get());
    handle_.reset(compiler);
  }
  std::unique_ptr<gg_compiler, Close> handle_;
};

/* ---- Contexts ------------------------------------------------------------------------- */

/* One device, through one provider of the driver API. */
class Context {
public:
  Context(const gg_context_options &options, Failure &failure) {
    open(options, failure);
  }
#if defined(__cpp_exceptions)
  /* Device 0 of what there is: the GPU, else the emulator. */
  explicit Context(const gg_context_options &options = GG_CONTEXT_OPTIONS_INIT) {
    GEMMGEN_THROWING(open(options, failure));
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  gg_context *get() const noexcept {
    return handle_.get();
  }
  const gg_device_facts &device() const noexcept {
    return *gg_context_device(get());
  }
  /* The context's. */
  gg_compiler *compiler() const noexcept {
    return gg_context_compiler(get());
  }

  /* Waits for all that is on a stream; null: the default one. */
  gg_status synchronize(CUstream_st *stream, Failure &failure) const {
    return gg_synchronize(get(), stream, failure.get());
  }
#if defined(__cpp_exceptions)
  void synchronize(CUstream_st *stream = nullptr) const {
    GEMMGEN_THROWING(synchronize(stream, failure));
  }
#endif

private:
  struct Close {
    void operator()(gg_context *context) const noexcept {
      gg_context_close(context);
    }
  };
  void open(const gg_context_options &options, Failure &failure) {
    gg_context *context = nullptr;
    gg_context_open(&context, &options, failure.get());
    handle_.reset(context);
  }
  std::unique_ptr<gg_context, Close> handle_;
};

/* Device memory. Copies wait. */
class Memory {
public:
  Memory() noexcept = default;
  Memory(const Context &context, size_t bytes, Failure &failure) {
    alloc(context, bytes, failure);
  }
  Memory(Memory &&other) noexcept
      : context_(other.context_), address_(std::exchange(other.address_, 0)) {}
  Memory &operator=(Memory &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~Memory() {
    if (address_) gg_memory_free(context_, address_);
  }

  /* A workspace of so many bytes, its counters zero. */
  static Memory workspace(const Context &context, int64_t bytes, Failure &failure) {
    Memory memory;
    memory.context_ = context.get();
    gg_workspace_alloc(&memory.address_, context.get(), bytes, failure.get());
    return memory;
  }
  gg_status write(const void *from, size_t bytes, Failure &failure) {
    return gg_memory_write(context_, address_, from, bytes, failure.get());
  }
  gg_status read(void *to, size_t bytes, Failure &failure) const {
    return gg_memory_read(context_, to, address_, bytes, failure.get());
  }
#if defined(__cpp_exceptions)
  Memory(const Context &context, size_t bytes) {
    GEMMGEN_THROWING(alloc(context, bytes, failure));
  }
  static Memory workspace(const Context &context, int64_t bytes) {
    GEMMGEN_THROWING(Memory memory = workspace(context, bytes, failure));
    return memory;
  }
  void write(const void *from, size_t bytes) {
    GEMMGEN_THROWING(write(from, bytes, failure));
  }
  void read(void *to, size_t bytes) const {
    GEMMGEN_THROWING(read(to, bytes, failure));
  }
#endif

  explicit operator bool() const noexcept {
    return address_ != 0;
  }
  /* A device pointer, as gg_problem takes it. */
  uint64_t address() const noexcept {
    return address_;
  }

private:
  void alloc(const Context &context, size_t bytes, Failure &failure) {
    context_ = context.get();
    gg_memory_alloc(&address_, context_, bytes, failure.get());
  }
  gg_context *context_ = nullptr;
  uint64_t address_ = 0;
};

/* A stream of one's own; programs with streams of the CUDA runtime pass those. */
class Stream {
public:
  Stream(const Context &context, Failure &failure) {
    open(context, failure);
  }
#if defined(__cpp_exceptions)
  explicit Stream(const Context &context) {
    GEMMGEN_THROWING(open(context, failure));
  }
#endif
  Stream(Stream &&other) noexcept
      : context_(other.context_), stream_(std::exchange(other.stream_, nullptr)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(context_, other.context_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~Stream() {
    if (stream_) gg_stream_close(context_, stream_);
  }

  explicit operator bool() const noexcept {
    return stream_ != nullptr;
  }
  CUstream_st *get() const noexcept {
    return stream_;
  }

private:
  void open(const Context &context, Failure &failure) {
    context_ = context.get();
    gg_stream_open(&stream_, context_, failure.get());
  }
  gg_context *context_ = nullptr;
  CUstream_st *stream_ = nullptr;
};

/* ---- Launching ------------------------------------------------------------------------ */

/* A checked problem, ready to launch: gg_prepared, a value. */
inline gg_status launch(const gg_prepared &prepared, CUstream_st *stream, Failure &failure) {
  return gg_launch_prepared(&prepared, stream, failure.get());
}
#if defined(__cpp_exceptions)
inline void launch(const gg_prepared &prepared, CUstream_st *stream = nullptr) {
  GEMMGEN_THROWING(launch(prepared, stream, failure));
}
#endif

/* A kernel loaded on a context's device. */
class Module {
public:
  Module(const Context &context, const Kernel &kernel, Failure &failure) {
    load(context, kernel, failure);
  }
  Module(const Context &context, const Kernel &kernel, const gg_binary &binary, Failure &failure) {
    load(context, kernel, binary, failure);
  }

  gg_status prepare(gg_prepared &out, const gg_problem &problem, Failure &failure) const {
    return gg_prepare(&out, get(), &problem, failure.get());
  }
  gg_status launch(const gg_problem &problem, CUstream_st *stream, Failure &failure) const {
    return gg_launch(get(), &problem, stream, failure.get());
  }
  gg_status workspace_bytes(int64_t &out, const gg_problem &problem, Failure &failure) const {
    return gg_workspace_bytes(&out, get(), &problem, failure.get());
  }
#if defined(__cpp_exceptions)
  Module(const Context &context, const Kernel &kernel) {
    GEMMGEN_THROWING(load(context, kernel, failure));
  }
  Module(const Context &context, const Kernel &kernel, const gg_binary &binary) {
    GEMMGEN_THROWING(load(context, kernel, binary, failure));
  }
  gg_prepared prepare(const gg_problem &problem) const {
    gg_prepared out;
    GEMMGEN_THROWING(prepare(out, problem, failure));
    return out;
  }
  void launch(const gg_problem &problem, CUstream_st *stream = nullptr) const {
    GEMMGEN_THROWING(launch(problem, stream, failure));
  }
  int64_t workspace_bytes(const gg_problem &problem) const {
    int64_t out = 0;
    GEMMGEN_THROWING(workspace_bytes(out, problem, failure));
    return out;
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  gg_module *get() const noexcept {
    return handle_.get();
  }
  const gg_module_facts &facts() const noexcept {
    return *gg_module_facts_of(get());
  }

private:
  struct Free {
    void operator()(gg_module *module) const noexcept {
      gg_module_free(module);
    }
  };
  void load(const Context &context, const Kernel &kernel, Failure &failure) {
    gg_module *module = nullptr;
    gg_module_load(&module, context.get(), kernel.get(), failure.get());
    handle_.reset(module);
  }
  void load(const Context &context, const Kernel &kernel, const gg_binary &binary,
            Failure &failure) {
    gg_module *module = nullptr;
    gg_module_load_binary(&module, context.get(), kernel.get(), &binary, failure.get());
    handle_.reset(module);
  }
  std::unique_ptr<gg_module, Free> handle_;
};

/* The one call: the best of the shipped kernels for a form and a problem. */
class Gemm {
public:
  Gemm(const Context &context, const gg_gemm_options &options, Failure &failure) {
    open(context, options, failure);
  }

  gg_status prepare(gg_prepared &out, const gg_form &form, const gg_problem &problem,
                    Failure &failure) {
    return gg_gemm_prepare(&out, get(), &form, &problem, failure.get());
  }
  gg_status launch(const gg_form &form, const gg_problem &problem, CUstream_st *stream,
                   Failure &failure) {
    return gg_gemm_launch(get(), &form, &problem, stream, failure.get());
  }
  gg_status choose(gg_gemm_choice &out, const gg_form &form, const gg_problem &problem,
                   Failure &failure) {
    out = GG_GEMM_CHOICE_INIT;
    return gg_gemm_choose(&out, get(), &form, &problem, failure.get());
  }
#if defined(__cpp_exceptions)
  explicit Gemm(const Context &context, const gg_gemm_options &options = GG_GEMM_OPTIONS_INIT) {
    GEMMGEN_THROWING(open(context, options, failure));
  }
  gg_prepared prepare(const gg_form &form, const gg_problem &problem) {
    gg_prepared out;
    GEMMGEN_THROWING(prepare(out, form, problem, failure));
    return out;
  }
  void launch(const gg_form &form, const gg_problem &problem, CUstream_st *stream = nullptr) {
    GEMMGEN_THROWING(launch(form, problem, stream, failure));
  }
  gg_gemm_choice choose(const gg_form &form, const gg_problem &problem) {
    gg_gemm_choice out;
    GEMMGEN_THROWING(choose(out, form, problem, failure));
    return out;
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  gg_gemm *get() const noexcept {
    return handle_.get();
  }

private:
  struct Close {
    void operator()(gg_gemm *gemm) const noexcept {
      gg_gemm_close(gemm);
    }
  };
  void open(const Context &context, const gg_gemm_options &options, Failure &failure) {
    gg_gemm *gemm = nullptr;
    gg_gemm_open(&gemm, context.get(), &options, failure.get());
    handle_.reset(gemm);
  }
  std::unique_ptr<gg_gemm, Close> handle_;
};

/* Brings rows of scale factors to where kernels read them, on the device. */
class Packer {
public:
  Packer(const Context &context, Failure &failure) {
    open(context, failure);
  }
  gg_status launch(const gg_packing &packing, CUstream_st *stream, Failure &failure) const {
    return gg_packer_launch(get(), &packing, stream, failure.get());
  }
#if defined(__cpp_exceptions)
  explicit Packer(const Context &context) {
    GEMMGEN_THROWING(open(context, failure));
  }
  void launch(const gg_packing &packing, CUstream_st *stream = nullptr) const {
    GEMMGEN_THROWING(launch(packing, stream, failure));
  }
#endif

  explicit operator bool() const noexcept {
    return static_cast<bool>(handle_);
  }
  gg_packer *get() const noexcept {
    return handle_.get();
  }

private:
  struct Close {
    void operator()(gg_packer *packer) const noexcept {
      gg_packer_close(packer);
    }
  };
  void open(const Context &context, Failure &failure) {
    gg_packer *packer = nullptr;
    gg_packer_open(&packer, context.get(), failure.get());
    handle_.reset(packer);
  }
  std::unique_ptr<gg_packer, Close> handle_;
};

#undef GEMMGEN_THROWING

} // namespace gemmgen

#endif
