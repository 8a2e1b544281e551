/* Which faults end a launch: classes of faults and their severities (faults.def). */
#ifndef GG_EMU_SEVERITY_H
#define GG_EMU_SEVERITY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum emu_severity {
  EMU_SEVERITY_USUAL, /* what faults.def says */
  EMU_SEVERITY_OFF,   /* the kernel goes on */
  EMU_SEVERITY_WARN,  /* it goes on, and there is a warning */
  EMU_SEVERITY_FAULT, /* the launch ends */
} emu_severity;

typedef enum emu_fault_class {
#define EMU_CLASS(name, word, severity) EMU_CLASS_##name,
#include "emu/faults.def"
  EMU_CLASS_COUNT,
  EMU_CLASS_ALWAYS = EMU_CLASS_COUNT, /* of faults that always end the launch */
} emu_fault_class;

/* The severity of each class. Zeroed: all as usual. */
typedef struct emu_severities {
  emu_severity of[EMU_CLASS_COUNT];
} emu_severities;

/* The class of a fault; EMU_CLASS_ALWAYS also for any other code. */
emu_fault_class emu_fault_class_of(gg_status code);

/* Words: "race", "in-flight"; "off", "warn", "fault". */
const char *emu_fault_class_word(emu_fault_class class);

/* One severity for all classes. */
emu_severities emu_severities_all(emu_severity severity);
/* Replaces EMU_SEVERITY_USUAL by what faults.def says. */
void emu_severities_settle(emu_severities *severities);
/* Whether all classes are off. */
bool emu_severities_off(const emu_severities *severities);

/* Reads "race=warn,exit=off", or a severity alone, which is for all classes. The last word about a
 * class counts; classes that are not named stay as they are. On failure `why` has the reason. */
bool emu_severities_read(emu_severities *out, const char *text, char *why, size_t why_size);

#endif
