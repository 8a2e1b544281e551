/* gemmgen for C++17: classes that own the handles of the C headers, and errors as exceptions or as
 * values.
 *
 *     gemmgen::Context context;
 *     gemmgen::Gemm gemm(context);
 *     gemm.launch(form, problem, stream);
 *
 * Structs that callers fill in (gg_form, gg_problem, options) and enumerators are those of C, so
 * that this header consists of inline calls only. gemmgen_launch.hpp is the part of it that
 * programs of packed kernels need, with libgemmgen-launch; what it says of errors, owners and
 * threads goes for this header, too. */
#ifndef GEMMGEN_HPP
#define GEMMGEN_HPP

#include "gemmgen_gemm.h"
#include "gemmgen_launch.hpp"

namespace gemmgen {

/* ---- Specs and kernels ---------------------------------------------------------------- */

/* The specs of a YAML file: one, or those of its sweep. */
class SpecFile {
public:
  SpecFile() noexcept = default;
  /* Reads a file; "-" is standard input. */
  static SpecFile load(const std::string &path, Failure &failure) {
    gg_spec_file *file = nullptr;
    gg_spec_file_load(&file, path.c_str(), failure.get());
    return SpecFile(file);
  }
  /* Reads a text. Errors give its name as `name`. */
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
  /* Valid for as long as the SpecFile is. */
  const gg_spec &operator[](size_t index) const {
    return *gg_spec_file_get(handle_.get(), index);
  }
  /* The file's text, for Failure::text. */
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

/* The value of an expression of the layout algebra; if `svg` is not null, also its drawing. */
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

/* A generated kernel. -> gives its text and the facts of its launch. */
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

/* What NVRTC made, which -> gives. */
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

/* Compiles with the compiler of a Compiler or a Context; `arch` null: for the kernel's own. */
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

/* ---- Launching ------------------------------------------------------------------------ */

inline gg_compiler *Context::compiler() const noexcept {
  return gg_context_compiler(get());
}

inline void Module::load(const Context &context, const Kernel &kernel, Failure &failure) {
  gg_module *module = nullptr;
  gg_module_load(&module, context.get(), kernel.get(), failure.get());
  module_ = module;
}
inline Module::Module(const Context &context, const Kernel &kernel, Failure &failure) {
  load(context, kernel, failure);
}
inline Module::Module(const Context &context, const Kernel &kernel, const gg_binary &binary,
                      Failure &failure) {
  load(context, *kernel.get(), binary, failure);
}
#if defined(__cpp_exceptions)
inline Module::Module(const Context &context, const Kernel &kernel) {
  GEMMGEN_THROWING(load(context, kernel, failure));
}
inline Module::Module(const Context &context, const Kernel &kernel, const gg_binary &binary) {
  GEMMGEN_THROWING(load(context, *kernel.get(), binary, failure));
}
#endif

/* Launches the best of the shipped kernels for a form and a problem (gemmgen_gemm.h). */
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

/* Packs rows of scale factors on the device, to the layout that kernels read. */
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

} // namespace gemmgen

#endif
