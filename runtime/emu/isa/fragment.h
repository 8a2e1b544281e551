/* Where the elements of matrices are among a warp's registers.
 *
 * One rule is valid for mma.sync of all types and shapes except m8n8k4 of f16, and for a warp's 16
 * rows of wgmma: lane 4 g + t has, of row g of 32-bit words, every fourth word from t on. (PTX ISA,
 * "Matrix Fragments for mma.m16n8k16" and its neighbours; "Register Fragments and Shared Memory
 * Matrix Layouts" of wgmma.) Codes are unpacked, so that each has a word. */
#ifndef GG_EMU_ISA_FRAGMENT_H
#define GG_EMU_ISA_FRAGMENT_H

#include "emu/machine.h"

/* A: codes[rows][k]; `rows` is 8 or 16, and k counts the elements that are stored. */
void emu_fragment_a(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int rows,
                    int k, int bits);
/* B of 8 columns: codes[k][8]. */
void emu_fragment_b(uint32_t *codes, const emu_warp *warp, const emu_operand *registers, int k,
                    int bits);
/* Accumulators of 16 or 32 bits: codes[rows][n], n a multiple of 8; `registers` are those of the
 * first column. */
void emu_fragment_load(uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                       int rows, int n, int bits);
void emu_fragment_store(const uint32_t *codes, const emu_warp *warp, const emu_operand *registers,
                        int rows, int n, int bits);

/* f64, which has a register for each element: A is [rows][k], B [k][8], accumulators [rows][8]. */
void emu_fragment_a64(double *values, const emu_warp *warp, const emu_operand *registers, int rows,
                      int k);
void emu_fragment_b64(double *values, const emu_warp *warp, const emu_operand *registers, int k);
void emu_fragment_load64(double *values, const emu_warp *warp, const emu_operand *registers,
                         int rows);
void emu_fragment_store64(const double *values, const emu_warp *warp, const emu_operand *registers,
                          int rows);

#endif
