#include "trial.h"

#include <math.h>
#include <string.h>

#include "ahead.h"
#include "atom/dtype.h"
#include "base/alloc.h"
#include "claims.h"
#include "number.h"
#include "plan/operation.h"
#include "problem.h"
#include "scaled.h"
#include "scales.h"
#include "sparse.h"

enum { poison = GG_TRIAL_POISON, guard_bytes = 4096, beside_align = 16 };

const char *gg_trial_obstacle(const gg_kernel *kernel) {
  const gg_dtype types[] = {kernel->a.type, kernel->b.type, kernel->c.type, kernel->d.type,
                            kernel->accumulator};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!gg_number_known(types[i])) return "it has no numbers of an operand's type";
  }
  return NULL;
}

static bool has_operand(const gg_kernel *kernel, size_t index) {
  return gg_operation_span(&kernel->operations[index]) != GG_SPAN_NONE;
}

static bool is_written(const gg_kernel *kernel, size_t index) {
  return gg_operation_writes(&kernel->operations[index]);
}

/* ---- Inputs --------------------------------------------------------------------------- */

/* What multiplies, as it is or by a derivative at it. */
static bool is_small(const gg_operation *operation) {
  return operation->kind == GG_OP_SCALE || operation->kind == GG_OP_MULTIPLY ||
         gg_operation_derives(operation);
}

/* What an operation reads; factors are a sixteenth of other numbers, so that activations behind
 * them see their bend, and small results some of their range; and where derivatives are taken, so
 * that these have theirs. */
static gg_status make_extra(gg_inputs *out, const gg_operation *operation, gg_input_kind kind,
                            int range, uint64_t seed, gg_error *err) {
  gg_dtype type = operation->operand.type;
  gg_status st = gg_inputs_make(out, type, kind, range, seed, err);
  if (st || !is_small(operation) || gg_number_is_integer(type)) return st;
  for (int64_t i = 0; i < out->length; i++)
    gg_number_set(type, out->cycle, i, gg_number_get(type, out->cycle, i) / 16);
  return GG_OK;
}

/* What a kernel is promised. */
static void round_elements(gg_inputs *of) {
  for (int64_t i = 0; i < of->length; i++)
    gg_number_set(of->type, of->cycle, i, gg_number_get(of->type, of->cycle, i));
}

gg_status gg_trial_inputs_make(gg_trial_inputs *out, const gg_kernel *kernel, gg_input_kind kind,
                               int64_t k, uint64_t seed, gg_error *err) {
  *out = (gg_trial_inputs){.integers = kind == GG_INPUTS_INTEGERS};
  int range = gg_inputs_range(gg_reference_precision(kernel), k);
  gg_status st = gg_inputs_make(&out->a, kernel->a.type, kind, range, seed, err);
  if (!st) st = gg_inputs_make(&out->b, kernel->b.type, kind, range, seed + 1, err);
  if (!st) st = gg_inputs_make(&out->c, kernel->c.type, kind, range, seed + 2, err);
  if (!st && kernel->rounded_a) round_elements(&out->a);
  if (!st && kernel->rounded_b) round_elements(&out->b);
  if (!st && kernel->scale_a.block)
    st = gg_inputs_make_scales(&out->scale_a, kernel->scale_a.type, kind, seed + 3, err);
  if (!st && kernel->scale_b.block)
    st = gg_inputs_make_scales(&out->scale_b, kernel->scale_b.type, kind, seed + 4, err);
  for (size_t i = 0; i < kernel->operation_count && !st; i++) {
    if (!has_operand(kernel, i) || is_written(kernel, i)) continue;
    st = make_extra(&out->extras[i], &kernel->operations[i], kind, range, seed + 3 + i, err);
  }
  if (st) gg_trial_inputs_free(out);
  return st;
}

void gg_trial_inputs_free(gg_trial_inputs *inputs) {
  gg_inputs_free(&inputs->a);
  gg_inputs_free(&inputs->b);
  gg_inputs_free(&inputs->c);
  gg_inputs_free(&inputs->scale_a);
  gg_inputs_free(&inputs->scale_b);
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++)
    gg_inputs_free(&inputs->extras[i]);
}

/* ---- Memory --------------------------------------------------------------------------- */

/* Adds `padding` units of the operand's alignment to the leading dimension of a packed one. */
static gg_status pad(int64_t *ld, int64_t *batch_stride, const gg_view *view, int64_t padding,
                     gg_error *err) {
  int align = view->operand->align;
  int64_t unit = align > 0 ? gg_dtype_unit(view->operand->type, align) : 1;
  int64_t more;
  if (__builtin_mul_overflow(padding, unit, &more) || __builtin_add_overflow(*ld, more, ld) ||
      __builtin_mul_overflow(*ld, view->rows, batch_stride)) {
    return gg_fail(err, PROBLEM_SIZE, NULL,
                   "the padded operands are larger than int64 can address");
  }
  return GG_OK;
}

static gg_status lay_out(gg_trial *trial, int64_t padding, gg_error *err) {
  gg_problem *p = &trial->problem;
  const gg_kernel *kernel = trial->kernel;
  gg_status st = gg_problem_pack(p, kernel, err);
  gg_view a = gg_problem_view(kernel, p, 'a'), b = gg_problem_view(kernel, p, 'b');
  gg_view c = gg_problem_view(kernel, p, 'c'), d = gg_problem_view(kernel, p, 'd');
  if (!st) st = pad(&p->lda, &p->batch_stride_a, &a, padding, err);
  if (!st) st = pad(&p->ldb, &p->batch_stride_b, &b, padding, err);
  if (!st) st = pad(&p->ldc, &p->batch_stride_c, &c, padding, err);
  if (!st) st = pad(&p->ldd, &p->batch_stride_d, &d, padding, err);
  if (kernel->scale_a.block) p->batch_stride_scale_a += beside_align * padding;
  if (kernel->scale_b.block) p->batch_stride_scale_b += beside_align * padding;
  if (kernel->scale_d.block) p->batch_stride_scale_d += beside_align * padding;
  if (gg_sparse_operand(kernel)) p->batch_stride_metadata += beside_align * padding;
  for (size_t i = 0; i < kernel->operation_count && !st; i++) {
    if (!has_operand(kernel, i)) continue;
    gg_view view = gg_problem_extra_view(kernel, p, i);
    st = pad(&p->extras[i].ld, &p->extras[i].batch_stride, &view, padding, err);
  }
  return st;
}

/* One matrix, or vector, for all batches. */
static void share(gg_trial *trial, unsigned shared) {
  gg_problem *p = &trial->problem;
  const gg_kernel *kernel = trial->kernel;
  if (kernel->pointers) return;
  if (shared & GG_TRIAL_SHARES_A && !kernel->sparse_a) p->batch_stride_a = 0;
  if (shared & GG_TRIAL_SHARES_B && !kernel->sparse_b) p->batch_stride_b = 0;
  if (shared & GG_TRIAL_SHARES_C) p->batch_stride_c = 0;
  for (size_t i = 0; i < kernel->operation_count && shared & GG_TRIAL_SHARES_EXTRAS; i++)
    if (has_operand(kernel, i) && !is_written(kernel, i)) p->extras[i].batch_stride = 0;
}

/* Bytes from a laid-out operand's first element to past its last row, padding and all. */
static bool footprint(int64_t *out, const gg_view *view) {
  int64_t matrices = view->batch_stride ? view->batch : view->batch > 0, stride;
  if (__builtin_mul_overflow(view->rows, view->ld, &stride)) return false;
  if (view->batch_stride) stride = view->batch_stride;
  return !__builtin_mul_overflow(stride, matrices, out) &&
         !__builtin_mul_overflow(*out, gg_dtype_info_of(view->operand->type)->bits, out) &&
         (*out = *out / 8 + (*out % 8 != 0)) <= INT64_MAX / 2;
}

/* Bytes from the first element to past the last one. */
static int64_t last_element(const gg_view *view) {
  if (view->batch == 0 || view->rows == 0 || view->length == 0) return 0;
  int64_t last = (view->batch - 1) * view->batch_stride + (view->rows - 1) * view->ld;
  return gg_dtype_bytes(view->operand->type, last + view->length);
}

static gg_status allocate(gg_trial_buffer *out, gg_context *context, const gg_view *view,
                          const gg_trial_options *options, gg_error *err) {
  int64_t bytes, guard = guard_bytes;
  if (!footprint(&bytes, view)) {
    return gg_fail(err, PROBLEM_SIZE, NULL, "an operand is larger than int64 can address");
  }
  /* Allocations are aligned to 256 bytes: one alignment further is aligned to that alone. */
  out->lead = options->least_aligned ? view->operand->align % 256 : 0;
  if (options->bare && !view->written) {
    guard = 0;
    bytes = last_element(view);
  }
  out->lead += guard;
  out->bytes = out->lead + bytes + guard;
  out->host = gg_malloc((size_t)out->bytes);
  if (!out->host) return gg_fail(err, MEMORY, NULL, "");
  memset(out->host, poison, (size_t)out->bytes);
  return gg_memory_alloc(&out->device, context, (size_t)out->bytes, err);
}

/* Fills the operand's elements, row by row, and sends it all. */
static gg_status fill(gg_trial_buffer *buffer, gg_context *context, const gg_view *view,
                      const gg_inputs *inputs, int64_t shift, gg_error *err) {
  for (int64_t batch = 0; inputs && batch < view->batch; batch++) {
    for (int64_t row = 0; row < view->rows; row++) {
      int64_t offset = batch * view->batch_stride + row * view->ld;
      int64_t number = (batch * view->rows + row) * view->length;
      gg_inputs_fill(buffer->host + buffer->lead, offset, inputs, shift + number, view->length);
    }
  }
  return gg_memory_write(context, buffer->device, buffer->host, (size_t)buffer->bytes, err);
}

static gg_status make_operand(gg_trial *trial, char which, gg_trial_buffer *buffer,
                              uint64_t *address, const gg_trial_options *options,
                              const gg_inputs *inputs, gg_error *err) {
  gg_view view = gg_problem_view(trial->kernel, &trial->problem, which);
  int64_t shift = options->shift * (which == 'b' ? 3 : 1);
  gg_status st = allocate(buffer, trial->context, &view, options, err);
  if (!st) st = fill(buffer, trial->context, &view, inputs, shift, err);
  *address = buffer->device + (uint64_t)buffer->lead;
  return st;
}

static gg_status make_extras(gg_trial *trial, const gg_trial_options *options,
                             const gg_trial_inputs *inputs, gg_error *err) {
  gg_problem *p = &trial->problem;
  gg_status st = GG_OK;
  for (size_t i = 0; i < trial->kernel->operation_count && !st; i++) {
    if (!has_operand(trial->kernel, i)) continue;
    gg_view view = gg_problem_extra_view(trial->kernel, p, i);
    const gg_inputs *from = is_written(trial->kernel, i) ? NULL : &inputs->extras[i];
    st = allocate(&trial->extras[i], trial->context, &view, options, err);
    if (!st) st = fill(&trial->extras[i], trial->context, &view, from, options->shift, err);
    p->extras[i].address = trial->extras[i].device + (uint64_t)trial->extras[i].lead;
  }
  return st;
}

/* ---- Scale factors -------------------------------------------------------------------- */

/* Rows beyond the operand's stay NaN; what pads a row of it is 0. */
static void fill_scales(unsigned char *to, const gg_scales_view *view, const gg_inputs *inputs,
                        int64_t shift) {
  int64_t atoms_k = gg_scales_atoms_k(view->k, view->scaling.block), number = shift;
  int64_t factors = (view->k + view->scaling.block - 1) / view->scaling.block;
  const unsigned char *from = inputs->cycle;
  for (int64_t row = 0; row < view->rows; row++) {
    for (int64_t i = 0; i < atoms_k * GG_SCALE_FACTORS; i++) {
      bool there = i < factors;
      to[gg_scales_offset(row, i, atoms_k)] = there ? from[number++ % inputs->length] : 0;
    }
  }
}

/* The buffer's atoms are brought there on the device, from rows of factors that the host's are. */
static gg_status pack_scales(const gg_trial *trial, const gg_trial_buffer *buffer,
                             const gg_scales_view *view, gg_error *err) {
  int64_t ld = (view->k + view->scaling.block - 1) / view->scaling.block, bytes = view->rows * ld;
  size_t all = (size_t)(bytes * view->batch);
  gg_packing p = GG_PACKING_INIT;
  gg_packer *packer;
  gg_status st = gg_packer_open(&packer, trial->context, err);
  if (st) return st;
  unsigned char *rows = gg_malloc(all ? all : 1);
  if (!rows) st = gg_fail(err, MEMORY, NULL, "");
  for (int64_t i = 0; i < view->batch && !st; i++)
    st = gg_scales_unpack(rows + i * bytes, buffer->host + buffer->lead + i * view->batch_stride,
                          view->rows, view->k, view->scaling.block, ld, err);
  p.to = buffer->device + (uint64_t)buffer->lead, p.batch_stride_to = view->batch_stride;
  p.rows = view->rows, p.k = view->k, p.block = view->scaling.block, p.batch = view->batch;
  p.ld = ld, p.batch_stride_from = bytes;
  if (!st) st = gg_memory_alloc(&p.from, trial->context, all ? all : 1, err);
  if (!st) st = gg_memory_write(trial->context, p.from, rows, all, err);
  if (!st) st = gg_packer_launch(packer, &p, NULL, err);
  if (!st) st = gg_synchronize(trial->context, NULL, err);
  gg_memory_free(trial->context, p.from);
  gg_free(rows);
  gg_packer_close(packer);
  return st;
}

static gg_status make_scales(gg_trial *trial, char which, gg_trial_buffer *buffer,
                             uint64_t *address, const gg_trial_options *options,
                             const gg_inputs *inputs, gg_error *err) {
  gg_scales_view view = gg_problem_scales(trial->kernel, &trial->problem, which);
  if (!view.scaling.block) return GG_OK;
  const gg_operand bytes = {.type = view.scaling.type, .align = beside_align};
  const gg_view all = {.operand = &bytes,
                       .written = !inputs,
                       .rows = 1,
                       .length = view.batch_stride,
                       .ld = view.batch_stride,
                       .batch = view.batch,
                       .batch_stride = view.batch_stride};
  gg_status st = allocate(buffer, trial->context, &all, options, err);
  for (int64_t i = 0; inputs && i < view.batch && !st; i++)
    fill_scales(buffer->host + buffer->lead + i * view.batch_stride, &view, inputs,
                options->shift + i * view.rows * 3);
  if (!st && !(inputs && options->pack_scales))
    st = gg_memory_write(trial->context, buffer->device, buffer->host, (size_t)buffer->bytes, err);
  else if (!st)
    st = pack_scales(trial, buffer, &view, err);
  *address = buffer->device + (uint64_t)buffer->lead;
  return st;
}

/* ---- A sparse operand ---------------------------------------------------------------------- */

/* The dense matrices, of random numbers, of which each group keeps the largest: so every choice of
 * them comes. */
static gg_status draw_dense(gg_trial *trial, const gg_sparse *sparse, const gg_inputs *inputs,
                            int64_t shift, gg_error *err) {
  int64_t matrix = sparse->rows * sparse->k, batch = trial->problem.batch;
  gg_trial_buffer *dense = &trial->dense;
  gg_status st = GG_OK;
  dense->bytes = gg_dtype_bytes(sparse->type, matrix * batch);
  dense->host = gg_malloc((size_t)dense->bytes + 1);
  if (!dense->host) return gg_fail(err, MEMORY, NULL, "");
  gg_inputs_fill(dense->host, 0, inputs, shift, matrix * batch);
  for (int64_t i = 0; i < batch && !st; i++)
    st = gg_sparse_prune(sparse, dense->host + gg_dtype_bytes(sparse->type, i * matrix), err);
  return st;
}

/* The operand is what is stored of the dense matrices. */
static gg_status compress_dense(gg_trial *trial, const gg_trial_buffer *to, const gg_view *stored,
                                const gg_sparse *sparse, gg_error *err) {
  const gg_problem *p = &trial->problem;
  gg_status st = GG_OK;
  for (int64_t i = 0; i < p->batch && !st; i++)
    st = gg_sparse_compress(
        sparse, to->host + to->lead + gg_dtype_bytes(sparse->type, i * stored->batch_stride),
        trial->metadata.host + trial->metadata.lead + i * p->batch_stride_metadata,
        trial->dense.host + gg_dtype_bytes(sparse->type, i * sparse->rows * sparse->k), err);
  return st;
}

static gg_status send(gg_trial *trial, const gg_trial_buffer *buffer, uint64_t *address,
                      gg_error *err) {
  *address = buffer->device + (uint64_t)buffer->lead;
  return gg_memory_write(trial->context, buffer->device, buffer->host, (size_t)buffer->bytes, err);
}

static gg_status make_sparse(gg_trial *trial, char which, gg_trial_buffer *to, uint64_t *address,
                             const gg_trial_options *options, const gg_inputs *inputs,
                             gg_error *err) {
  gg_problem *p = &trial->problem;
  gg_sparse sparse = GG_SPARSE_INIT;
  const gg_view stored = gg_problem_view(trial->kernel, p, which);
  const gg_operand bytes = {.type = GG_DTYPE_u8, .align = beside_align};
  const gg_view metadata = {.operand = &bytes,
                            .rows = 1,
                            .length = p->batch_stride_metadata,
                            .ld = p->batch_stride_metadata,
                            .batch = p->batch,
                            .batch_stride = p->batch_stride_metadata};
  gg_status st = gg_problem_sparse(&sparse, trial->kernel, p, err);
  if (!st) st = allocate(to, trial->context, &stored, options, err);
  if (!st) st = allocate(&trial->metadata, trial->context, &metadata, options, err);
  if (!st) st = draw_dense(trial, &sparse, inputs, options->shift, err);
  if (!st) st = compress_dense(trial, to, &stored, &sparse, err);
  if (!st) st = send(trial, to, address, err);
  return st ? st : send(trial, &trial->metadata, &p->metadata, err);
}

/* A or B. */
static gg_status make_input(gg_trial *trial, char which, gg_trial_buffer *to, uint64_t *address,
                            const gg_trial_options *options, const gg_inputs *inputs,
                            gg_error *err) {
  bool sparse = which == gg_sparse_operand(trial->kernel);
  return sparse ? make_sparse(trial, which, to, address, options, inputs, err)
                : make_operand(trial, which, to, address, options, inputs, err);
}

gg_host_inputs gg_trial_host_inputs(const gg_trial *trial) {
  char sparse = gg_sparse_operand(trial->kernel);
  const unsigned char *dense = trial->dense.host;
  return (gg_host_inputs){.a = sparse == 'a' ? dense : trial->a.host + trial->a.lead,
                          .b = sparse == 'b' ? dense : trial->b.host + trial->b.lead,
                          .scale_a = trial->scale_a.host + trial->scale_a.lead,
                          .scale_b = trial->scale_b.host + trial->scale_b.lead};
}

/* Whether C's elements lie in their memory as D's do in theirs. */
static bool c_lies_as_d(const gg_trial *trial) {
  const gg_operand *c = &trial->kernel->c, *d = &trial->kernel->d;
  const gg_problem *p = &trial->problem;
  return c->type == d->type && c->major == d->major && p->ldc == p->ldd &&
         p->batch_stride_c == p->batch_stride_d && trial->c.lead == trial->d.lead &&
         trial->c.bytes == trial->d.bytes;
}

/* ---- Arrays of addresses --------------------------------------------------------------- */

static int64_t common_divisor(int64_t a, int64_t b) {
  for (int64_t rest; b != 0; a = b, b = rest)
    rest = a % b;
  return a;
}

/* Which place a batch's matrix has on the device: by a step that visits each place once, and is no
 * constant stride. */
static int64_t place_of(int64_t batch, int64_t count) {
  int64_t step = count / 2 + 1;
  while (common_divisor(step, count) != 1)
    step++;
  return (batch * step + 1) % count;
}

/* Copies each matrix of a batch between its place on the host and that on the device, with what
 * pads it, as far as both are there. */
static void exchange_places(unsigned char *to, const unsigned char *from,
                            const gg_trial_buffer *buffer, const gg_view *view, bool to_device) {
  int64_t stride = gg_dtype_bytes(view->operand->type, view->batch_stride);
  for (int64_t batch = 0; batch < view->batch; batch++) {
    int64_t host = buffer->lead + batch * stride;
    int64_t device = buffer->lead + place_of(batch, view->batch) * stride;
    int64_t left = buffer->bytes - (host > device ? host : device);
    int64_t bytes = left < stride ? left : stride;
    if (bytes > 0)
      memcpy(to + (to_device ? device : host), from + (to_device ? host : device), (size_t)bytes);
  }
}

/* The host's copy to the device, or what is there to the host's copy. */
static gg_status move_matrices(const gg_trial *trial, const gg_trial_buffer *buffer,
                               uint64_t device, const gg_view *view, bool to_device,
                               gg_error *err) {
  size_t bytes = (size_t)buffer->bytes;
  unsigned char *image = gg_malloc(bytes);
  if (!image) return gg_fail(err, MEMORY, NULL, "");
  memset(image, poison, bytes);
  gg_status st = to_device ? GG_OK : gg_memory_read(trial->context, image, device, bytes, err);
  if (!st && !to_device) memcpy(buffer->host, image, bytes);
  exchange_places(to_device ? image : buffer->host, to_device ? buffer->host : image, buffer, view,
                  to_device);
  if (!st && to_device) st = gg_memory_write(trial->context, device, image, bytes, err);
  gg_free(image);
  return st;
}

gg_status gg_trial_read(gg_trial *trial, gg_trial_buffer *buffer, const gg_view *view,
                        gg_error *err) {
  if (view->pointers) return move_matrices(trial, buffer, buffer->device, view, false, err);
  return gg_memory_read(trial->context, buffer->host, buffer->device, (size_t)buffer->bytes, err);
}

/* The matrices change places on the device, and an array says where they are. Where C is not read
 * it has none: a kernel that looks at one all the same reads at address 0. */
static gg_status make_array(gg_trial *trial, char which, const gg_trial_buffer *buffer,
                            uint64_t *address, gg_error *err) {
  gg_view view = gg_problem_view(trial->kernel, &trial->problem, which);
  uint64_t *array = &trial->arrays[which - 'a'];
  if (!buffer->device || view.batch == 0) return GG_OK;
  size_t bytes = (size_t)view.batch * sizeof *address;
  uint64_t stride = (uint64_t)gg_dtype_bytes(view.operand->type, view.batch_stride);
  uint64_t *list = gg_malloc(bytes);
  if (!list) return gg_fail(err, MEMORY, NULL, "");
  for (int64_t i = 0; i < view.batch; i++)
    list[i] = *address + (uint64_t)place_of(i, view.batch) * stride;
  gg_status st = move_matrices(trial, buffer, buffer->device, &view, true, err);
  if (!st) st = gg_memory_alloc(array, trial->context, bytes, err);
  if (!st) st = gg_memory_write(trial->context, *array, list, bytes, err);
  *address = *array;
  gg_free(list);
  return st;
}

static gg_status make_arrays(gg_trial *trial, gg_error *err) {
  gg_problem *p = &trial->problem;
  p->pointers = trial->kernel->pointers != 0;
  if (!p->pointers) return GG_OK;
  gg_status st = make_array(trial, 'a', &trial->a, &p->a, err);
  if (!st) st = make_array(trial, 'b', &trial->b, &p->b, err);
  if (!st && gg_problem_reads_c(p)) st = make_array(trial, 'c', &trial->c, &p->c, err);
  if (!gg_problem_reads_c(p)) p->c = 0;
  return st ? st : make_array(trial, 'd', &trial->d, &p->d, err);
}

/* D holds a fresh C. */
static gg_status write_c_to_d(const gg_trial *trial, gg_error *err) {
  gg_view view = gg_problem_view(trial->kernel, &trial->problem, 'c');
  if (view.pointers) return move_matrices(trial, &trial->c, trial->d.device, &view, true, err);
  return gg_memory_write(trial->context, trial->d.device, trial->c.host, (size_t)trial->c.bytes,
                         err);
}

/* C is D: what stays of it is the host's copy, for the reference and for the next launch. */
static gg_status share_c(gg_trial *trial, gg_error *err) {
  trial->in_place = true;
  gg_memory_free(trial->context, trial->c.device);
  trial->c.device = 0;
  trial->problem.c = trial->problem.d;
  return write_c_to_d(trial, err);
}

/* alpha and beta in device memory, where the kernel reads them: 16 bytes apart. */
static gg_status make_scalars(gg_trial *trial, gg_error *err) {
  enum { apart = 16 };
  gg_problem *p = &trial->problem;
  if (!gg_kernel_reads_scalars(trial->kernel)) return GG_OK;
  gg_dtype type = gg_kernel_scalar_type(trial->kernel);
  unsigned char bytes[2 * apart] = {0};
  gg_number_set(type, bytes, 0, gg_problem_alpha(p));
  gg_number_set(type, bytes + apart, 0, gg_problem_beta(p));
  gg_status st = gg_memory_alloc(&trial->scalars, trial->context, sizeof bytes, err);
  if (!st) st = gg_memory_write(trial->context, trial->scalars, bytes, sizeof bytes, err);
  gg_problem_place_scalars(p, trial->kernel, trial->scalars, trial->scalars + apart);
  return st;
}

gg_status gg_trial_open(gg_trial *out, gg_context *context, const gg_kernel *kernel,
                        const gg_problem *shape, const gg_trial_options *options,
                        const gg_trial_inputs *inputs, gg_error *err) {
  *out = (gg_trial){.context = context,
                    .kernel = kernel,
                    .integers = inputs->integers,
                    .beside = options->beside,
                    .clusters = options->clusters};
  gg_problem *p = &out->problem;
  *p = (gg_problem){.size = sizeof(gg_problem),
                    .m = shape->m,
                    .n = shape->n,
                    .k = shape->k,
                    .batch = shape->batch,
                    .alpha = shape->alpha,
                    .beta = shape->beta,
                    .overlap = shape->overlap,
                    .wide_alpha = shape->wide_alpha,
                    .wide_beta = shape->wide_beta,
                    .wide_factors = shape->wide_factors};
  const gg_inputs *c = gg_problem_beta(p) != 0 ? &inputs->c : NULL;
  gg_status st = lay_out(out, options->padding, err);
  share(out, options->shared);
  if (!st) st = make_input(out, 'a', &out->a, &p->a, options, &inputs->a, err);
  if (!st) st = make_input(out, 'b', &out->b, &p->b, options, &inputs->b, err);
  if (!st) st = make_scales(out, 'a', &out->scale_a, &p->scale_a, options, &inputs->scale_a, err);
  if (!st) st = make_scales(out, 'b', &out->scale_b, &p->scale_b, options, &inputs->scale_b, err);
  if (!st && !options->without_c) st = make_operand(out, 'c', &out->c, &p->c, options, c, err);
  if (!st) st = make_operand(out, 'd', &out->d, &p->d, options, NULL, err);
  if (!st) st = make_scales(out, 'd', &out->scale_d, &p->scale_d, options, NULL, err);
  if (!st) st = make_scalars(out, err); /* which may be a beta that is read */
  if (!st) st = make_arrays(out, err);
  if (!st && options->in_place && gg_problem_beta(p) != 0 && c_lies_as_d(out))
    st = share_c(out, err);
  if (!st) st = make_extras(out, options, inputs, err);
  if (st) gg_trial_close(out);
  return st;
}

static void free_buffer(gg_context *context, gg_trial_buffer *buffer) {
  gg_memory_free(context, buffer->device);
  gg_free(buffer->host);
  *buffer = (gg_trial_buffer){0};
}

void gg_trial_close(gg_trial *trial) {
  if (!trial->context) return;
  free_buffer(trial->context, &trial->a);
  free_buffer(trial->context, &trial->b);
  free_buffer(trial->context, &trial->c);
  free_buffer(trial->context, &trial->d);
  free_buffer(trial->context, &trial->scale_a);
  free_buffer(trial->context, &trial->scale_b);
  free_buffer(trial->context, &trial->scale_d);
  free_buffer(trial->context, &trial->dense);
  free_buffer(trial->context, &trial->metadata);
  gg_memory_free(trial->context, trial->workspace);
  gg_memory_free(trial->context, trial->scalars);
  for (int i = 0; i < 4; i++)
    gg_memory_free(trial->context, trial->arrays[i]);
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++)
    free_buffer(trial->context, &trial->extras[i]);
  *trial = (gg_trial){0};
}

gg_status gg_trial_product_open(gg_trial *out, const gg_trial *of, const gg_kernel *product,
                                gg_error *err) {
  *out = *of;
  out->kernel = product;
  if (gg_kernel_n_unit(of->kernel) == gg_kernel_n_unit(product)) return GG_OK;
  gg_problem *p = &out->problem, packed = *p;
  out->d = (gg_trial_buffer){0};
  out->arrays[3] = 0;
  gg_status st = gg_problem_pack(&packed, product, err);
  p->ldd = packed.ldd;
  p->batch_stride_d = packed.batch_stride_d;
  if (!st) st = make_operand(out, 'd', &out->d, &p->d, &(gg_trial_options){0}, NULL, err);
  if (!st && p->pointers) st = make_array(out, 'd', &out->d, &p->d, err);
  if (st) gg_trial_product_close(out, of);
  return st;
}

void gg_trial_product_close(gg_trial *product, const gg_trial *of) {
  if (product->context && product->d.device != of->d.device) {
    free_buffer(product->context, &product->d);
    gg_memory_free(product->context, product->arrays[3]);
  }
  *product = (gg_trial){0};
}

int64_t gg_trial_bytes(const gg_trial *trial) {
  int64_t bytes = trial->a.bytes + trial->b.bytes + trial->d.bytes;
  bytes +=
      trial->scale_a.bytes + trial->scale_b.bytes + trial->scale_d.bytes + trial->metadata.bytes;
  if (trial->c.device) bytes += trial->c.bytes;
  for (size_t i = 0; i < GG_OPERATIONS_MAX; i++)
    bytes += trial->extras[i].bytes;
  return bytes;
}

void gg_trial_drop_inputs(gg_trial *trial) {
  gg_free(trial->a.host);
  gg_free(trial->b.host);
  gg_free(trial->c.host);
  gg_free(trial->dense.host);
  trial->a.host = trial->b.host = trial->c.host = trial->dense.host = NULL;
}

static gg_status poison_buffer(gg_context *context, const gg_trial_buffer *buffer, gg_error *err) {
  return GG_CUDA(&context->driver, err, cuMemsetD8, buffer->device, poison, (size_t)buffer->bytes);
}

/* The least that there is, of which a kernel keeps the largest. */
static gg_status clear_largest(gg_trial *trial, size_t index, gg_error *err) {
  const gg_trial_buffer *buffer = &trial->extras[index];
  const gg_driver *driver = &trial->context->driver;
  gg_view view = gg_problem_extra_view(trial->kernel, &trial->problem, index);
  gg_status st = GG_OK;
  for (int64_t batch = 0; batch < view.batch && !st; batch++) {
    int64_t at = buffer->lead + batch * view.batch_stride * (int64_t)sizeof(float);
    st = GG_CUDA(driver, err, cuMemsetD8, buffer->device + (uint64_t)at, 0, sizeof(float));
  }
  return st;
}

static gg_status poison_extra(gg_trial *trial, size_t index, gg_error *err) {
  gg_status st = poison_buffer(trial->context, &trial->extras[index], err);
  bool largest = trial->kernel->operations[index].kind == GG_OP_AMAX;
  return st || !largest ? st : clear_largest(trial, index, err);
}

gg_status gg_trial_poison(gg_trial *trial, gg_error *err) {
  gg_status st = gg_context_enter(trial->context, err);
  if (st) return st;
  if (!trial->in_place) st = poison_buffer(trial->context, &trial->d, err);
  if (!st && trial->scale_d.device) st = poison_buffer(trial->context, &trial->scale_d, err);
  for (size_t i = 0; i < trial->kernel->operation_count && !st; i++) {
    if (is_written(trial->kernel, i)) st = poison_extra(trial, i, err);
  }
  gg_context_leave(trial->context);
  return !st && trial->in_place ? write_c_to_d(trial, err) : st;
}

gg_status gg_trial_provide(gg_trial *trial, const gg_module *module, gg_error *err) {
  int64_t bytes;
  gg_problem *p = &trial->problem;
  gg_status st = gg_workspace_bytes(&bytes, module, p, err);
  if (st || bytes <= p->workspace_bytes) return st;
  gg_memory_free(trial->context, trial->workspace);
  trial->workspace = p->workspace = 0;
  p->workspace_bytes = 0;
  if ((st = gg_workspace_alloc(&trial->workspace, trial->context, bytes, err))) return st;
  p->workspace = trial->workspace;
  p->workspace_bytes = bytes;
  return st;
}

/* Fewer clusters of a persistent kernel compute the same, each more tiles. */
static void limit_clusters(gg_prepared *prepared, const gg_trial *trial) {
  unsigned *grid = gg_prepared_facts(prepared)->grid;
  const gg_kernel *kernel = trial->kernel;
  unsigned size = (unsigned)(kernel->cluster_m * kernel->cluster_n * kernel->cluster_k);
  unsigned most = (unsigned)trial->clusters * size;
  if (!most || kernel->grid != GG_GRID_PERSISTENT || grid[0] <= most) return;
  grid[0] = most;
  gg_claims_deal(&gg_prepared_facts(prepared)->gpcs, NULL, most / size, most / size, size);
}

/* Kernels that can wait begin beside the launch ahead, also where they would get too small a part
 * of the device so. */
static gg_status go_ahead(gg_prepared *prepared, const gg_trial *trial, struct CUstream_st *stream,
                          gg_error *err) {
  gg_prepared_facts(prepared)->overlap = trial->kernel->dependent && trial->problem.overlap;
  return gg_trial_go_ahead(trial, stream, err);
}

gg_status gg_trial_run(gg_trial *trial, const gg_module *module, struct CUstream_st *stream,
                       gg_error *err) {
  gg_prepared prepared;
  gg_status st = gg_trial_provide(trial, module, err);
  if (!st) st = gg_trial_poison(trial, err);
  if (!st) st = gg_prepare(&prepared, module, &trial->problem, err);
  if (!st) limit_clusters(&prepared, trial);
  if (!st && trial->beside) st = go_ahead(&prepared, trial, stream, err);
  if (!st) st = gg_launch_prepared(&prepared, stream, err);
  if (!st) st = gg_synchronize(trial->context, stream, err);
  return st;
}
