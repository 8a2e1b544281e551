#include "annotate/sources.h"

#include <string.h>

enum { callers_most = 64 };

/* ---- The text --------------------------------------------------------------------------- */

/* "// ---- Title ------": the title; NULL: the line is none. */
static const char *title_of(const char *line, size_t length, size_t *title_length) {
  static const char begin[] = "// ---- ";
  size_t skipped = sizeof begin - 1;
  if (length <= skipped || memcmp(line, begin, skipped) != 0) return NULL;
  while (length > skipped && (line[length - 1] == '-' || line[length - 1] == ' '))
    length--;
  *title_length = length - skipped;
  return line + skipped;
}

static int count_lines(const char *text) {
  int count = 0;
  for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
    count++;
  return count;
}

static bool read_text(sources *out, gg_arena *arena, const char *cuda) {
  static const char wrappers[] = "Instructions";
  int count = count_lines(cuda);
  source_line *lines = GG_ARENA_ARRAY(arena, source_line, (size_t)count + 1);
  source_section *sections = GG_ARENA_ARRAY(arena, source_section, (size_t)count + 1);
  if (!lines || !sections) return false;
  for (int i = 1; i <= count; i++) {
    size_t length = strcspn(cuda, "\n"), title_length, blank = strspn(cuda, " \t");
    const char *title = title_of(cuda, length, &title_length);
    if (title)
      sections[++out->section_count] =
          (source_section){title, title_length, strncmp(title, wrappers, sizeof wrappers - 1) == 0};
    if (blank > length) blank = length;
    lines[i] = (source_line){cuda + blank, length - blank, out->section_count};
    cuda += length + (cuda[length] == '\n');
  }
  out->lines = lines;
  out->line_count = count;
  out->sections = sections;
  return true;
}

/* Whether both have the same instructions. */
static bool agree(const ptx_function *a, const ptx_function *b) {
  if (!a || a->instruction_count != b->instruction_count) return false;
  for (uint32_t i = 0; i < a->instruction_count; i++) {
    if (strcmp(a->instructions[i].form->text, b->instructions[i].form->text) != 0) return false;
  }
  return true;
}

bool sources_read(sources *out, gg_arena *arena, const char *cuda, const ptx_function *lined,
                  const ptx_function *plain) {
  *out = (sources){.lined = agree(lined, plain) ? lined : NULL};
  return read_text(out, arena, cuda);
}

/* ---- Lines ------------------------------------------------------------------------------ */

/* The line of a place in this text, not in a header of the compiler's; 0: it is none. */
static int line_at(const sources *of, const ptx_loc *loc, uint32_t file) {
  bool there = loc->file == file && loc->line >= 1 && loc->line <= (uint32_t)of->line_count;
  return there ? (int)loc->line : 0;
}

static bool wraps(const sources *of, int line) {
  return of->lines[line].section && of->sections[of->lines[line].section].wraps;
}

/* From the line itself to the kernel's, which calls all others; gives how many. */
static int callers_of(int out[callers_most], const sources *of, uint32_t instruction) {
  const ptx_loc *loc = of->lined ? of->lined->instructions[instruction].loc : NULL;
  const ptx_loc *last = loc;
  int count = 0;
  while (last && last->inlined_at)
    last = last->inlined_at;
  for (; loc && count < callers_most; loc = loc->inlined_at) {
    int line = line_at(of, loc, last->file);
    if (line) out[count++] = line;
  }
  return count;
}

int sources_line(const sources *of, uint32_t instruction) {
  int lines[callers_most], count = callers_of(lines, of, instruction);
  for (int i = 0; i < count; i++) {
    if (!wraps(of, lines[i])) return lines[i];
  }
  return 0;
}

int sources_section(const sources *of, uint32_t instruction) {
  int lines[callers_most], count = callers_of(lines, of, instruction);
  if (count > 1 && !wraps(of, lines[count - 2])) return of->lines[lines[count - 2]].section;
  return count ? of->lines[lines[count - 1]].section : 0;
}
