/* Errors: codes, messages, marks.
 *
 * Every function that can fail returns a gg_status. If that is not GG_OK, it has filled the
 * caller's gg_error. All codes and messages are in errors.def, one row each. `gg_fail` takes the
 * row's name, a mark (or NULL) and the arguments of the row's message, which the compiler checks
 * against its format. The library never prints, never exits and keeps no error of its own. */
#ifndef GG_BASE_ERROR_H
#define GG_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "str.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_stage {
  GG_STAGE_USAGE = 0,   /* the command line */
  GG_STAGE_LAYOUT = 1,  /* the layout algebra */
  GG_STAGE_SPEC = 2,    /* YAML -> gg_spec */
  GG_STAGE_PLAN = 3,    /* gg_spec -> gg_plan */
  GG_STAGE_DERIVE = 4,  /* gg_plan -> gg_layouts */
  GG_STAGE_EMIT = 5,    /* gg_layouts -> gg_kernel */
  GG_STAGE_COMPILE = 6, /* text -> cubin */
  GG_STAGE_RUNTIME = 7, /* driver, device, launch, cache */
  GG_STAGE_EMULATE = 8, /* PTX on the CPU */
  GG_STAGE_SYSTEM = 9,  /* memory, files */
} gg_stage;

/* Numbers never change: those of errors stand in errors.def, and new stages are added at the end.
 */
typedef enum gg_status {
  GG_OK = 0,
#define GG_ERROR(number, name, stage, message, help) GG_E_##name = (number),
#include "errors.def"
#undef GG_ERROR
} gg_status;

/* A place in the input. Lines and columns count from 1; 0 means unknown. Columns count characters
 * (UTF-8 sequences), not bytes. */
typedef struct gg_mark {
  const char *file; /* "<stdin>", "<expression>" or a path as the user gave it; may be NULL */
  int line, column;
  const char *path; /* YAML path such as "a.major" or "tile[2]"; may be NULL */
} gg_mark;

/* An error. The caller owns it, starts it with GG_ERROR_INIT and ends it with gg_error_clear. It is
 * self-contained: nothing in it points into the input. */
typedef struct gg_error {
  gg_status code;
  gg_stage stage;
  int line, column;
  char file[512];
  char path[128];
  char message[1024];
  char *log; /* a compiler's log, or NULL; freed by gg_error_clear */
  uint64_t reserved[8];
} gg_error;

#define GG_ERROR_INIT GG_ZEROED

/* The message formats as named constants, so that the compiler can check the arguments of each
 * call. */
#define GG_ERROR(number, name, stage, message, help)                                               \
  static const char gg_message_##name[] = message;
#include "errors.def"
#undef GG_ERROR

/* gg_fail(err, NAME, mark, arguments...) fills `err`, which may be NULL, and returns GG_E_NAME. An
 * error that is already set is not overwritten: the cause wins over its consequences. */
#define gg_fail(err, name, ...)                                                                    \
  (gg_error_set((err), GG_E_##name, gg_message_##name, __VA_ARGS__), GG_E_##name)

GG_API void gg_error_set(gg_error *err, gg_status code, const char *format, const gg_mark *mark,
                         ...) GG_PRINTF(3, 5);

GG_API void gg_error_clear(gg_error *err);

/* One row of errors.def. */
typedef struct gg_error_info {
  gg_status code;
  const char *name; /* "SPEC_TYPE" */
  gg_stage stage;
  const char *message; /* printf format */
  const char *help;    /* what it means and what to do, for docs/errors.md */
} gg_error_info;

GG_API const gg_error_info *gg_error_info_of(gg_status code); /* NULL for GG_OK and unknown codes */
GG_API const gg_error_info *gg_error_info_at(size_t row); /* by row of the table; NULL behind its
                                                           * end */
GG_API const char *gg_stage_name(gg_stage stage);

/* Appends "file:line:column: error: message [NAME]", and, if `source` (the whole input text, or
 * NULL) has that line, the line with a caret under the column, as compilers do. */
GG_API void gg_error_print(gg_str *out, const gg_error *err, const char *source);

#ifdef __cplusplus
}
#endif

#endif
