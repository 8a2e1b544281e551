/* What the shared library exports. */
#ifndef GG_BASE_API_H
#define GG_BASE_API_H

#if defined(__GNUC__)
#define GG_API __attribute__((visibility("default")))
#else
#define GG_API
#endif

#endif
