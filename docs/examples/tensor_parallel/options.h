/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "layer.h"

enum { LIST_MOST = 8 };

typedef struct list {
  int values[LIST_MOST];
  int count;
} list;

typedef struct options {
  int spawn;            /* processes; 0: a launcher has started them */
  int device;           /* ordinal; -1: the local rank */
  int over_host;        /* in place of NCCL */
  const char *nccl;     /* path; NULL: where the loader finds it */
  const char *cublaslt; /* likewise; "none": nothing to compare with */
  list chunks, ctas;    /* that are tried */
  list pieces;          /* of plans by windows, that are tried; 0: none */
  int rounds, iterations;
  int verify_only;
  const char *tsv;
  char **shapes;
  int shape_count;
} options;

/* Says what is wrong with the command line, and ends the process with status 2. */
void options_read(options *out, int argc, char **argv);

/* "gather:8192x57344x8192": M, N and K of all ranks together. */
void shape_read(shape *out, const char *text);

#endif
