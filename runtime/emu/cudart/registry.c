/* What a program registers before main: fat binaries, kernels, variables. And the thread's state.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/cudart/entry.h"
#include "emu/cudart/fatbin.h"

typedef struct rt_image {
  struct rt_image *next;
  const void *data;
  CUmodule module;
  bool managed; /* it has a managed variable */
  int result;   /* of loading it */
  bool tried;
  char message[1024]; /* where it failed */
} rt_image;

typedef struct rt_named {
  struct rt_named *next;
  const void *host;
  const char *name;
  rt_image *image;
} rt_named;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static rt_image *images;
static rt_named *kernels, *variables;

/* ---- Results ---------------------------------------------------------------------------- */

static _Thread_local int last, message_of;
static _Thread_local char message[1024];

int rt_refuse(int result, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  message_of = result;
  return result;
}

const char *rt_message(int result) {
  return message_of && message_of == result ? message : NULL;
}

int rt_end(int result) {
  if (result && result != RT_NOT_READY) last = result;
  return result;
}

/* A kernel's fault stays until the device is reset. It is what any call would say; this one waits
 * for nothing, as launches beside each other must not be parted by it. */
int rt_last(bool reset) {
  int result = last, fault = CUDA_SUCCESS;
  unsigned flags;
  CUcontext context = NULL;
  if (!result && !cuCtxGetCurrent(&context) && context) fault = cuStreamGetFlags(NULL, &flags);
  if (reset) last = CUDA_SUCCESS;
  return result ? result : fault;
}

/* A context that another thread has reset is one no more. */
int rt_ready(void) {
  CUcontext context;
  unsigned flags;
  int result = cuInit(0);
  if (result || cuCtxGetFlags(&flags) != CUDA_ERROR_INVALID_CONTEXT) return result;
  result = cuDevicePrimaryCtxRetain(&context, 0);
  return result ? result : cuCtxSetCurrent(context);
}

/* ---- Loading ---------------------------------------------------------------------------- */

static const char advice[] =
    "compile it with PTX for the emulated device: nvcc -cudart shared -gencode "
    "arch=compute_90a,code=compute_90a, or -arch=compute_90";

static int load_text(rt_image *image, const fatbin_ptx *ptx) {
  char why[FATBIN_WHY];
  const char *said = NULL;
  char *text = fatbin_text(ptx, why);
  if (!text) return rt_refuse(CUDA_ERROR_INVALID_PTX, "a fat binary: %s", why);
  int result = cuModuleLoadData(&image->module, text);
  if (result) {
    cuGetErrorString(result, &said);
    rt_refuse(result, "%s", said ? said : "the PTX cannot be loaded");
  }
  free(text);
  return result;
}

/* The newest PTX that the device runs. A target that it refuses (sm_90a has kin) leaves the next.
 */
static int load(rt_image *image) {
  char why[FATBIN_WHY];
  fatbin fat;
  int major = 0, minor = 0, result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (image->managed) {
    return rt_refuse(CUDA_ERROR_NOT_SUPPORTED,
                     "the program has __managed__ variables, and the emulator no managed memory");
  }
  if (!fatbin_read(&fat, image->data, SIZE_MAX, why))
    return rt_refuse(200, "the program's fat binary is damaged: %s", why);
  cuDeviceComputeCapability(&major, &minor, 0);
  unsigned arch = (unsigned)(10 * major + minor);
  bool tried = false;
  for (size_t i = 0; i < fat.count && result; i++) {
    if (fat.ptx[i].arch > arch) continue;
    result = load_text(image, &fat.ptx[i]);
    tried = true;
  }
  if (tried) return result;
  if (fat.count) {
    return rt_refuse(
        result, "the program's PTX is for sm_%u and newer, and the emulated device is sm_%u: %s",
        fat.ptx[fat.count - 1].arch, arch, advice);
  }
  if (!fat.cubins) {
    return rt_refuse(result, "the program's fat binary has no code that can be run as it is: the "
                             "emulator does not link device code, so compile it without -rdc=true");
  }
  return rt_refuse(result, "the program has SASS alone (%zu cubins), and the emulator runs PTX: %s",
                   fat.cubins, advice);
}

/* Programs that look at no result would never see why: it is told once. */
static int loaded(rt_image *image) {
  if (!image->tried) {
    image->result = load(image);
    image->tried = true;
    if (image->result) {
      snprintf(image->message, sizeof image->message, "%s", message);
      fprintf(stderr, "gemmgen emulator: %s\n", message);
    }
  }
  return image->result ? rt_refuse(image->result, "%s", image->message) : CUDA_SUCCESS;
}

static const rt_named *find(const rt_named *list, const void *host) {
  while (list && list->host != host)
    list = list->next;
  return list;
}

int rt_function(CUfunction *out, const void *host) {
  pthread_mutex_lock(&lock);
  const rt_named *kernel = find(kernels, host);
  int result;
  if (!kernel) {
    result = rt_refuse(RT_INVALID_FUNCTION, "no kernel is registered at %p", host);
  } else if (!(result = loaded(kernel->image))) {
    result = cuModuleGetFunction(out, kernel->image->module, kernel->name);
    if (result == CUDA_ERROR_NOT_FOUND) {
      result = rt_refuse(RT_INVALID_FUNCTION, "the program's PTX has no kernel '%s'", kernel->name);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int rt_symbol(CUdeviceptr *address, size_t *bytes, const void *host) {
  pthread_mutex_lock(&lock);
  const rt_named *variable = find(variables, host);
  int result;
  if (!variable) {
    result = rt_refuse(RT_INVALID_SYMBOL, "no variable of a device is registered at %p", host);
  } else if (!(result = loaded(variable->image))) {
    result = cuModuleGetGlobal(address, bytes, variable->image->module, variable->name);
    if (result == CUDA_ERROR_NOT_FOUND) {
      result =
          rt_refuse(RT_INVALID_SYMBOL, "the program's PTX has no variable '%s'", variable->name);
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

void rt_forget(void) {
  pthread_mutex_lock(&lock);
  for (rt_image *image = images; image; image = image->next)
    image->tried = false;
  pthread_mutex_unlock(&lock);
  rt_pools_forget();
  last = CUDA_SUCCESS;
}

/* ---- Registering ------------------------------------------------------------------------ */

static void *out_of_memory(void) {
  fputs("gemmgen emulator: memory is out\n", stderr);
  abort(); /* before main; nobody could be told */
}

void **rt_register_image(void *data) {
  rt_image *image = calloc(1, sizeof *image);
  if (!image) return out_of_memory();
  pthread_mutex_lock(&lock);
  image->data = data;
  image->next = images;
  images = image;
  pthread_mutex_unlock(&lock);
  return (void **)(void *)image;
}

static void add(rt_named **list, void **handle, const void *host, const char *name) {
  rt_named *named = calloc(1, sizeof *named);
  if (!named) named = out_of_memory();
  pthread_mutex_lock(&lock);
  *named = (rt_named){*list, host, name, (rt_image *)(void *)handle};
  *list = named;
  pthread_mutex_unlock(&lock);
}

void rt_register_kernel(void **handle, const void *host, const char *name) {
  add(&kernels, handle, host, name);
}

void rt_register_variable(void **handle, const void *host, const char *name, bool managed) {
  if (managed) ((rt_image *)(void *)handle)->managed = true;
  add(&variables, handle, host, name);
}

static void drop(rt_named **list, const rt_image *image) {
  for (rt_named *named; (named = *list);) {
    if (named->image == image) {
      *list = named->next;
      free(named);
    } else {
      list = &named->next;
    }
  }
}

void rt_unregister_image(void **handle) {
  rt_image *image = (rt_image *)(void *)handle;
  pthread_mutex_lock(&lock);
  drop(&kernels, image);
  drop(&variables, image);
  for (rt_image **at = &images; *at; at = &(*at)->next) {
    if (*at != image) continue;
    *at = image->next;
    if (image->tried && !image->result) cuModuleUnload(image->module);
    free(image);
    break;
  }
  pthread_mutex_unlock(&lock);
}
