/* What the rows of a table become. It is included twice, each time before the table: the first time
 * rows become functions, the second time forms. If a table's rows use other macros, it must define
 * them twice, too. */
#ifndef ROW1
#define ROW1(name, opcode, types, types2, needs, allows, operands, D, A, value)                    \
  EMU_LANES_1(name, D, A, value)
#define ROW2(name, opcode, types, types2, needs, allows, operands, D, A, B, value)                 \
  EMU_LANES_2(name, D, A, B, value)
#define ROW3(name, opcode, types, types2, needs, allows, operands, D, A, B, C, value)              \
  EMU_LANES_3(name, D, A, B, C, value)
#define ROW4(name, opcode, types, types2, needs, allows, operands, D, A, B, C, E, value)           \
  EMU_LANES_4(name, D, A, B, C, E, value)
#else
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW4
#define ROW1(name, opcode, types, types2, needs, allows, operands, ...)                            \
  EMU_FORM_OF(name, opcode, types, types2, needs, allows, operands)
#define ROW2 ROW1
#define ROW3 ROW1
#define ROW4 ROW1
#endif
