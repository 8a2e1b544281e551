/* Protocols between threads that share memory, and a walk over the orders in which they may run.
 *
 * A protocol is a set of agents, each with a straight program of steps over barriers and cells. An
 * agent is a thread or a warp; a barrier is an mbarrier: a phase ends with so many arrivals and
 * when all bytes that were announced have come; a cell is a piece of shared memory that copies
 * fill and readers empty, over and over. Copies and arrivals take their time: they land in any
 * order, as late as nothing else can happen. (PTX ISA, "Parallel Synchronization and Communication
 * Instructions: mbarrier".)
 *
 * A walk runs one agent's step or lands one thing at a time. It fails where a copy overwrites what
 * has not been read, a reader does not find what it came for, a wait looks at the wrong phase of
 * its barrier, something lands in a CTA that has ended, or nobody can go on. */
#ifndef TESTS_PROTOCOL_H
#define TESTS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum step_kind {
  STEP_WAIT,   /* until phase `value` of the barrier has ended, looking at its parity alone */
  STEP_EXPECT, /* arrives at the barrier, announcing `value` copies */
  STEP_COPY,   /* begins to copy tile `value` into a cell; the barrier hears when it has come */
  STEP_READ,   /* begins to read tile `value` in a cell */
  STEP_DONE,   /* has read it */
  STEP_ARRIVE, /* begins an arrival at a barrier */
} step_kind;

typedef struct step {
  step_kind kind;
  int barrier, cell, value;
} step;

typedef struct agent {
  const char *role; /* "producer" */
  int cta;
  step *program;
  int length;
} agent;

typedef struct barrier {
  const char *name; /* "full" */
  int cta, stage;
  int arrivals; /* of a phase */
} barrier;

typedef struct cell {
  const char *name; /* "A" */
  int cta, stage;
  int readers; /* agents that read each tile */
} cell;

typedef struct protocol {
  agent *agents;
  barrier *barriers;
  cell *cells;
  int agent_count, barrier_count, cell_count, cta_count;
} protocol;

/* Builds one: each returns the index of what it adds. Memory that runs out ends the program. */
int protocol_agent(protocol *p, const char *role, int cta);
int protocol_barrier(protocol *p, const char *name, int cta, int stage, int arrivals);
int protocol_cell(protocol *p, const char *name, int cta, int stage, int readers);
void protocol_step(protocol *p, int agent, step s);
void protocol_free(protocol *p);

enum { PROTOCOL_WHAT_MAX = 256 };

/* One walk in an order that `seed` decides. True where it reached the end; else `what` says what
 * went wrong. */
bool protocol_walk(const protocol *p, uint64_t seed, char what[PROTOCOL_WHAT_MAX]);

/* All orders that may come to something else, each state once: true where none fails. Stops at the
 * first that does, or, with `what` saying so, behind `most` states. */
bool protocol_explore(const protocol *p, size_t most, size_t *states, char what[PROTOCOL_WHAT_MAX]);

#endif
