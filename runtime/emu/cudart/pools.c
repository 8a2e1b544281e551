/* Memory pools: accounts of what was allocated from them. Nothing is kept for later: what is freed
 * is free. */
#include <pthread.h>
#include <stdlib.h>

#include "emu/cudart/runtime.h"

struct rt_pool {
  rt_pool *next;
  int reuse[3]; /* the three attributes that say what may be reused */
  uint64_t threshold, used, used_high;
};

typedef struct loan {
  struct loan *next;
  CUdeviceptr address;
  size_t bytes;
  rt_pool *pool; /* NULL: it was destroyed */
} loan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rt_pool usual = {.reuse = {1, 1, 1}};
static rt_pool *pools = &usual, *current = &usual; /* `usual` is the last of the list */
static loan *loans;

static bool is_pool(const rt_pool *pool) {
  const rt_pool *p = pools;
  while (p && p != pool)
    p = p->next;
  return p != NULL;
}

int rt_pool_usual(rt_pool **out, int device) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  *out = &usual;
  return CUDA_SUCCESS;
}

int rt_pool_current(rt_pool **out, int device) {
  int result = rt_pool_usual(out, device);
  if (!result) *out = current;
  return result;
}

int rt_pool_choose(int device, rt_pool *pool) {
  if (device) return CUDA_ERROR_INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  bool good = is_pool(pool);
  if (good) current = pool;
  pthread_mutex_unlock(&lock);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

int rt_pool_make(rt_pool **out) {
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  rt_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return CUDA_ERROR_OUT_OF_MEMORY;
  pthread_mutex_lock(&lock);
  *pool = (rt_pool){.next = pools, .reuse = {1, 1, 1}};
  pools = *out = pool;
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

int rt_pool_destroy(rt_pool *pool) {
  int result = CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  for (rt_pool **at = &pools; *at != &usual; at = &(*at)->next) {
    if (*at != pool) continue;
    *at = pool->next;
    if (current == pool) current = &usual;
    for (loan *l = loans; l; l = l->next)
      if (l->pool == pool) l->pool = NULL;
    free(pool);
    result = CUDA_SUCCESS;
    break;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* cudaMemPoolAttr: 1 to 3 are ints, the others are 64 bits. Of what is used the high marks alone
 * can be set, to 0. */
int rt_pool_attribute(rt_pool *pool, int attribute, void *value, bool set) {
  int result = CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  if (!value || !is_pool(pool) || attribute < 1 || attribute > 8) {
    result = CUDA_ERROR_INVALID_VALUE;
  } else if (attribute <= 3) {
    int *mine = &pool->reuse[attribute - 1], *given = value;
    *(set ? mine : given) = *(set ? given : mine);
  } else if (attribute == 4) {
    uint64_t *given = value;
    *(set ? &pool->threshold : given) = *(set ? given : &pool->threshold);
  } else {
    bool high = attribute == 6 || attribute == 8;
    uint64_t *given = value;
    if (set && (!high || *given)) result = CUDA_ERROR_INVALID_VALUE;
    if (set && !result) pool->used_high = pool->used;
    if (!set) *given = high ? pool->used_high : pool->used;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int rt_pool_check(rt_pool *pool) {
  pthread_mutex_lock(&lock);
  bool good = is_pool(pool);
  pthread_mutex_unlock(&lock);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

int rt_pool_allocate(void **out, size_t bytes, rt_pool *pool) {
  if (!out || (pool && rt_pool_check(pool))) return CUDA_ERROR_INVALID_VALUE;
  loan *l = malloc(sizeof *l);
  int result = l ? rt_allocate(out, bytes) : CUDA_ERROR_OUT_OF_MEMORY;
  if (result || !bytes) {
    free(l);
    return result;
  }
  pthread_mutex_lock(&lock);
  if (!pool) pool = current;
  *l = (loan){loans, (uintptr_t)*out, bytes, pool};
  loans = l;
  pool->used += bytes;
  if (pool->used_high < pool->used) pool->used_high = pool->used;
  pthread_mutex_unlock(&lock);
  return result;
}

/* cudaFree and cudaFreeAsync of any memory. */
int rt_free(void *pointer, CUstream stream, bool async) {
  CUdeviceptr address = (uintptr_t)pointer;
  if (!pointer && !async) return CUDA_SUCCESS;
  int result = async ? cuMemFreeAsync(address, stream) : cuMemFree(address);
  if (result) return result;
  pthread_mutex_lock(&lock);
  for (loan **at = &loans; *at; at = &(*at)->next) {
    loan *l = *at;
    if (l->address != address) continue;
    if (l->pool) l->pool->used -= l->bytes;
    *at = l->next;
    free(l);
    break;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* The device is gone: so is all that was allocated. */
void rt_pools_forget(void) {
  pthread_mutex_lock(&lock);
  for (loan *l; (l = loans);) {
    loans = l->next;
    free(l);
  }
  for (rt_pool *pool = pools; pool; pool = pool->next)
    pool->used = pool->used_high = 0;
  pthread_mutex_unlock(&lock);
}
