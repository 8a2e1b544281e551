/* Matrix descriptors: fields and addresses.
 *
 * Eight lines of 16 bytes are a core matrix. Without a swizzle core matrices are `leading` apart
 * along K and `stride` apart along M or N. With one, eight lines of 32, 64 or 128 bytes are an
 * atom, in which 16-byte units are exchanged by the line's number; atoms are `leading` apart along
 * the lines, where a line is longer than one, and `stride` apart across them. */
#include "emu/isa/descriptor.h"

#include <inttypes.h>

static uint32_t field(uint64_t descriptor, int low, int bits) {
  return (uint32_t)(descriptor >> low & ((UINT64_C(1) << bits) - 1));
}

bool emu_descriptor_read(emu_matrix_view *out, emu_warp *warp, const emu_op *op, const char *name,
                         uint64_t descriptor, bool along_k) {
  static const uint32_t rows[] = {16, 128, 64, 32};
  const uint64_t fields = UINT64_C(0xc00e3fff3fff3fff);
  if (descriptor & ~fields) {
    emu_fault(warp, op, -1, GG_E_EMU_DESCRIPTOR,
              "descriptor of %s 0x%016" PRIx64 ": bits 0x%" PRIx64 " must be zero", name,
              descriptor, descriptor & ~fields);
    return false;
  }
  *out = (emu_matrix_view){
      .start = field(descriptor, 0, 14) * EMU_UNIT_BYTES,
      .leading = field(descriptor, 16, 14) * EMU_UNIT_BYTES,
      .stride = field(descriptor, 32, 14) * EMU_UNIT_BYTES,
      .base_offset = field(descriptor, 49, 3),
      .row = rows[field(descriptor, 62, 2)],
      .along_k = along_k,
  };
  return true;
}
