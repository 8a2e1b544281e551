/* A gg_packer launches one kernel of the library's own, which packs scale factors. */
#ifndef GG_RUNTIME_PACKER_H
#define GG_RUNTIME_PACKER_H

#include "raw.h"

#define GG_PACKER_NAME "pack_scales" /* its entry */
#define GG_PACKER_ARCH "sm_80"       /* what it needs */

/* Loads a packer from an image. Close with gg_packer_close. */
gg_status gg_packer_load(gg_packer **out, gg_context *context, const void *image, gg_error *err);

/* The kernel's text. */
const char *gg_packer_source(void);

#endif
