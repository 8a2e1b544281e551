/* libgemmgen-launch: kernels that were compiled before, loaded and launched.
 *
 *     gg_pack, or gg_kernel and gg_binary --> gg_module --gg_launch--> on a stream
 *
 * It checks problems, makes tensor maps and launches, and has neither the generator nor a compiler;
 * libgemmgen has all of this too, so that a program links one of both. The CUDA driver is loaded
 * with dlopen when a context is opened; nothing here needs CUDA's headers. CUstream and
 * cudaStream_t are pointers to `struct CUstream_st`, device pointers are uint64_t as CUdeviceptr
 * is. A context works in its device's primary context, the one that the CUDA runtime uses, and
 * leaves the calling thread's current context as it was.
 *
 * Threads: a gg_context, gg_module and gg_packed are const once made. Every function that takes one
 * may be called from any number of threads at a time; closing is the caller's to order after the
 * last use. Nothing is shared between two contexts. */
#ifndef GEMMGEN_LAUNCH_H
#define GEMMGEN_LAUNCH_H

#include "gemmgen_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* ---- Binaries ------------------------------------------------------------------------- */

typedef enum gg_format { GG_FORMAT_CUBIN = 0, GG_FORMAT_PTX = 1 } gg_format;

/* What NVRTC made. Owned by the caller. */
typedef struct gg_binary {
  gg_format format;
  char arch[16];       /* "sm_90" */
  const void *data;    /* a NUL follows the last byte */
  size_t size;         /* bytes, without that NUL */
  const char *options; /* as given to NVRTC, joined by spaces */
  const char *log;     /* the compiler's warnings; "" when there are none */
  bool cached;         /* came from the cache */
} gg_binary;

typedef struct gg_compiler_options gg_compiler_options;

/* ---- Contexts ------------------------------------------------------------------------- */

/* One device, through one provider of the driver API. */
typedef struct gg_context gg_context;

typedef enum gg_provider {
  GG_PROVIDER_AUTO = 0, /* the GPU where there is one, else the emulator */
  GG_PROVIDER_CUDA = 1, /* NVIDIA's driver */
  GG_PROVIDER_EMU = 2,  /* PTX on the CPU; options by gemmgen_emu.h or the environment */
} gg_provider;

typedef struct gg_context_options {
  size_t size; /* of this struct; as GG_CONTEXT_OPTIONS_INIT sets it */
  int device;  /* the driver's ordinal */
  gg_provider provider;
  const gg_compiler_options *compiler; /* NULL: as GG_COMPILER_OPTIONS_INIT leaves them */
} gg_context_options;

#define GG_CONTEXT_OPTIONS_INIT GG_SIZED(gg_context_options)

/* `options` may be NULL: device 0 of what there is. With GG_PROVIDER_CUDA, GG_E_NO_DRIVER and
 * GG_E_NO_DEVICE say that there is no GPU to use; other errors that something is wrong with it.
 * Close with gg_context_close, after every module of it is freed. */
GG_API gg_status gg_context_open(gg_context **out, const gg_context_options *options,
                                 gg_error *err);
GG_API void gg_context_close(gg_context *context);

typedef struct gg_device_facts {
  char name[128];
  int arch;           /* 90: compute capability 9.0 */
  int driver_version; /* 13000: the newest CUDA that the driver serves */
  int sm_count;
  int threads_per_sm;
  int clock_khz;
  int smem_per_cta; /* bytes, with opt-in */
  int smem_per_sm;  /* bytes */
  int64_t l2_bytes, memory_bytes;
  bool emulated; /* PTX on the CPU */
} gg_device_facts;

GG_API const gg_device_facts *gg_context_device(const gg_context *context);

/* ---- Modules -------------------------------------------------------------------------- */

/* A kernel loaded on one device. Keeps what it needs of the gg_kernel. */
typedef struct gg_module gg_module;

typedef struct gg_module_facts {
  char arch[16]; /* what it was compiled for */
  bool cached;
  int registers;      /* a thread */
  int local_bytes;    /* a thread: spills and stack */
  int64_t smem_bytes; /* a CTA, static and dynamic */
  int ctas_per_sm;
} gg_module_facts;

/* Loads what was compiled before, elsewhere perhaps; only `format`, `data`, `size` and `arch`
 * of the binary are read. */
GG_API gg_status gg_module_load_binary(gg_module **out, gg_context *context,
                                       const gg_kernel *kernel, const gg_binary *binary,
                                       gg_error *err);
GG_API void gg_module_free(gg_module *module);
GG_API const gg_module_facts *gg_module_facts_of(const gg_module *module);

/* ---- Launching ------------------------------------------------------------------------ */

/* What an operation of the epilogue reads or writes: a number, a vector, or a matrix like D. */
typedef struct gg_extra {
  uint64_t address;         /* device pointer */
  int64_t ld, batch_stride; /* elements; ld of a matrix alone */
  int64_t reserved;
} gg_extra;

/* D = epilogue(A * B) for each of `batch` problems. Extents, leading dimensions and batch strides
 * count elements. C is not read, and may be null, when beta is 0. A batch stride of 0 shares what
 * is read between the batches, and what an amax keeps. `extras[i]` belongs to operation i of the
 * kernel's epilogue, where that has an operand. An amax's number is raised, where it is less, and
 * never set: zero it before. A sum's vector is set. */
typedef struct gg_problem {
  size_t size; /* of this struct; as GG_PROBLEM_INIT sets it */
  int64_t m, n, k, batch;
  uint64_t a, b, c, d; /* device pointers */
  int64_t lda, ldb, ldc, ldd;
  int64_t batch_stride_a, batch_stride_b, batch_stride_c, batch_stride_d;
  float alpha, beta;
  uint64_t workspace;      /* device pointer, 256-byte aligned; gg_workspace_bytes of them */
  int64_t workspace_bytes; /* there */
  bool overlap; /* may be launched while the one before it on the stream still runs; it touches
                   memory only when that has ended. Kernels that cannot wait are launched as ever */
  gg_extra extras[GG_OPERATIONS_MAX];
  /* Device pointers to the scale factors of A and of B, aligned to 16 bytes, and bytes from batch
   * to batch, multiples of 16: of kernels that have factors. They lie as gg_scales_pack lays them.
   */
  uint64_t scale_a, scale_b;
  int64_t batch_stride_scale_a, batch_stride_scale_b;
  /* Likewise of D's, which a kernel that scales D writes: gg_scales_bytes of M by N, in place.
   * Those of rows beyond M stay as they are. D and they can be the A of the next product. */
  uint64_t scale_d;
  int64_t batch_stride_scale_d;
  /* Of kernels whose A is sparse: a device pointer to the metadata that gg_sparse_compress makes,
   * aligned to 16 bytes, and bytes from batch to batch, a multiple of 16. A is what it stores; k
   * counts the zeros, too, and lda and batch_stride_a are of stored elements. Likewise of those
   * whose B is. */
  uint64_t metadata;
  int64_t batch_stride_metadata;
  /* In place of alpha and beta where wide_factors is true: in full for kernels that sum in f64,
   * rounded to f32 for others. */
  double wide_alpha, wide_beta;
  bool wide_factors;
  /* Device pointers to alpha and beta, of kernels whose `linear` has `scalars: device`: an f32
   * each, an f64 where sums are. Those above count for nothing then, and C must be there: the
   * kernel reads it where the number at beta_at is not 0. Others take none. */
  uint64_t alpha_at, beta_at;
  /* Of kernels with `problem: {pointers: true}`, and of others false: a, b, c and d are device
   * addresses of arrays of `batch` device addresses, one a matrix, in any order; the arrays are
   * aligned to 8 bytes. Leading dimensions are those of every matrix, and batch strides of A, B, C
   * and D count for nothing. The addresses in the arrays are read by the kernel alone: that each is
   * a multiple of the operand's alignment, and that no two matrices of D have an element in common,
   * is the caller's to see to. */
  bool pointers;
  /* How many of the device's multiprocessors the launch fills at most, so that what runs beside it,
   * a collective between GPUs for one, finds room; 0: all. Kernels that walk over tiles (scheduler
   * persistent, split_k, stream_k) start no more CTAs than these hold, at least one cluster. Those
   * with a CTA a tile start all of them, and their CTAs wait for what others leave. gg_gemm chooses
   * the kernel that is fastest on so many. */
  int64_t multiprocessors;
} gg_problem;

#ifdef __cplusplus
static inline gg_problem gg_problem_init(void) {
  gg_problem problem = GG_SIZED(gg_problem);
  problem.batch = 1;
  problem.alpha = 1;
  problem.overlap = true;
  return problem;
}
#define GG_PROBLEM_INIT gg_problem_init()
#else
#define GG_PROBLEM_INIT                                                                            \
  { .size = sizeof(gg_problem), .batch = 1, .alpha = 1, .overlap = true }
#endif

/* Sets the leading dimensions and batch strides of the densest layout that the kernel's
 * alignments allow. GG_E_PROBLEM_SIZE when they pass int64. */
GG_API gg_status gg_problem_pack(gg_problem *problem, const gg_kernel *kernel, gg_error *err);

/* ---- Scale factors */

/* Scale factors of a matrix of `rows` (M of A, N of B) by K, a byte for each `block` elements of a
 * row (16 or 32; of a sparse product 32 or 64, zeros among them), lie in device memory as cuBLAS
 * and CUTLASS have them: in atoms of 128 rows by 4 factors, 512 bytes, which follow each other
 * along K first; the factor i of row r of an atom is byte r % 32 * 16 + r / 32 * 4 + i. How many
 * bytes those of a matrix are, whole atoms: GG_E_PROBLEM_EXTENT, GG_E_PROBLEM_SIZE. */
GG_API gg_status gg_scales_bytes(int64_t *out, int64_t rows, int64_t k, int block, gg_error *err);

/* From host memory to host memory: from rows of ceil(k / block) factors, `ld` bytes apart, to that
 * layout, of gg_scales_bytes; and back. What pads atoms becomes 0. A kernel reads the padding of a
 * row's last 4 factors, and multiplies zeros by it: whoever packs by other means leaves no NaN
 * there. GG_E_PROBLEM_LD besides. */
GG_API gg_status gg_scales_pack(void *to, const void *from, int64_t rows, int64_t k, int block,
                                int64_t ld, gg_error *err);
GG_API gg_status gg_scales_unpack(void *to, const void *from, int64_t rows, int64_t k, int block,
                                  int64_t ld, gg_error *err);

/* The same on the device, by a small kernel of the library's own, for factors in rows that a kernel
 * has just computed: `to` of gg_scales_bytes, aligned to 16 bytes; of several batches strides in
 * bytes, that of `to` a multiple of 16. Put on the stream in front of the product's launch, it may
 * be captured in a CUDA graph with it. */
typedef struct gg_packing {
  size_t size;       /* of this struct; as GG_PACKING_INIT sets it */
  uint64_t to, from; /* device pointers */
  int64_t rows, k, batch;
  int64_t ld; /* bytes from row to row */
  int64_t batch_stride_to, batch_stride_from;
  int block; /* elements that share a factor: 16 or 32 */
} gg_packing;

#ifdef __cplusplus
static inline gg_packing gg_packing_init(void) {
  gg_packing packing = GG_SIZED(gg_packing);
  packing.batch = 1;
  return packing;
}
#define GG_PACKING_INIT gg_packing_init()
#else
#define GG_PACKING_INIT                                                                            \
  { .size = sizeof(gg_packing), .batch = 1 }
#endif

typedef struct gg_packer gg_packer;

GG_API void gg_packer_close(gg_packer *packer);

/* Checks, puts the launch on `stream` and returns; without rows, K or batches there is nothing to
 * launch. GG_E_PROBLEM_EXTENT, _LD, _STRIDE, _ALIGN, _POINTER, _SIZE. */
GG_API gg_status gg_packer_launch(const gg_packer *packer, const gg_packing *packing,
                                  struct CUstream_st *stream, gg_error *err);

/* ---- A sparse A or B */

/* A sparse matrix, A's M x K or B's N x K. Along K its rows are made of groups of four elements (of
 * tf32: two), of which half at most are not zero, and half are stored; with `pairs`, as tensor
 * cores have e2m1 that stays packed, of groups of four pairs of elements. What is stored is a
 * matrix of the same type and major, of `rows` x the k that gg_sparse_sizes gives. */
typedef struct gg_sparse {
  size_t size; /* of this struct; as GG_SPARSE_INIT sets it */
  gg_dtype type;
  gg_major major; /* GG_MAJOR_K, or GG_MAJOR_M: elements of a column lie together, of B too */
  bool pairs;
  int64_t rows, k;      /* of the dense matrix */
  int64_t ld_dense, ld; /* in elements: of the dense matrix, of what is stored */
} gg_sparse;

#define GG_SPARSE_INIT GG_SIZED(gg_sparse)

/* A problem's A, or B where that is the kernel's sparse operand, whose dense matrix lies densely:
 * what a kernel with a sparse operand takes. */
GG_API gg_status gg_problem_sparse(gg_sparse *out, const gg_kernel *kernel,
                                   const gg_problem *problem, gg_error *err);

/* Elements along K that are stored, whole groups, and bytes of metadata, whole tiles of 128 rows by
 * 16 bytes (which are 128 elements along K; 64 of tf32, 256 of pairs). GG_E_PROBLEM_SIZE,
 * GG_E_PROBLEM_EXTENT. */
GG_API gg_status gg_sparse_sizes(int64_t *stored_k, int64_t *metadata_bytes, const gg_sparse *of,
                                 gg_error *err);

/* In host memory. Prune: of each group the half of the least magnitude becomes zero (of equal ones
 * the last); ld is not looked at. Compress: from the dense matrix to what is stored, and metadata
 * in the layout of CUTLASS's Sm1xxGemmSparseConfig. Expand: back. GG_E_PROBLEM_SPARSE: a group has
 * more that is not zero, or metadata names no half of it; GG_E_PROBLEM_LD besides. */
GG_API gg_status gg_sparse_prune(const gg_sparse *of, void *dense, gg_error *err);
GG_API gg_status gg_sparse_compress(const gg_sparse *of, void *stored, void *metadata,
                                    const void *dense, gg_error *err);
GG_API gg_status gg_sparse_expand(const gg_sparse *of, void *dense, const void *stored,
                                  const void *metadata, gg_error *err);

/* A checked problem, ready to launch any number of times: a value, to be copied and dropped
 * freely. What is in it is the library's. */
enum { GG_PREPARED_WORDS = 512 };

typedef struct gg_prepared {
  uint64_t opaque[GG_PREPARED_WORDS];
} gg_prepared;

/* What a problem takes of `workspace`: 0 but where clusters share tiles (scheduler split_k and
 * stream_k) or claim them (raster.neighbours gpc), sums over D are stored, or tensor maps get the
 * addresses of a batch. Its first GG_WORKSPACE_COUNTERS bytes are zero before the first launch, and
 * every launch leaves them so; a workspace then serves any kernels and problems, one launch at a
 * time. Of the problem the extents and `multiprocessors` count alone. */
GG_API gg_status gg_workspace_bytes(int64_t *out, const gg_module *module,
                                    const gg_problem *problem, gg_error *err);

/* A workspace of at least GG_WORKSPACE_COUNTERS bytes, its counters zero. Free with
 * gg_memory_free. */
GG_API gg_status gg_workspace_alloc(uint64_t *out, gg_context *context, int64_t bytes,
                                    gg_error *err);

/* Checks every size, stride, alignment and limit; touches no device. */
GG_API gg_status gg_prepare(gg_prepared *out, const gg_module *module, const gg_problem *problem,
                            gg_error *err);

/* Puts the launch on `stream` (NULL: the default stream) and returns. Neither compiles nor
 * allocates, and may be captured in a CUDA graph. With M, N or the batch 0 nothing is launched,
 * and sums over no elements are set to 0; with K 0 the kernel runs and D = beta * C. */
GG_API gg_status gg_launch_prepared(const gg_prepared *prepared, struct CUstream_st *stream,
                                    gg_error *err);

/* gg_prepare and gg_launch_prepared at once. */
GG_API gg_status gg_launch(const gg_module *module, const gg_problem *problem,
                           struct CUstream_st *stream, gg_error *err);

/* ---- Device memory and streams -------------------------------------------------------- */

/* Enough to try a kernel without CUDA's headers, with whatever provider the context has; programs
 * with allocations and streams of their own pass those. Copies and gg_synchronize wait. */
GG_API gg_status gg_memory_alloc(uint64_t *out, gg_context *context, size_t bytes, gg_error *err);
GG_API void gg_memory_free(gg_context *context, uint64_t address);
GG_API gg_status gg_memory_write(gg_context *context, uint64_t to, const void *from, size_t bytes,
                                 gg_error *err);
GG_API gg_status gg_memory_read(gg_context *context, void *to, uint64_t from, size_t bytes,
                                gg_error *err);
GG_API gg_status gg_stream_open(struct CUstream_st **out, gg_context *context, gg_error *err);
GG_API void gg_stream_close(gg_context *context, struct CUstream_st *stream);
GG_API gg_status gg_synchronize(gg_context *context, struct CUstream_st *stream, gg_error *err);

/* ---- Packs ---------------------------------------------------------------------------- */

/* Kernels that `gemmgen pack` compiled into a program: const data, and typed functions around what
 * is here. Numbers and layouts are those of gg_pack.format. */
enum { GG_PACK_FORMAT = 1 };

/* What a kernel was compiled to, for one architecture. */
typedef struct gg_image {
  gg_format format;
  const char *arch; /* "sm_90a" */
  const void *data; /* of PTX a NUL follows */
  size_t size;      /* bytes, without that NUL */
  uint64_t checksum;
} gg_image;

typedef struct gg_packed_kernel {
  const gg_kernel *kernel; /* without its text */
  const gg_image *images;
  size_t image_count;
  uint64_t checksum; /* of what `kernel` says */
  uint64_t reserved[4];
} gg_packed_kernel;

typedef struct gg_pack {
  size_t size;         /* of this struct */
  int format;          /* GG_PACK_FORMAT */
  const char *name;    /* "gemms" */
  const char *version; /* of the gemmgen that made it, "0.1.0" */
  size_t kernel_size;  /* bytes of a gg_kernel when it was compiled */
  const gg_packed_kernel *kernels;
  size_t kernel_count;
  const gg_image *packer; /* of what gg_packer_launch launches; of kernels without scale factors
                             there are none */
  size_t packer_count;
} gg_pack;

/* A pack loaded on one device. */
typedef struct gg_packed gg_packed;

/* Loads of each kernel the image for the context's device: the cubin of that very architecture, or
 * else of the newest before it in its family, or else PTX, for the driver to compile. An image that
 * the driver refuses gives way to the next. A kernel that the device cannot run is left out, and
 * tells why when it is launched; where that is every kernel, opening fails. GG_E_PACK_FORMAT: a
 * newer gemmgen made it. GG_E_PACK_DAMAGED: it is not as it was made. The pack and the context
 * outlive it; close with gg_packed_close. */
GG_API gg_status gg_pack_open(gg_packed **out, gg_context *context, const gg_pack *pack,
                              gg_error *err);
GG_API void gg_packed_close(gg_packed *packed);

/* Of the pack's kernel `index` what was loaded; NULL where the device cannot run it. */
GG_API const gg_module *gg_packed_module(const gg_packed *packed, size_t index);

/* gg_launch of that kernel. GG_E_PACK_DEVICE, GG_E_DEVICE_SMEM: why it was left out. */
GG_API gg_status gg_packed_launch(const gg_packed *packed, size_t index, const gg_problem *problem,
                                  struct CUstream_st *stream, gg_error *err);

/* What brings scale factors to the layout that kernels read; NULL where the pack has none. */
GG_API const gg_packer *gg_packed_packer(const gg_packed *packed);

#ifdef __cplusplus
}
#endif

#endif
