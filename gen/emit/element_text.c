/* Elements of shared and global memory as CUDA C++. The pass that specialises text does not know
 * types: it keeps or drops all functions of one name together. So which of them a kernel calls is
 * determined here.
 *
 * In the texts below, $T stands for the type that holds an element, $P for its PTX type, $C for the
 * constraint of a register that holds it. x is the element, or two of them, and y another two. */
#include "emit/element_text.h"

#include <string.h>

#include "emit/cuda_text.h"

/* A function's remark, its head, and its body for types that PTX has registers for. */
typedef struct function {
  const char *remark, *head, *body;
} function;

static const function functions[] = {
    [GG_SHARED_STORE_FOUR] =
        {"Four neighbouring elements to shared memory, aligned to all.",
         "void st_shared_four(\n    unsigned addr, const $T (&x)[2], const $T (&y)[2])",
         "  asm volatile(\"st.shared.v4.$P [%0], {%1, %2, %3, %4};\" ::\"r\"(addr), "
         "\"$C\"(x[0]), \"$C\"(x[1]),\n"
         "               \"$C\"(y[0]), \"$C\"(y[1]) : \"memory\");\n"},
    [GG_SHARED_STORE_PAIR] =
        {"Two neighbouring elements to shared memory, aligned to both.",
         "void st_shared_pair(unsigned addr, const $T (&x)[2])",
         "  asm volatile(\"st.shared.v2.$P [%0], {%1, %2};\" ::\"r\"(addr), \"$C\"(x[0]), "
         "\"$C\"(x[1]) : \"memory\");\n"},
    [GG_SHARED_STORE] =
        {"An element to shared memory.", "void st_shared(unsigned addr, $T x)",
         "  asm volatile(\"st.shared.$P [%0], %1;\" ::\"r\"(addr), \"$C\"(x) : \"memory\");\n"},
    [GG_SHARED_LOAD] =
        {"An element from shared memory.", "void ld_shared($T &x, unsigned addr)",
         "  asm volatile(\"ld.shared.$P %0, [%1];\" : \"=$C\"(x) : \"r\"(addr) : \"memory\");\n"},
    [GG_SHARED_LOAD_PAIR] = {"Two neighbouring elements from shared memory, aligned to both.",
                             "void ld_shared_pair($T (&x)[2], unsigned addr)",
                             "  asm volatile(\"ld.shared.v2.$P {%0, %1}, [%2];\"\n"
                             "               : \"=$C\"(x[0]), \"=$C\"(x[1])\n"
                             "               : \"r\"(addr)\n"
                             "               : \"memory\");\n"},
    [GG_SHARED_LOAD_FOUR] =
        {"Four neighbouring elements from shared memory, aligned to all.",
         "void ld_shared_four(\n    $T (&x)[2], $T (&y)[2], unsigned addr)",
         "  asm volatile(\"ld.shared.v4.$P {%0, %1, %2, %3}, [%4];\"\n"
         "               : \"=$C\"(x[0]), \"=$C\"(x[1]), \"=$C\"(y[0]), \"=$C\"(y[1])\n"
         "               : \"r\"(addr)\n"
         "               : \"memory\");\n"},
    [GG_GLOBAL_LOAD] = {"What is where it exists, else 0.",
                        "$T ld_global(const $T *from, bool exists)",
                        "  $T x = 0;\n"
                        "  asm volatile(\"{ .reg .pred exists; setp.ne.b32 exists, %2, 0; "
                        "@exists ld.global.$P %0, [%1]; }\"\n"
                        "               : \"+$C\"(x)\n"
                        "               : \"l\"(from), \"r\"(int(exists)));\n"
                        "  return x;\n"},
    [GG_GLOBAL_LOAD_PAIR] = {"Two neighbours where both exist, aligned to both, else 0.",
                             "two<$T> ld_global_pair(\n    const $T *from, bool exists)",
                             "  two<$T> x = {0, 0};\n"
                             "  asm volatile(\n"
                             "      \"{ .reg .pred exists; setp.ne.b32 exists, %3, 0; "
                             "@exists ld.global.v2.$P {%0, %1}, [%2]; }\"\n"
                             "      : \"+$C\"(x.x), \"+$C\"(x.y)\n"
                             "      : \"l\"(from), \"r\"(int(exists)));\n"
                             "  return x;\n"},
};

/* Bodies for unsigned char, which PTX has no registers for. */
static const char *const byte_bodies[GG_ELEMENT_ACCESSES] = {
    [GG_SHARED_STORE_FOUR] =
        "  const unsigned four = x[0] | x[1] << 8 | y[0] << 16 | unsigned(y[1]) << 24;\n"
        "  asm volatile(\"st.shared.b32 [%0], %1;\" ::\"r\"(addr), \"r\"(four) : \"memory\");\n",
    [GG_SHARED_STORE_PAIR] =
        "  const unsigned short pair = (unsigned short)(x[0] | x[1] << 8);\n"
        "  asm volatile(\"st.shared.b16 [%0], %1;\" ::\"r\"(addr), \"h\"(pair) : \"memory\");\n",
    [GG_SHARED_STORE] = "  asm volatile(\"st.shared.u8 [%0], %1;\" ::\"r\"(addr), "
                        "\"h\"((unsigned short)x) : \"memory\");\n",
    [GG_SHARED_LOAD] =
        "  unsigned short wide;\n"
        "  asm volatile(\"ld.shared.u8 %0, [%1];\" : \"=h\"(wide) : \"r\"(addr) : \"memory\");\n"
        "  x = (unsigned char)wide;\n",
    [GG_SHARED_LOAD_PAIR] =
        "  unsigned short pair;\n"
        "  asm volatile(\"ld.shared.b16 %0, [%1];\" : \"=h\"(pair) : \"r\"(addr) : \"memory\");\n"
        "  x[0] = (unsigned char)pair;\n"
        "  x[1] = (unsigned char)(pair >> 8);\n",
    [GG_GLOBAL_LOAD] = "  unsigned x = 0;\n"
                       "  asm volatile(\"{ .reg .pred exists; setp.ne.b32 exists, %2, 0; "
                       "@exists ld.global.u8 %0, [%1]; }\"\n"
                       "               : \"+r\"(x)\n"
                       "               : \"l\"(from), \"r\"(int(exists)));\n"
                       "  return (unsigned char)x;\n",
    [GG_GLOBAL_LOAD_PAIR] = "  unsigned short x = 0;\n"
                            "  asm volatile(\"{ .reg .pred exists; setp.ne.b32 exists, %2, 0; "
                            "@exists ld.global.b16 %0, [%1]; }\"\n"
                            "               : \"+h\"(x)\n"
                            "               : \"l\"(from), \"r\"(int(exists)));\n"
                            "  return {(unsigned char)x, (unsigned char)(x >> 8)};\n",
};

/* Bodies for two unsigned shorts, which share a register. */
static const char *const short_bodies[GG_ELEMENT_ACCESSES] = {
    [GG_SHARED_STORE_FOUR] =
        "  asm volatile(\"st.shared.v2.b32 [%0], {%1, %2};\" ::\"r\"(addr),\n"
        "               \"r\"(x[0] | unsigned(x[1]) << 16), \"r\"(y[0] | unsigned(y[1]) << 16)\n"
        "               : \"memory\");\n",
    [GG_SHARED_LOAD_FOUR] = "  unsigned first, second;\n"
                            "  asm volatile(\"ld.shared.v2.b32 {%0, %1}, [%2];\"\n"
                            "               : \"=r\"(first), \"=r\"(second)\n"
                            "               : \"r\"(addr)\n"
                            "               : \"memory\");\n"
                            "  x[0] = (unsigned short)first;\n"
                            "  x[1] = (unsigned short)(first >> 16);\n"
                            "  y[0] = (unsigned short)second;\n"
                            "  y[1] = (unsigned short)(second >> 16);\n",
    [GG_SHARED_STORE_PAIR] =
        "  const unsigned pair = x[0] | unsigned(x[1]) << 16;\n"
        "  asm volatile(\"st.shared.b32 [%0], %1;\" ::\"r\"(addr), \"r\"(pair) : \"memory\");\n",
    [GG_SHARED_LOAD_PAIR] =
        "  unsigned pair;\n"
        "  asm volatile(\"ld.shared.b32 %0, [%1];\" : \"=r\"(pair) : \"r\"(addr) : \"memory\");\n"
        "  x[0] = (unsigned short)pair;\n"
        "  x[1] = (unsigned short)(pair >> 16);\n",
    [GG_GLOBAL_LOAD_PAIR] = "  unsigned x = 0;\n"
                            "  asm volatile(\"{ .reg .pred exists; setp.ne.b32 exists, %2, 0; "
                            "@exists ld.global.b32 %0, [%1]; }\"\n"
                            "               : \"+r\"(x)\n"
                            "               : \"l\"(from), \"r\"(int(exists)));\n"
                            "  return {(unsigned short)x, (unsigned short)(x >> 16)};\n",
};

/* A type that holds elements. */
typedef struct row {
  const char *holder;
  int bytes; /* of a unit that has this type; 0: no unit has */
  const char *ptx, *constraint;
  const char *const *bodies; /* if they differ from those of functions[] */
} row;

static const row rows[] = {
    {"unsigned char", 1, NULL, NULL, byte_bodies},
    {"unsigned short", 2, "b16", "h", short_bodies},
    {"float", 0, "f32", "f", NULL},
    {"double", 0, "f64", "d", NULL},
    {"int", 4, "b32", "r", NULL},
    {"long long", 8, "b64", "l", NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

void gg_use_element(gg_element_uses *uses, gg_element_access access, gg_dtype type) {
  for (int i = 0; i < ROWS; i++) {
    if (strcmp(rows[i].holder, gg_cuda_type_of(type)) == 0) uses->types[access] |= 1u << i;
  }
}

void gg_use_unit(gg_element_uses *uses, gg_element_access access, int bytes) {
  for (int i = 0; i < ROWS; i++) {
    if (rows[i].bytes == bytes) uses->types[access] |= 1u << i;
  }
}

/* Appends `text` with its letters replaced for a type. */
static void write_text(gg_str *out, const char *text, const row *held) {
  for (; *text; text++) {
    if (*text == '$') {
      text++;
      gg_str_puts(out, *text == 'T' ? held->holder : *text == 'P' ? held->ptx : held->constraint);
    } else {
      gg_str_putc(out, *text);
    }
  }
}

static void write_function(gg_str *out, gg_element_access access, const row *held) {
  const function *f = &functions[access];
  const char *body = held->bodies ? held->bodies[access] : NULL;
  gg_str_puts(out, "__device__ __forceinline__ ");
  write_text(out, f->head, held);
  gg_str_puts(out, " {\n");
  write_text(out, body ? body : f->body, held);
  gg_str_puts(out, "}\n");
}

void gg_bind_elements(gg_bindings *out, const char *name, const gg_element_uses *uses) {
  gg_str text = GG_STR_INIT;
  for (int access = 0; access < GG_ELEMENT_ACCESSES; access++) {
    if (uses->types[access]) gg_str_printf(&text, "\n// %s\n", functions[access].remark);
    bool first = true;
    for (int i = 0; i < ROWS; i++) {
      if (!(uses->types[access] >> i & 1)) continue;
      if (!first) gg_str_putc(&text, '\n');
      write_function(&text, (gg_element_access)access, &rows[i]);
      first = false;
    }
  }
  gg_bind_str(out, name, &text);
}
