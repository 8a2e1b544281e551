/* Kernels' texts that are studied: written to a folder as they are compiled (GEMMGEN_DUMP_DIR,
 * GEMMGEN_KEEP), and taken from one in place of what was generated (GEMMGEN_OVERRIDE_DIR). Files
 * are named as kernels are: NAME.cu, NAME.ptx, NAME.cubin, NAME.log. */
#ifndef GG_RUNTIME_EDITS_H
#define GG_RUNTIME_EDITS_H

#include <stdatomic.h>

#include "gemmgen_launch.h"

enum { GG_EDITS_TOLD = 64 };

/* Const but for what was said. */
typedef struct gg_edits {
  char *from;                           /* directory of texts that replace; NULL: none */
  char *to;                             /* directory that everything is written to; NULL: none */
  bool keep;                            /* what is between a text and its cubin, too */
  _Atomic uint64_t told[GG_EDITS_TOLD]; /* texts that replaced, by hash: each is said once */
  atomic_flag told_unwritten;           /* that `to` cannot be written: likewise */
  void (*warn)(void *user, const char *message); /* NULL: to stderr */
  void *user;
} gg_edits;

/* As the environment says. Makes nothing on disk. */
gg_status gg_edits_open(gg_edits *out, void (*warn)(void *user, const char *message), void *user,
                        gg_error *err);
void gg_edits_close(gg_edits *edits);

/* A kernel as it is compiled: the one that was given, or one with another text, which it owns. */
typedef struct gg_edit {
  gg_kernel kernel;
  bool ptx;   /* the text is PTX, for the driver */
  char *path; /* where it is from; NULL: it was generated */
  char *text;
} gg_edit;

/* Looks for NAME.cu, then for NAME.ptx. FILE_READ where one is there and cannot be read; EDIT where
 * it is no text. */
gg_status gg_edit_open(gg_edit *out, gg_edits *edits, const gg_kernel *kernel, gg_error *err);
void gg_edit_close(gg_edit *edit);

/* Writes the kernel's text and what was made of it. */
void gg_edits_dump(gg_edits *edits, const gg_edit *edit, const gg_binary *binary);

/* Likewise of PTX that a cubin was made through, and of what the compiler said. */
void gg_edits_dump_ptx(gg_edits *edits, const gg_edit *edit, const gg_binary *ptx);

#endif
