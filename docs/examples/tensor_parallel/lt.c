/* Values of enumerations: cuBLAS documentation, "Using the cuBLASLt API". The library is
 * column-major: it is asked for D^T = B * A^T. */
#include "lt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int status; /* cublasStatus_t: 0 is success */
typedef void *handle;

enum {
  CUDA_R_32F = 0,
  CUDA_R_16BF = 14,
  COMPUTE_32F = 68,
  OP_T = 1,
  DESC_TRANSA = 3,
  PREFERENCE_MAX_WORKSPACE_BYTES = 1,
  workspace_bytes = 64 << 20,
  candidates_most = 8,
};

/* cublasLtMatmulHeuristicResult_t */
typedef struct heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  status state;
  float waves;
  int reserved[4];
} heuristic;

struct lt {
  device *device;
  handle handle;
  uint64_t workspace;
  void *library;
  status (*create)(handle *);
  status (*destroy)(handle);
  status (*layout_create)(handle *, int type, uint64_t rows, uint64_t columns, int64_t ld);
  status (*layout_destroy)(handle);
  status (*desc_create)(handle *, int compute, int scale);
  status (*desc_set)(handle, int attribute, const void *, size_t);
  status (*desc_destroy)(handle);
  status (*preference_create)(handle *);
  status (*preference_set)(handle, int attribute, const void *, size_t);
  status (*preference_destroy)(handle);
  status (*heuristics)(handle, handle desc, handle a, handle b, handle c, handle d,
                       handle preference, int wanted, heuristic *results, int *found);
  status (*matmul)(handle, handle desc, const void *alpha, const void *a, handle a_layout,
                   const void *b, handle b_layout, const void *beta, const void *c, handle c_layout,
                   void *d, handle d_layout, const uint64_t *algorithm, void *workspace,
                   size_t workspace_size, stream);
};

struct lt_product {
  lt *lt;
  product product;
  handle desc, left, right, d;
  heuristic candidates[candidates_most];
  int best;
};

static void check(const char *call, status status) {
  if (status) die("%s: status %d", call, status);
}

static void find(lt *lt, void *function, const char *name) {
  *(void **)function = dlsym(lt->library, name);
  if (!*(void **)function) die("cuBLASLt has no %s", name);
}

lt *lt_open(device *device, const char *library) {
  const char *names[] = {library ? library : "libcublasLt.so.13", "libcublasLt.so.12"};
  lt *out = host_alloc(sizeof *out);
  out->device = device;
  for (int i = 0; i < (library ? 1 : 2) && !out->library; i++)
    out->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!out->library) {
    fprintf(stderr, "no cuBLASLt to compare with: %s; --cublaslt PATH names it\n", dlerror());
    free(out);
    return NULL;
  }
  find(out, &out->create, "cublasLtCreate");
  find(out, &out->destroy, "cublasLtDestroy");
  find(out, &out->layout_create, "cublasLtMatrixLayoutCreate");
  find(out, &out->layout_destroy, "cublasLtMatrixLayoutDestroy");
  find(out, &out->desc_create, "cublasLtMatmulDescCreate");
  find(out, &out->desc_set, "cublasLtMatmulDescSetAttribute");
  find(out, &out->desc_destroy, "cublasLtMatmulDescDestroy");
  find(out, &out->preference_create, "cublasLtMatmulPreferenceCreate");
  find(out, &out->preference_set, "cublasLtMatmulPreferenceSetAttribute");
  find(out, &out->preference_destroy, "cublasLtMatmulPreferenceDestroy");
  find(out, &out->heuristics, "cublasLtMatmulAlgoGetHeuristic");
  find(out, &out->matmul, "cublasLtMatmul");
  check("cublasLtCreate", out->create(&out->handle));
  out->workspace = device_alloc(device, workspace_bytes);
  return out;
}

void lt_close(lt *lt) {
  if (!lt) return;
  lt->destroy(lt->handle);
  device_free(lt->device, lt->workspace);
  free(lt);
}

static void launch(const lt_product *p, int candidate, stream on) {
  const lt *lt = p->lt;
  const float one = 1, zero = 0;
  void *d = (void *)(uintptr_t)p->product.d;
  check("cublasLtMatmul", lt->matmul(lt->handle, p->desc, &one, (void *)(uintptr_t)p->product.b,
                                     p->left, (void *)(uintptr_t)p->product.a, p->right, &zero, d,
                                     p->d, d, p->d, p->candidates[candidate].algorithm,
                                     (void *)(uintptr_t)lt->workspace, workspace_bytes, on));
}

/* Each candidate a few times in turns, so that none has a cooler GPU. */
static int fastest(const lt_product *p, int count) {
  enum { rounds = 5, launches = 3 };
  event from = event_new(1), to = event_new(1);
  double least[candidates_most] = {0};
  stream on = p->lt->device->compute;
  int best = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < count; i++) {
      event_record(from, on);
      for (int n = 0; n < launches; n++)
        launch(p, i, on);
      event_record(to, on);
      device_wait(on);
      double time = event_milliseconds(from, to);
      if (round < 2 || time < least[i]) least[i] = time; /* the first round warms up */
    }
  }
  for (int i = 1; i < count; i++)
    if (least[i] < least[best]) best = i;
  event_free(from);
  event_free(to);
  return best;
}

lt_product *lt_product_open(lt *lt, const product *product) {
  lt_product *out = host_alloc(sizeof *out);
  *out = (lt_product){.lt = lt, .product = *product};
  uint64_t m = (uint64_t)product->m, n = (uint64_t)product->n, k = (uint64_t)product->k;
  int type = product->d_is_f32 ? CUDA_R_32F : CUDA_R_16BF, transposed = OP_T, found = 0;
  uint64_t most = workspace_bytes;
  handle preference;
  check("layout", lt->layout_create(&out->left, CUDA_R_16BF, k, n, product->k));
  check("layout", lt->layout_create(&out->right, CUDA_R_16BF, k, m, product->k));
  check("layout", lt->layout_create(&out->d, type, n, m, product->n));
  check("descriptor", lt->desc_create(&out->desc, COMPUTE_32F, CUDA_R_32F));
  check("descriptor", lt->desc_set(out->desc, DESC_TRANSA, &transposed, sizeof transposed));
  check("preference", lt->preference_create(&preference));
  check("preference",
        lt->preference_set(preference, PREFERENCE_MAX_WORKSPACE_BYTES, &most, sizeof most));
  check("cublasLtMatmulAlgoGetHeuristic",
        lt->heuristics(lt->handle, out->desc, out->left, out->right, out->d, out->d, preference,
                       candidates_most, out->candidates, &found));
  lt->preference_destroy(preference);
  if (found == 0) die("cuBLASLt proposes no algorithm");
  out->best = fastest(out, found);
  return out;
}

void lt_product_close(lt_product *p) {
  if (!p) return;
  p->lt->layout_destroy(p->left);
  p->lt->layout_destroy(p->right);
  p->lt->layout_destroy(p->d);
  p->lt->desc_destroy(p->desc);
  free(p);
}

void lt_launch(const lt_product *product, stream on) {
  launch(product, product->best, on);
}
