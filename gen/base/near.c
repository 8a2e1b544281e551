/* Edit distance, a row of the table at a time (Wagner and Fischer, 1974). */
#include "base/near.h"

#include <string.h>

int gg_edit_distance(const char *a, const char *b) {
  enum { longest = 95 };
  size_t rows = strlen(a), columns = strlen(b);
  int row[longest + 1];
  if (rows > longest || columns > longest) return longest + 1;
  for (size_t j = 0; j <= columns; j++)
    row[j] = (int)j;
  for (size_t i = 1; i <= rows; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= columns; j++) {
      int keep = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      int step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = keep < step ? keep : step;
    }
  }
  return row[columns];
}
