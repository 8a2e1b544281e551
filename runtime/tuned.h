/* Where `gemmgen tune` leaves its winners, and gg_gemm finds them: one spec for each product, in
 *
 *     DIRECTORY/DEVICE/FORM,MxNxK,bBATCH.yaml
 *
 * with the device's name in lower case. A form's name ends with its epilogue, operation by
 * operation (gg_form_full_name), so that a product has different files for different epilogues. */
#ifndef GG_RUNTIME_TUNED_H
#define GG_RUNTIME_TUNED_H

#include "gemmgen_gemm.h"

typedef struct gg_tuned_extents {
  int64_t m, n, k, batch;
} gg_tuned_extents;

/* The directory that gg_gemm_options ask for: `asked`, or the default; "" for none. */
gg_status gg_tuned_directory(gg_str *out, const char *asked, gg_error *err);

/* "nvidia-h100-80gb-hbm3" */
void gg_tuned_device(gg_str *out, const char *device);

/* The path of a product's spec. Errors are those of the epilogue's text. */
gg_status gg_tuned_path(gg_str *out, const char *directory, const char *device, const gg_form *form,
                        gg_tuned_extents extents, gg_error *err);

/* Which entry serves a product besides its own: the one of M rounded up to a power of two. */
gg_tuned_extents gg_tuned_bucket(gg_tuned_extents extents);

#endif
