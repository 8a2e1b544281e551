/* Decides what may be a kernel's name: an identifier of CUDA C++ that nothing else has taken. */
#include <string.h>

#include "spec/parse.h"

enum { longest_name = 128 };

/* Keywords of C++20, the names CUDA predefines in a kernel, and `main`. */
static const char *const taken[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "gridDim",
    "if",
    "inline",
    "int",
    "long",
    "main",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "threadIdx",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "warpSize",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

/* Names that CUDA's headers have taken: see taken.def. */
static const char *const by_headers[] = {
#define GG_TAKEN(words) words,
#include "spec/taken.def"
#undef GG_TAKEN
};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_by_headers(const char *name) {
  for (size_t i = 0; i < sizeof by_headers / sizeof *by_headers; i++) {
    if (gg_is_among(by_headers[i], name)) return true;
  }
  return false;
}

/* Whether the name is one of CUDA's vector types: float4, uchar2, double4_16a. */
static bool is_vector(const char *name) {
  static const char *const elements[] = {"char", "short", "int",   "longlong",
                                         "long", "float", "double"};
  if (*name == 'u') name++;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    size_t length = strlen(elements[i]);
    if (strncmp(name, elements[i], length) != 0 || name[length] < '1' || name[length] > '4')
      continue;
    const char *rest = name + length + 1;
    return !*rest || strcmp(rest, "_16a") == 0 || strcmp(rest, "_32a") == 0;
  }
  return false;
}

/* Whether the name is spelled like CUDA's own: cudaMalloc, CUDART_VERSION,
 * CU_UUID_HAS_BEEN_DEFINED, CUuuid; but not cuda_gemm. */
static bool is_of_cuda(const char *name) {
  if (strncmp(name, "cuda", 4) == 0) return name[4] >= 'A' && name[4] <= 'Z';
  if (strncmp(name, "CU", 2) != 0) return false;
  return strncmp(name, "CUDA", 4) == 0 || name[2] == '_' || (name[2] >= 'a' && name[2] <= 'z');
}

/* Whether the name is a variant of a function of C's math library, as sinf and sinf32x are of sin.
 */
static bool is_variant(const char *name) {
  static const char *const endings[] = {"f32x", "f64x", "f32", "f64", "f", "l"};
  char base[32];
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (length <= ending || length - ending >= sizeof base) continue;
    if (strcmp(name + length - ending, endings[i]) != 0) continue;
    memcpy(base, name, length - ending);
    base[length - ending] = '\0';
    if (is_by_headers(base)) return true;
  }
  return false;
}

const char *gg_name_complaint(const char *name) {
  if (strlen(name) > longest_name) return "it is longer than 128 characters";
  if (!is_letter(name[0])) return "it does not start with a letter";
  for (const char *s = name; *s; s++) {
    if (!is_letter(*s) && !(*s >= '0' && *s <= '9') && *s != '_') {
      return "it has other characters than letters, digits and _";
    }
  }
  if (strstr(name, "__")) return "C++ keeps names with __ for itself";
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    if (strcmp(name, taken[i]) == 0) return "CUDA C++ uses this name";
  }
  if (is_vector(name) || is_of_cuda(name) || is_by_headers(name) || is_variant(name))
    return "CUDA's headers use this name; 'gemm_' in front of it makes it another";
  return NULL;
}
