/* What the shared library exports, and how structs begin that callers fill in.
 *
 * The binary interface only grows. A struct that a caller fills in (options, forms, problems)
 * begins with its own size, which its INIT macro sets. If it is smaller than the library's, because
 * the caller is older, the missing members count as the macro leaves them. If it is larger, the
 * library refuses members that it does not know, unless they are 0. What the library makes is
 * accessed by a pointer, or has spare room; members are added at the end of both. Numbers of
 * enumerators never change. tests/abi checks all of this. */
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

/* The initialiser of a struct that begins with its size; all other members are 0. */
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
