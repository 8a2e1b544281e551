/* What `gemmgen doctor` says of packs. */
#ifndef GG_CLI_DOCTOR_PACKS_H
#define GG_CLI_DOCTOR_PACKS_H

#include "gemmgen_runtime.h"
#include "pack_file.h"

/* A pack that GEMMGEN_PACKS names. */
typedef struct doctor_pack {
  gg_str path;
  gg_pack_file *file; /* NULL: this library cannot use it */
  gg_str why_not;     /* why it cannot */
} doctor_pack;

typedef struct doctor_packs {
  doctor_pack *list;
  size_t count;
} doctor_packs;

/* Opens the packs of `list`, separated by colons (NULL: there are none). Free with
 * doctor_packs_close. */
gg_status doctor_packs_open(doctor_packs *out, const char *list, gg_error *err);
void doctor_packs_close(doctor_packs *packs);

/* Append, for each pack, what is in it; the text also says which of the devices use it. */
void doctor_packs_text(gg_str *out, const doctor_packs *packs, const gg_device_facts *devices,
                       int device_count, const gg_device_facts *emulator);
void doctor_packs_json(gg_str *out, const doctor_packs *packs);

#endif
