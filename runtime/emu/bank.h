/* Banks: pieces of memory, and what is known of each of their bytes.
 *
 * An allocation of global memory is a bank, and so are a CTA's shared memory, the local variables
 * of a frame and the parameters of a launch. Inside the emulator a place is a bank and an offset
 * into it. Bounds, marks of bytes, what operations in flight own, and races are handled for every
 * bank in the same way. A bank's kind, a row of banks.def, says how a kernel's addresses become
 * places, what messages call it, and which checks its banks get. A kind needs no row: tests make
 * some without. */
#ifndef GG_EMU_BANK_H
#define GG_EMU_BANK_H

#include "emu/machine.h"

typedef struct emu_bank emu_bank;

typedef struct emu_place {
  emu_bank *bank;
  uint64_t offset;
} emu_place;

enum emu_mark {
  EMU_MARK_WRITTEN = 1,
  EMU_MARK_LANDING = 2, /* an asynchronous write was issued and has not landed */
  EMU_MARK_LEAVING = 4, /* an asynchronous read was issued and has not happened */
  EMU_MARK_BARRIER = 8, /* an mbarrier object lives here */
};

/* What an access does. EMU_STRONG: it is atomic, volatile, relaxed, acquire or release.
 * EMU_COMPUTE: what is written depends on all bits that are read. */
enum emu_intent { EMU_READ = 1, EMU_WRITE = 2, EMU_STRONG = 4, EMU_COMPUTE = 8 };

/* One access of a warp to memory of one kind: `bytes` at each lane's address, which is a multiple
 * of `bytes`. */
typedef struct emu_bank_access {
  emu_warp *warp;
  const emu_op *op;
  const struct emu_bank_kind *kind;
  emu_space space;
  const uint64_t *address;
  uint32_t lanes;
  unsigned bytes, intent; /* bits of emu_intent */
} emu_bank_access;

/* The places of an access. */
typedef struct emu_places {
  emu_place of[EMU_LANES];
  emu_bank *one; /* the bank in which all of them are; NULL: not known */
} emu_places;

/* The columns of banks.def. */
typedef struct emu_bank_kind {
  const char *name;
  enum { EMU_ORDERS_NOTHING, EMU_ORDERS_FLAGS, EMU_ORDERS_RACES } orders;
  enum { EMU_LOADS_TOLD, EMU_LOADS_COUNTED } loads;
  enum { EMU_MARKS_CHECKED, EMU_MARKS_KEPT } marks;
  bool (*find)(emu_places *out, const emu_bank_access *a); /* `one` is NULL; false after a fault */
  void (*count)(const emu_bank_access *a, const emu_places *places);
  void (*put)(char *out, size_t size, emu_place place);
} emu_bank_kind;

struct emu_bank {
  const emu_bank_kind *kind;
  emu_cta *cta;  /* the only CTA that has it; NULL: there is none */
  uint64_t base; /* address of its first byte */
  uint64_t size;
  uint8_t *bytes;
  uint8_t *marks;   /* bits of emu_mark, for each byte; NULL: it is complete */
  bool complete;    /* every byte is written, so marks are not needed; set only between launches */
  bool read_only;   /* .const variables and parameters */
  const char *name; /* of a variable; NULL: it has none */
  struct emu_cell *cells; /* the race detector's: NULL until touched */
  uint16_t *leaving;      /* operations in flight that will read each 16 bytes; likewise */
  _Atomic(struct emu_touch *) touched; /* hazard/touches.h; likewise */
  emu_bank *next;                      /* the CTA's next one */
};

/* Each kind, and the functions that its row may name. */
#define EMU_BANK(id, name, orders, loads, marks, find, count, put)                                 \
  extern const emu_bank_kind emu_bank_##id;                                                        \
  bool emu_find_##id(emu_places *out, const emu_bank_access *a);                                   \
  void emu_tally_##id(const emu_bank_access *a, const emu_places *places);                         \
  void emu_put_##id(char *out, size_t size, emu_place place);
#include "emu/banks.def"
#undef EMU_BANK

/* Makes a bank for a CTA, which is freed with it. Its addresses begin at `base`, and nobody has
 * written its bytes. `err` may be NULL. */
gg_status emu_bank_open(emu_bank **out, emu_cta *cta, const emu_bank_kind *kind, uint64_t base,
                        uint64_t bytes, gg_error *err);
void emu_bank_free(emu_bank *bank); /* frees what it points to, not the bank itself */
void emu_banks_close(emu_cta *cta);

/* Checks an access and gives the host address of each lane's bytes. What is to be written is marked
 * as written. False after a fault. */
bool emu_access_banks(const emu_bank_access *a, uint8_t *host[EMU_LANES]);

/* ---- For kinds -------------------------------------------------------------------------- */

/* The places of addresses in one bank; false after a fault. */
bool emu_bank_find(emu_places *out, const emu_bank_access *a, emu_bank *bank);
/* The same without a fault. */
bool emu_bank_holds(emu_places *out, const emu_bank_access *a, emu_bank *bank);
/* "reads", "writes" or "updates". */
const char *emu_bank_verb(const emu_bank_access *a);
/* Makes the fault EMU_BOUNDS for a lane. Returns false. */
bool emu_bank_outside(const emu_bank_access *a, uint32_t lane, const char *why);

/* ---- Places ----------------------------------------------------------------------------- */

static inline bool emu_place_same(emu_place a, emu_place b) {
  return a.offset == b.offset && a.bank == b.bank;
}
static inline uint8_t *emu_place_bytes(emu_place place) {
  return place.bank->bytes + place.offset;
}
static inline uint8_t *emu_place_marks(emu_place place) {
  return place.bank->marks + place.offset;
}
/* The address of a place in shared memory. */
static inline uint32_t emu_place_address(emu_place place) {
  return (uint32_t)(place.bank->base + place.offset);
}

typedef struct emu_place_words {
  char text[96];
} emu_place_words;

/* What messages call a place: "shared memory at 0x400". */
emu_place_words emu_place_in_words(emu_place place);

#endif
