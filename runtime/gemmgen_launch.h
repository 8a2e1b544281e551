/* libgemmgen-launch loads and launches kernels that were compiled before.
 *
 *     gg_pack, or gg_kernel and gg_binary --> gg_module --gg_launch--> on a stream
 *
 * It checks problems, makes tensor maps and launches, and has neither the generator nor a compiler.
 * libgemmgen has all of this too, so a program links one of the two. The CUDA driver is loaded with
 * dlopen when a context is opened; nothing here needs CUDA's headers. CUstream and cudaStream_t are
 * pointers to `struct CUstream_st`, and device pointers are uint64_t, as CUdeviceptr is. A context
 * works in its device's primary context, the one that the CUDA runtime uses, and leaves the calling
 * thread's current context as it was.
 *
 * Threads: a gg_context, gg_module and gg_packed do not change once they are made. Every function
 * that takes one may be called from any number of threads at a time. It is up to the caller that
 * one is closed after its last use. Nothing is shared between two contexts. */
#ifndef GEMMGEN_LAUNCH_H
#define GEMMGEN_LAUNCH_H

#include "gemmgen_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* ---- Binaries ------------------------------------------------------------------------- */

typedef enum gg_format { GG_FORMAT_CUBIN = 0, GG_FORMAT_PTX = 1 } gg_format;

/* What NVRTC made. The caller owns it. */
typedef struct gg_binary {
  gg_format format;
  char arch[16];       /* "sm_90" */
  const void *data;    /* a NUL follows the last byte */
  size_t size;         /* bytes, without that NUL */
  const char *options; /* as given to NVRTC, joined by spaces */
  const char *log;     /* the compiler's warnings; "" when there are none */
  bool cached;         /* whether it came from the cache */
} gg_binary;

typedef struct gg_compiler_options gg_compiler_options;

/* ---- Contexts ------------------------------------------------------------------------- */

/* One device, through one provider of the driver API. */
typedef struct gg_context gg_context;

typedef enum gg_provider {
  GG_PROVIDER_AUTO = 0, /* the GPU where there is one, else the emulator */
  GG_PROVIDER_CUDA = 1, /* NVIDIA's driver */
  GG_PROVIDER_EMU = 2,  /* PTX on the CPU; gemmgen_emu.h or the environment sets options */
} gg_provider;

typedef struct gg_context_options {
  size_t size; /* of this struct; as GG_CONTEXT_OPTIONS_INIT sets it */
  int device;  /* the driver's ordinal */
  gg_provider provider;
  const gg_compiler_options *compiler; /* NULL: the defaults, GG_COMPILER_OPTIONS_INIT */
} gg_context_options;

#define GG_CONTEXT_OPTIONS_INIT GG_SIZED(gg_context_options)

/* `options` may be NULL, which means device 0 of what there is. With GG_PROVIDER_CUDA,
 * GG_E_NO_DRIVER and GG_E_NO_DEVICE say that there is no GPU to use; other errors say that
 * something is wrong with it. Close with gg_context_close, after all of its modules are freed. */
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
  int smem_per_cta; /* bytes, the most that a kernel may ask for */
  int smem_per_sm;  /* bytes */
  int64_t l2_bytes, memory_bytes;
  bool emulated; /* whether it is the emulator, which runs PTX on the CPU */
} gg_device_facts;

GG_API const gg_device_facts *gg_context_device(const gg_context *context);

/* ---- Modules -------------------------------------------------------------------------- */

/* A kernel loaded on one device. It has a copy of what it needs of the gg_kernel. */
typedef struct gg_module gg_module;

typedef struct gg_module_facts {
  char arch[16]; /* what it was compiled for */
  bool cached;
  int registers;      /* of a thread */
  int local_bytes;    /* of a thread: spills and stack */
  int64_t smem_bytes; /* of a CTA, static and dynamic */
  int ctas_per_sm;
} gg_module_facts;

/* Loads a binary that was compiled before, perhaps elsewhere. Only its `format`, `data`, `size` and
 * `arch` are read. */
GG_API gg_status gg_module_load_binary(gg_module **out, gg_context *context,
                                       const gg_kernel *kernel, const gg_binary *binary,
                                       gg_error *err);
GG_API void gg_module_free(gg_module *module);
GG_API const gg_module_facts *gg_module_facts_of(const gg_module *module);

/* ---- Launching ------------------------------------------------------------------------ */

/* What an operation of the epilogue reads or writes: a number, a vector, or a matrix like D. */
typedef struct gg_extra {
  uint64_t address;         /* device pointer */
  int64_t ld, batch_stride; /* in elements; only a matrix has an ld */
  int64_t reserved;
} gg_extra;

/* D = epilogue(A * B) for each of `batch` problems. Extents, leading dimensions and batch strides
 * count elements. C is not read, and may be null, when beta is 0. With a batch stride of 0 all
 * batches share what is read, or the number that an amax keeps. `extras[i]` belongs to operation i
 * of the kernel's epilogue, if that has an operand. An amax only ever raises its number: set it to
 * zero before. A sum overwrites its vector. */
typedef struct gg_problem {
  size_t size; /* of this struct; as GG_PROBLEM_INIT sets it */
  int64_t m, n, k, batch;
  uint64_t a, b, c, d; /* device pointers */
  int64_t lda, ldb, ldc, ldd;
  int64_t batch_stride_a, batch_stride_b, batch_stride_c, batch_stride_d;
  float alpha, beta;
  uint64_t workspace;      /* device pointer, 256-byte aligned, to gg_workspace_bytes at least */
  int64_t workspace_bytes; /* that are there */
  bool overlap; /* the kernel may start while the one before it on the stream still runs; it touches
                   memory only when that has ended. Kernels that cannot wait start after it */
  gg_extra extras[GG_OPERATIONS_MAX];
  /* For kernels with scale factors: device pointers to those of A and of B, aligned to 16 bytes,
   * and bytes from batch to batch, multiples of 16. The factors lie as gg_scales_pack lays them. */
  uint64_t scale_a, scale_b;
  int64_t batch_stride_scale_a, batch_stride_scale_b;
  /* Likewise for D's factors, which a kernel that scales D writes: gg_scales_bytes of M by N.
   * Those of rows beyond M stay as they are. D and its factors can be the A of the next product. */
  uint64_t scale_d;
  int64_t batch_stride_scale_d;
  /* For kernels whose A is sparse: a device pointer to the metadata that gg_sparse_compress makes,
   * aligned to 16 bytes, and bytes from batch to batch, a multiple of 16. A is the elements that it
   * stores. k counts the zeros, too, but lda and batch_stride_a count stored elements. The same
   * goes for kernels whose B is sparse. */
  uint64_t metadata;
  int64_t batch_stride_metadata;
  /* These replace alpha and beta if wide_factors is true. Kernels that sum in f64 use them as they
   * are, others round them to f32. */
  double wide_alpha, wide_beta;
  bool wide_factors;
  /* For kernels whose `linear` has `scalars: device`, and no others: device pointers to alpha and
   * beta, each an f32, or an f64 if sums are. The numbers above are ignored then, and C must be
   * there: the kernel reads it if the number at beta_at is not 0. */
  uint64_t alpha_at, beta_at;
  /* True for kernels with `problem: {pointers: true}`, false for others: a, b, c and d are device
   * addresses of arrays of `batch` device addresses, one for each matrix, in any order. The arrays
   * are aligned to 8 bytes. Leading dimensions are those of every matrix; the batch strides of A,
   * B, C and D are ignored. Only the kernel reads the addresses in the arrays. So it is up to the
   * caller that each is a multiple of the operand's alignment, and that no two matrices of D have
   * an element in common. */
  bool pointers;
  /* How many of the device's multiprocessors the launch fills at most, so that what runs beside it,
   * for example a collective between GPUs, finds room; 0: all. Kernels that walk over tiles
   * (scheduler persistent, split_k, stream_k) start no more CTAs than fit on so many, but at least
   * one cluster. Kernels that start a CTA for each tile start all of them, and these wait for what
   * others leave. gg_gemm chooses the kernel that is fastest on so many multiprocessors. */
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
 * alignments allow. GG_E_PROBLEM_SIZE: one does not fit into int64. */
GG_API gg_status gg_problem_pack(gg_problem *problem, const gg_kernel *kernel, gg_error *err);

/* ---- Scale factors */

/* The bytes that the scale factors of a matrix take. The matrix has `rows` (M of A, N of B) by K
 * elements, and a factor, a byte, for each `block` elements of a row: 16 or 32; of a sparse product
 * 32 or 64, zeros included. Factors lie in device memory as cuBLAS and CUTLASS have them: in whole
 * atoms of 128 rows by 4 factors, 512 bytes, which follow each other along K first. Factor i of row
 * r of an atom is its byte r % 32 * 16 + r / 32 * 4 + i. GG_E_PROBLEM_EXTENT, GG_E_PROBLEM_SIZE. */
GG_API gg_status gg_scales_bytes(int64_t *out, int64_t rows, int64_t k, int block, gg_error *err);

/* These copy factors in host memory: from rows of ceil(k / block) factors, `ld` bytes apart, to
 * that layout, which takes gg_scales_bytes; and back. The padding of atoms becomes 0. A kernel
 * reads the padding of a row's last 4 factors, and multiplies zeros by it, so there must be no NaN
 * if it is packed by other means. The errors above, and GG_E_PROBLEM_LD. */
GG_API gg_status gg_scales_pack(void *to, const void *from, int64_t rows, int64_t k, int block,
                                int64_t ld, gg_error *err);
GG_API gg_status gg_scales_unpack(void *to, const void *from, int64_t rows, int64_t k, int block,
                                  int64_t ld, gg_error *err);

/* What gg_packer_launch packs: factors in device memory, in rows, that a kernel has just computed.
 * `to` takes gg_scales_bytes and is aligned to 16 bytes. For several batches there are strides in
 * bytes; that of `to` is a multiple of 16. */
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

/* Does what gg_scales_pack does on the device, by a small kernel of the library's own: checks, puts
 * the launch on `stream` and returns. Without rows, K or batches nothing is launched. Put in front
 * of the product's launch, it may be captured in a CUDA graph with that. GG_E_PROBLEM_EXTENT, _LD,
 * _STRIDE, _ALIGN, _POINTER, _SIZE. */
GG_API gg_status gg_packer_launch(const gg_packer *packer, const gg_packing *packing,
                                  struct CUstream_st *stream, gg_error *err);

/* ---- A sparse A or B */

/* A sparse matrix, A of M x K or B of N x K. Along K its rows consist of groups of four elements
 * (tf32: of two), of which at most half are not zero, and half are stored. With `pairs`, which
 * tensor cores need for e2m1 that stays packed, they consist of groups of four pairs of elements.
 * What is stored is a matrix of the same type and major, of `rows` x the k that gg_sparse_sizes
 * gives. */
typedef struct gg_sparse {
  size_t size; /* of this struct; as GG_SPARSE_INIT sets it */
  gg_dtype type;
  gg_major major; /* GG_MAJOR_K, or GG_MAJOR_M, also for B: elements of a column lie together */
  bool pairs;
  int64_t rows, k;      /* of the dense matrix */
  int64_t ld_dense, ld; /* in elements: of the dense matrix, of what is stored */
} gg_sparse;

#define GG_SPARSE_INIT GG_SIZED(gg_sparse)

/* Describes a problem's A, or its B if that is the kernel's sparse operand, for the functions
 * below. The dense matrix is taken to have no gaps between its lines. */
GG_API gg_status gg_problem_sparse(gg_sparse *out, const gg_kernel *kernel,
                                   const gg_problem *problem, gg_error *err);

/* How many elements along K are stored, in whole groups, and how many bytes the metadata takes, in
 * whole tiles of 128 rows by 16 bytes (which are 128 elements along K; 64 of tf32, 256 of pairs).
 * GG_E_PROBLEM_SIZE, GG_E_PROBLEM_EXTENT. */
GG_API gg_status gg_sparse_sizes(int64_t *stored_k, int64_t *metadata_bytes, const gg_sparse *of,
                                 gg_error *err);

/* These work in host memory. Prune sets the half of each group with the least magnitudes to zero
 * (of equal ones the last); it ignores ld. Compress writes what is stored of a dense matrix, and
 * metadata in the layout of CUTLASS's Sm1xxGemmSparseConfig. Expand makes the dense matrix again.
 * GG_E_PROBLEM_SPARSE: more than half of a group is not zero, or metadata does not name half of a
 * group. Also GG_E_PROBLEM_LD. */
GG_API gg_status gg_sparse_prune(const gg_sparse *of, void *dense, gg_error *err);
GG_API gg_status gg_sparse_compress(const gg_sparse *of, void *stored, void *metadata,
                                    const void *dense, gg_error *err);
GG_API gg_status gg_sparse_expand(const gg_sparse *of, void *dense, const void *stored,
                                  const void *metadata, gg_error *err);

/* A checked problem, ready to be launched any number of times. It is a value, which may be copied
 * and dropped freely; only the library reads what is in it. */
enum { GG_PREPARED_WORDS = 512 };

typedef struct gg_prepared {
  uint64_t opaque[GG_PREPARED_WORDS];
} gg_prepared;

/* The bytes of `workspace` that a problem takes. It is 0 unless clusters share tiles (scheduler
 * split_k and stream_k) or claim them (raster.neighbours gpc), sums over D are stored, or tensor
 * maps get the addresses of a batch. The workspace's first GG_WORKSPACE_COUNTERS bytes must be zero
 * before the first launch, and every launch leaves them so; it then serves any kernels and
 * problems, one launch at a time. Only the problem's extents and `multiprocessors` matter here. */
GG_API gg_status gg_workspace_bytes(int64_t *out, const gg_module *module,
                                    const gg_problem *problem, gg_error *err);

/* Allocates a workspace of at least GG_WORKSPACE_COUNTERS bytes, whose counters are zero. Free with
 * gg_memory_free. */
GG_API gg_status gg_workspace_alloc(uint64_t *out, gg_context *context, int64_t bytes,
                                    gg_error *err);

/* Checks every size, stride, alignment and limit; touches no device. */
GG_API gg_status gg_prepare(gg_prepared *out, const gg_module *module, const gg_problem *problem,
                            gg_error *err);

/* Puts the launch on `stream` (NULL: the default stream) and returns. It neither compiles nor
 * allocates, and may be captured in a CUDA graph. If M, N or the batch is 0, no kernel is launched,
 * and sums over no elements are set to 0; if K is 0, the kernel runs and D = beta * C. */
GG_API gg_status gg_launch_prepared(const gg_prepared *prepared, struct CUstream_st *stream,
                                    gg_error *err);

/* gg_prepare and gg_launch_prepared at once. */
GG_API gg_status gg_launch(const gg_module *module, const gg_problem *problem,
                           struct CUstream_st *stream, gg_error *err);

/* ---- Device memory and streams -------------------------------------------------------- */

/* These are enough to try a kernel without CUDA's headers, with whatever provider the context has;
 * programs with allocations and streams of their own pass those. Copies and gg_synchronize wait. */
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

/* `gemmgen pack` compiles kernels into a program: it writes const data, and typed functions that
 * call those below. gg_pack.format says which numbers and layouts the data has. */
enum { GG_PACK_FORMAT = 1 };

/* What a kernel was compiled to, for one architecture. */
typedef struct gg_image {
  gg_format format;
  const char *arch; /* "sm_90a" */
  const void *data; /* a NUL follows PTX */
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
  const gg_image *packer; /* images of the kernel that gg_packer_launch launches; none if no kernel
                             has scale factors */
  size_t packer_count;
} gg_pack;

/* A pack loaded on one device. */
typedef struct gg_packed gg_packed;

/* Loads each kernel's image for the context's device: the cubin of that very architecture, else of
 * the newest one before it in its family, else PTX, which the driver compiles. If the driver
 * refuses an image, the next one is tried. A kernel that the device cannot run is left out, and
 * says why when it is launched; if that is every kernel, opening fails. GG_E_PACK_FORMAT: a newer
 * gemmgen made the pack. GG_E_PACK_DAMAGED: it is not as it was made. The pack and the context must
 * outlive *out; close it with gg_packed_close. */
GG_API gg_status gg_pack_open(gg_packed **out, gg_context *context, const gg_pack *pack,
                              gg_error *err);
GG_API void gg_packed_close(gg_packed *packed);

/* The pack's kernel `index` as it was loaded; NULL if the device cannot run it. */
GG_API const gg_module *gg_packed_module(const gg_packed *packed, size_t index);

/* gg_launch of that kernel. GG_E_PACK_DEVICE and GG_E_DEVICE_SMEM say why it was left out. */
GG_API gg_status gg_packed_launch(const gg_packed *packed, size_t index, const gg_problem *problem,
                                  struct CUstream_st *stream, gg_error *err);

/* What packs scale factors, for gg_packer_launch; NULL if the pack has none. */
GG_API const gg_packer *gg_packed_packer(const gg_packed *packed);

#ifdef __cplusplus
}
#endif

#endif
