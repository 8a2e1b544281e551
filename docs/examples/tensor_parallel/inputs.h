/* X and W: numbers that every rank knows, and how what is computed of them is judged. */
#ifndef INPUTS_H
#define INPUTS_H

#include "device.h"

typedef enum input { INPUT_X = 1, INPUT_W = 2 } input;

/* Element (row, column) of all of X or W: of random sign, mantissa and one of four exponents, of a
 * magnitude from 1/16 to 1. */
float input_at(input of, int64_t row, int64_t column);

/* Writes a rectangle of X or W, row-major and dense, to the device. */
void inputs_write(device *device, uint64_t to, input of, int64_t first_row, int64_t rows,
                  int64_t first_column, int64_t columns);

#endif
