/* What the shared library exports, and how a struct begins. */
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

#endif
