/* Elements of shared memory as CUDA C++. The pass that specialises text knows no types, so that it
 * keeps or drops the functions of one name together: which of them a kernel calls is said here. */
#include "emit/shared_text.h"

#include <string.h>

#include "emit/cuda_text.h"

/* What an element is held in, and the bodies of its functions: x is the element, or two of them. */
typedef struct row {
  const char *holder;
  int bytes; /* of a unit that has this type; 0: none has */
  const char *bodies[GG_SHARED_ACCESSES];
} row;

static const row rows[] = {
    {"unsigned char",
     1,
     {"  const unsigned short pair = (unsigned short)(x[0] | x[1] << 8);\n"
      "  asm volatile(\"st.shared.b16 [%0], %1;\" ::\"r\"(addr), \"h\"(pair) : \"memory\");\n",
      "  asm volatile(\"st.shared.u8 [%0], %1;\" ::\"r\"(addr), \"h\"((unsigned short)x) : "
      "\"memory\");\n",
      "  unsigned short wide;\n"
      "  asm volatile(\"ld.shared.u8 %0, [%1];\" : \"=h\"(wide) : \"r\"(addr) : \"memory\");\n"
      "  x = (unsigned char)wide;\n",
      "  unsigned short pair;\n"
      "  asm volatile(\"ld.shared.b16 %0, [%1];\" : \"=h\"(pair) : \"r\"(addr) : \"memory\");\n"
      "  x[0] = (unsigned char)pair;\n"
      "  x[1] = (unsigned char)(pair >> 8);\n"}},
    {"unsigned short",
     2,
     {"  const unsigned pair = x[0] | unsigned(x[1]) << 16;\n"
      "  asm volatile(\"st.shared.b32 [%0], %1;\" ::\"r\"(addr), \"r\"(pair) : \"memory\");\n",
      "  asm volatile(\"st.shared.b16 [%0], %1;\" ::\"r\"(addr), \"h\"(x) : \"memory\");\n",
      "  asm volatile(\"ld.shared.b16 %0, [%1];\" : \"=h\"(x) : \"r\"(addr) : \"memory\");\n",
      "  unsigned pair;\n"
      "  asm volatile(\"ld.shared.b32 %0, [%1];\" : \"=r\"(pair) : \"r\"(addr) : \"memory\");\n"
      "  x[0] = (unsigned short)pair;\n"
      "  x[1] = (unsigned short)(pair >> 16);\n"}},
    {"float",
     0,
     {"  asm volatile(\"st.shared.v2.f32 [%0], {%1, %2};\" ::\"r\"(addr), \"f\"(x[0]), "
      "\"f\"(x[1]) : \"memory\");\n",
      "  asm volatile(\"st.shared.f32 [%0], %1;\" ::\"r\"(addr), \"f\"(x) : \"memory\");\n",
      "  asm volatile(\"ld.shared.f32 %0, [%1];\" : \"=f\"(x) : \"r\"(addr) : \"memory\");\n",
      "  asm volatile(\"ld.shared.v2.f32 {%0, %1}, [%2];\"\n"
      "               : \"=f\"(x[0]), \"=f\"(x[1])\n"
      "               : \"r\"(addr)\n"
      "               : \"memory\");\n"}},
    {"int",
     4,
     {"  asm volatile(\"st.shared.v2.b32 [%0], {%1, %2};\" ::\"r\"(addr), \"r\"(x[0]), "
      "\"r\"(x[1]) : \"memory\");\n",
      "  asm volatile(\"st.shared.b32 [%0], %1;\" ::\"r\"(addr), \"r\"(x) : \"memory\");\n",
      "  asm volatile(\"ld.shared.b32 %0, [%1];\" : \"=r\"(x) : \"r\"(addr) : \"memory\");\n",
      "  asm volatile(\"ld.shared.v2.b32 {%0, %1}, [%2];\"\n"
      "               : \"=r\"(x[0]), \"=r\"(x[1])\n"
      "               : \"r\"(addr)\n"
      "               : \"memory\");\n"}},
    {"long long",
     8,
     {[GG_SHARED_LOAD] =
          "  asm volatile(\"ld.shared.b64 %0, [%1];\" : \"=l\"(x) : \"r\"(addr) : \"memory\");\n"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What is said of a function, and its head but for the type. */
static const struct {
  const char *remark, *head[2];
} functions[] = {
    [GG_SHARED_STORE_PAIR] = {"Two neighbouring elements to shared memory, aligned to both.",
                              {"st_shared_pair(unsigned addr, const ", " (&x)[2])"}},
    [GG_SHARED_STORE] = {"An element to shared memory.", {"st_shared(unsigned addr, ", " x)"}},
    [GG_SHARED_LOAD] = {"An element from shared memory.", {"ld_shared(", " &x, unsigned addr)"}},
    [GG_SHARED_LOAD_PAIR] = {"Two neighbouring elements from shared memory, aligned to both.",
                             {"ld_shared_pair(", " (&x)[2], unsigned addr)"}},
};

void gg_use_shared(gg_shared_uses *uses, gg_shared_access access, gg_dtype type) {
  for (int i = 0; i < ROWS; i++) {
    if (strcmp(rows[i].holder, gg_cuda_type_of(type)) == 0) uses->types[access] |= 1u << i;
  }
}

void gg_use_shared_unit(gg_shared_uses *uses, gg_shared_access access, int bytes) {
  for (int i = 0; i < ROWS; i++) {
    if (rows[i].bytes == bytes) uses->types[access] |= 1u << i;
  }
}

void gg_bind_shared(gg_bindings *out, const gg_shared_uses *uses) {
  gg_str text = GG_STR_INIT;
  for (int access = 0; access < GG_SHARED_ACCESSES; access++) {
    if (uses->types[access]) gg_str_printf(&text, "\n// %s\n", functions[access].remark);
    bool first = true;
    for (int i = 0; i < ROWS; i++) {
      if (!(uses->types[access] >> i & 1)) continue;
      gg_str_printf(&text, "%s__device__ __forceinline__ void %s%s%s {\n%s}\n", first ? "" : "\n",
                    functions[access].head[0], rows[i].holder, functions[access].head[1],
                    rows[i].bodies[access]);
      first = false;
    }
  }
  gg_bind_str(out, "shared_elements", &text);
}
