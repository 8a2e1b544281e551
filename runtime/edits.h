/* For those who study kernels: their texts are written to a folder when they are compiled
 * (GEMMGEN_DUMP_DIR, GEMMGEN_KEEP), and edited texts are taken from a folder in place of generated
 * ones (GEMMGEN_OVERRIDE_DIR). Files are named after kernels: NAME.cu, NAME.ptx, NAME.cubin,
 * NAME.log. */
#ifndef GG_RUNTIME_EDITS_H
#define GG_RUNTIME_EDITS_H

#include <stdatomic.h>

#include "gemmgen_launch.h"

enum { GG_EDITS_TOLD = 64 };

/* Only the members that note what was said change once it is open. */
typedef struct gg_edits {
  char *from;                           /* directory of texts that replace; NULL: none */
  char *to;                             /* directory that everything is written to; NULL: none */
  bool keep;                            /* whether PTX is written also if a cubin is made */
  _Atomic uint64_t told[GG_EDITS_TOLD]; /* hashes of texts that replaced: each is said once */
  atomic_flag told_unwritten;           /* whether it was said that `to` cannot be written */
  void (*warn)(void *user, const char *message); /* NULL: to stderr */
  void *user;
} gg_edits;

/* Reads the environment. Makes nothing on disk. */
gg_status gg_edits_open(gg_edits *out, void (*warn)(void *user, const char *message), void *user,
                        gg_error *err);
void gg_edits_close(gg_edits *edits);

/* A kernel as it is compiled: the one that was given, or one with another text, which it owns. */
typedef struct gg_edit {
  gg_kernel kernel;
  bool ptx;   /* whether the text is PTX, which the driver compiles */
  char *path; /* the file that it was read from; NULL: it was generated */
  char *text;
} gg_edit;

/* Looks for NAME.cu, then for NAME.ptx. FILE_READ: one is there but cannot be read. EDIT: it is not
 * a text. */
gg_status gg_edit_open(gg_edit *out, gg_edits *edits, const gg_kernel *kernel, gg_error *err);
void gg_edit_close(gg_edit *edit);

/* Writes the kernel's text and what was made of it. */
void gg_edits_dump(gg_edits *edits, const gg_edit *edit, const gg_binary *binary);

/* Writes the PTX that a cubin was made through, and what the compiler said. */
void gg_edits_dump_ptx(gg_edits *edits, const gg_edit *edit, const gg_binary *ptx);

#endif
