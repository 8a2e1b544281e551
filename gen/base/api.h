/* What the shared library exports, and how a struct begins.
 *
 * The binary interface only grows. What a caller fills in (options, forms, problems) begins with
 * the size that its INIT macro knows: of a smaller struct, of an older caller, the library takes
 * what is missing to be as the macro leaves it; of a larger one it refuses what it does not know,
 * unless that is 0. What the library makes is behind a pointer, or has room; members are appended
 * to both. Numbers of enumerators stay. tests/abi holds all that. */
#ifndef GG_BASE_API_H
#define GG_BASE_API_H

#if defined(__GNUC__)
#define GG_API __attribute__((visibility("default")))
#else
#define GG_API
#endif

/* The initialiser of a struct whose members are all 0, in both languages without a warning. */
#ifdef __cplusplus
#define GG_ZEROED                                                                                  \
  {}
#else
#define GG_ZEROED                                                                                  \
  { 0 }
#endif

/* The initialiser of a struct that begins with its size, all else 0. */
#ifdef __cplusplus
extern "C++" {
template <class type> inline type gg_sized() {
  type value = type();
  value.size = sizeof(type);
  return value;
}
}
#define GG_SIZED(type) gg_sized<type>()
#else
#define GG_SIZED(type)                                                                             \
  { .size = sizeof(type) }
#endif

#endif
