/* gemmgen for C++17, as far as libgemmgen-launch goes: classes that own contexts, memory, streams,
 * modules and packs, and errors as exceptions or as values. gemmgen.hpp has this and the rest.
 *
 *     #include "gemms.h"                                             what gemmgen pack has written
 *
 *     gemmgen::Context context;
 *     gemmgen::Packed<gemms_open, gemms_close> kernels(context);
 *     kernels.launch(gemms_layer, problem, stream);                  throws gemmgen::Error
 *
 * Each call that can fail exists twice. One throws gemmgen::Error. The other takes a
 * gemmgen::Failure as its last argument, says there what went wrong, throws no exception of ours,
 * and leaves what it should have made empty. Without exceptions (-fno-exceptions) only the second
 * one exists.
 *
 * Owners can be moved but not copied. What is made of a Context (Module, Packed, Memory, Stream)
 * must be destroyed before it, as members and locals are that are declared after it. Threads are as
 * in C: any number may use an object at a time, except to construct, move or destroy it. */
#ifndef GEMMGEN_LAUNCH_HPP
#define GEMMGEN_LAUNCH_HPP

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gemmgen_launch.h"

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

/* A part of libgemmgen, which gemmgen.hpp declares in full. */
typedef struct gg_compiler gg_compiler;

namespace gemmgen {

class Kernel;

/* ---- Errors --------------------------------------------------------------------------- */

/* Owns a gg_error: what went wrong, or that nothing did. */
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
  /* A compiler's log; "" if there is none. */
  std::string_view log() const noexcept {
    return error_.log ? error_.log : "";
  }
  const gg_error &c_error() const noexcept {
    return error_;
  }

  /* The error as compilers print one: place, message and name. If `source` is the text that it is
   * about, also its line and a caret. */
  std::string text(const char *source = nullptr) const {
    gg_str out = GG_STR_INIT;
    gg_error_print(&out, &error_, source);
    std::string text(gg_str_text(&out), out.length);
    gg_str_free(&out);
    return text;
  }

  /* To be called before the object is used again: a first error is never overwritten. */
  void clear() noexcept {
    gg_error_clear(&error_);
  }
  /* For functions of the C headers. */
  gg_error *get() noexcept {
    return &error_;
  }

private:
  gg_error error_ = GG_ERROR_INIT;
};

#if defined(__cpp_exceptions)
/* What is thrown for a Failure. what() is its text without the source's line. */
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
  /* The place in a spec or an expression; 0 and "" if the error has none. */
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

/* Throws an Error if something failed. */
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

/* ---- Contexts ------------------------------------------------------------------------- */

/* One device, through one provider of the driver API. */
class Context {
public:
  Context(const gg_context_options &options, Failure &failure) {
    open(options, failure);
  }
#if defined(__cpp_exceptions)
  /* By default device 0 of what there is: the GPU, else the emulator. */
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
  /* The context's compiler, with libgemmgen; gemmgen.hpp defines this. */
  gg_compiler *compiler() const noexcept;

  /* Waits for all work of a stream; null is the default one. */
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

/* Device memory. write and read return when the copy is done. */
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

  /* A workspace of `bytes` bytes, whose counters are zero. */
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

/* A stream, for programs that have none of the CUDA runtime to pass. */
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

/* Launches a problem that was checked before. */
inline gg_status launch(const gg_prepared &prepared, CUstream_st *stream, Failure &failure) {
  return gg_launch_prepared(&prepared, stream, failure.get());
}
#if defined(__cpp_exceptions)
inline void launch(const gg_prepared &prepared, CUstream_st *stream = nullptr) {
  GEMMGEN_THROWING(launch(prepared, stream, failure));
}
#endif

/* Refers to a kernel that is loaded, whoever owns it. It can be copied. */
class ModuleRef {
public:
  ModuleRef() noexcept = default;
  explicit ModuleRef(const gg_module *module) noexcept : module_(module) {}

  gg_status prepare(gg_prepared &out, const gg_problem &problem, Failure &failure) const {
    return gg_prepare(&out, module_, &problem, failure.get());
  }
  gg_status launch(const gg_problem &problem, CUstream_st *stream, Failure &failure) const {
    return gg_launch(module_, &problem, stream, failure.get());
  }
  gg_status workspace_bytes(int64_t &out, const gg_problem &problem, Failure &failure) const {
    return gg_workspace_bytes(&out, module_, &problem, failure.get());
  }
#if defined(__cpp_exceptions)
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
    return module_ != nullptr;
  }
  const gg_module *get() const noexcept {
    return module_;
  }
  const gg_module_facts &facts() const noexcept {
    return *gg_module_facts_of(module_);
  }

protected:
  const gg_module *module_ = nullptr;
};

/* Owns a kernel loaded on a context's device. */
class Module : public ModuleRef {
public:
  /* Loads what was compiled elsewhere. */
  Module(const Context &context, const gg_kernel &kernel, const gg_binary &binary,
         Failure &failure) {
    load(context, kernel, binary, failure);
  }
  /* These need libgemmgen, which generates and compiles; gemmgen.hpp defines them. */
  Module(const Context &context, const Kernel &kernel, Failure &failure);
  Module(const Context &context, const Kernel &kernel, const gg_binary &binary, Failure &failure);
#if defined(__cpp_exceptions)
  Module(const Context &context, const gg_kernel &kernel, const gg_binary &binary) {
    GEMMGEN_THROWING(load(context, kernel, binary, failure));
  }
  Module(const Context &context, const Kernel &kernel);
  Module(const Context &context, const Kernel &kernel, const gg_binary &binary);
#endif
  Module(Module &&other) noexcept : ModuleRef(std::exchange(other.module_, nullptr)) {}
  Module &operator=(Module &&other) noexcept {
    std::swap(module_, other.module_);
    return *this;
  }
  ~Module() {
    gg_module_free(get());
  }

  gg_module *get() const noexcept {
    return const_cast<gg_module *>(module_);
  }

private:
  void load(const Context &context, const gg_kernel &kernel, const gg_binary &binary,
            Failure &failure) {
    gg_module *module = nullptr;
    gg_module_load_binary(&module, context.get(), &kernel, &binary, failure.get());
    module_ = module;
  }
  void load(const Context &context, const Kernel &kernel, Failure &failure);
};

/* ---- Packs ---------------------------------------------------------------------------- */

/* What `gemmgen pack` has written, loaded on a context's device: Packed<gemms_open, gemms_close>.
 * Member functions take the pack's own functions as arguments: one that launches a kernel, one that
 * finds its module, or the one that packs scale factors. */
template <auto open, auto close> class Packed {
  template <class Pack> static Pack pack_of(gg_status (*)(Pack *, gg_context *, gg_error *));

public:
  using Pack = decltype(pack_of(open));
  using Launch = gg_status (*)(const Pack *, const gg_problem *, CUstream_st *, gg_error *);
  using PackScales = gg_status (*)(const Pack *, const gg_packing *, CUstream_st *, gg_error *);
  using Find = const gg_module *(*)(const Pack *);

  Packed(const Context &context, Failure &failure) {
    open(&pack_, context.get(), failure.get());
  }
  Packed(Packed &&other) noexcept : pack_(std::exchange(other.pack_, Pack())) {}
  Packed &operator=(Packed &&other) noexcept {
    std::swap(pack_, other.pack_);
    return *this;
  }
  ~Packed() {
    close(&pack_);
  }

  gg_status launch(Launch kernel, const gg_problem &problem, CUstream_st *stream,
                   Failure &failure) const {
    return kernel(&pack_, &problem, stream, failure.get());
  }
  gg_status pack_scales(PackScales kernel, const gg_packing &packing, CUstream_st *stream,
                        Failure &failure) const {
    return kernel(&pack_, &packing, stream, failure.get());
  }
#if defined(__cpp_exceptions)
  explicit Packed(const Context &context) {
    GEMMGEN_THROWING(open(&pack_, context.get(), failure.get()));
  }
  void launch(Launch kernel, const gg_problem &problem, CUstream_st *stream = nullptr) const {
    GEMMGEN_THROWING(launch(kernel, problem, stream, failure));
  }
  void pack_scales(PackScales kernel, const gg_packing &packing,
                   CUstream_st *stream = nullptr) const {
    GEMMGEN_THROWING(pack_scales(kernel, packing, stream, failure));
  }
#endif

  /* One kernel, for prepared launches and workspaces; false if the device cannot run it. It must
   * not be used after the pack is destroyed. */
  ModuleRef module(Find kernel) const noexcept {
    return ModuleRef(kernel(&pack_));
  }
  explicit operator bool() const noexcept {
    return pack_.packed != nullptr;
  }
  /* For functions of the C headers. */
  const Pack *get() const noexcept {
    return &pack_;
  }

private:
  Pack pack_ = Pack();
};

} // namespace gemmgen

#endif
