/* Where an instruction of PTX leads: to the atom, layout, map, ring or role that explains it.
 *
 * PTX tells of an instruction which line of the text it comes from and, where that function was
 * inlined, which lines called it. An opcode says what kind of thing explains it; which one, the
 * names in those lines say, the nearest first: `tma_load(sA, map_a, full, ...)` is of A and of the
 * ring of stages. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "page/parts.h"

/* What explains an instruction; of layouts and maps an operand's, of rings one. */
typedef enum topic {
  TOPIC_ATOM,
  TOPIC_LAYOUT,
  TOPIC_STAGED, /* the layout of D's staging */
  TOPIC_MAP,
  TOPIC_RING,
  TOPIC_ROLES,
  TOPIC_TENSOR_MEMORY,
  TOPIC_COPIED,  /* to tensor memory, by a descriptor */
  TOPIC_FRAGMENT /* of the accumulator */
} topic;

static const struct {
  const char *opcode; /* how it begins: the first that fits */
  topic of;
} topics[] = {{"mbarrier.", TOPIC_RING},
              {"cp.async.bulk.tensor", TOPIC_MAP},
              {"cp.async.bulk", TOPIC_STAGED},
              {"cp.async.mbarrier", TOPIC_RING},
              {"cp.async", TOPIC_LAYOUT},
              {"cp.reduce", TOPIC_MAP},
              {"wgmma.", TOPIC_ATOM},
              {"mma.", TOPIC_ATOM},
              {"tcgen05.mma", TOPIC_ATOM},
              {"tcgen05.commit", TOPIC_RING},
              {"tcgen05.ld", TOPIC_FRAGMENT},
              {"tcgen05.cp", TOPIC_COPIED},
              {"tcgen05.", TOPIC_TENSOR_MEMORY},
              {"ldmatrix.", TOPIC_LAYOUT},
              {"stmatrix.", TOPIC_STAGED},
              {"clusterlaunchcontrol.", TOPIC_RING},
              {"barrier.", TOPIC_ROLES},
              {"bar.", TOPIC_ROLES}};
enum { topic_count = sizeof topics / sizeof *topics };

/* What barriers of a ring are called in texts: the first word that a name has. */
static const struct {
  const char *word;
  gg_ring_id ring;
} ring_words[] = {{"sums", GG_RING_ACCUMULATORS},   {"vectors", GG_RING_VECTORS},
                  {"answer", GG_RING_ANSWERS},      {"raw", GG_RING_RAW},
                  {"subtile", GG_RING_SUBTILES},    {"matrices", GG_RING_SUBTILES},
                  {"full_barrier", GG_RING_STAGES}, {"empty_barrier", GG_RING_STAGES}};
enum { ring_word_count = sizeof ring_words / sizeof *ring_words, lines_above = 16 };

/* ---- Names in lines --------------------------------------------------------------------- */

/* The next name at `*at`, which goes on behind it; 0 at the end of the line. */
static size_t next_name(const char **name, const char **at, const char *end) {
  const char *p = *at;
  while (p < end && !isalpha((unsigned char)*p) && *p != '_')
    p++;
  *name = p;
  while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
    p++;
  *at = p;
  return (size_t)(p - *name);
}

static bool has_word(const char *name, size_t length, const char *word) {
  size_t wanted = strlen(word);
  for (size_t i = 0; i + wanted <= length; i++) {
    if (strncmp(name + i, word, wanted) == 0) return true;
  }
  return false;
}

static const gg_ring *ring_in(const gg_rings *rings, const gg_page_line *line) {
  const char *at = line->text, *end = at + line->length, *name;
  for (size_t length; (length = next_name(&name, &at, end));) {
    for (size_t i = 0; i < ring_word_count; i++) {
      if (!has_word(name, length, ring_words[i].word)) continue;
      const gg_ring *ring = gg_rings_find(rings, ring_words[i].ring);
      if (ring) return ring;
    }
  }
  return NULL;
}

/* Whether the line gives a variable `full` or `empty` that another line uses its value. */
static bool defines(const gg_page_line *line, const gg_page_line *use) {
  static const char *const variables[] = {"full", "empty"};
  for (int i = 0; i < 2; i++) {
    char given[16];
    snprintf(given, sizeof given, "%s = ", variables[i]);
    if (has_word(line->text, line->length, given) && has_word(use->text, use->length, variables[i]))
      return true;
  }
  return false;
}

/* The ring of a line's names, or of what a variable in it was given some lines above. */
static const gg_ring *ring_of(const gg_page *page, const gg_page_line *line) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *ring = ring_in(rings, line);
  gg_page_line above = *line;
  for (int i = 0; i < lines_above && !ring && above.text > page->cuda + 1; i++) {
    const char *end = above.text - 1;
    above.text = end;
    while (above.text > page->cuda && above.text[-1] != '\n')
      above.text--;
    above.length = (size_t)(end - above.text);
    if (defines(&above, line)) ring = ring_in(rings, &above);
  }
  return ring;
}

/* The operand of a name such as sA, map_b, operand_a, map_scale_a: as gg_operand_word calls it;
 * NULL: of none. */
static const char *operand_of(const char *name, size_t length) {
  static const char *const plain[] = {"a", "b", "c", "d"}, *const scales[] = {"scale_a", "scale_b"};
  char last = name[length - 1], before = length > 1 ? name[length - 2] : '_';
  int which = -1;
  if (has_word(name, length, "metadata")) return "metadata";
  if (last >= 'A' && last <= 'D' && (length == 1 || islower((unsigned char)before)))
    which = last - 'A';
  if (last >= 'a' && last <= 'd' && before == '_') which = last - 'a';
  if (which < 0) return NULL;
  return which < 2 && has_word(name, length, "scale") ? scales[which] : plain[which];
}

static const char *operand_in(const gg_page_line *line) {
  const char *at = line->text, *end = at + line->length, *name;
  for (size_t length; (length = next_name(&name, &at, end));) {
    const char *operand = operand_of(name, length);
    if (operand) return operand;
  }
  return NULL;
}

/* ---- Links ------------------------------------------------------------------------------ */

/* Whether the operand has a picture. */
static bool is_drawn(const gg_page *page, const char *operand) {
  const gg_layouts *l = page->layouts;
  const gg_layout *layout = strcmp(operand, "a") == 0   ? &l->sA.layout
                            : strcmp(operand, "b") == 0 ? &l->sB.layout
                            : strcmp(operand, "d") == 0 ? &l->sD.layout
                                                        : NULL;
  return layout && gg_layout_rank(layout) == 2 && gg_layout_size(layout) > 1;
}

static bool has_map(const gg_page *page, const char *operand) {
  for (size_t i = 0; i < page->layouts->map_count; i++) {
    if (strcmp(gg_page_map_word(&page->layouts->maps[i]), operand) == 0) return true;
  }
  return false;
}

/* `operand` NULL: it is not known. */
static void link_operand(char out[GG_PAGE_LINK], const gg_page *page, topic of,
                         const char *operand) {
  if (of == TOPIC_STAGED) operand = "d";
  if (of == TOPIC_MAP && operand && has_map(page, operand))
    snprintf(out, GG_PAGE_LINK, "map-%s", operand);
  else if (of == TOPIC_MAP)
    snprintf(out, GG_PAGE_LINK, "descriptors");
  else if (operand && is_drawn(page, operand))
    snprintf(out, GG_PAGE_LINK, "view-%s", operand);
  else
    snprintf(out, GG_PAGE_LINK, "layouts");
}

/* What tcgen05.cp copies to tensor memory. */
static void link_copied(char out[GG_PAGE_LINK], const gg_page *page, const char *operand) {
  bool metadata = operand && strcmp(operand, "metadata") == 0;
  if (metadata && page->layouts->metadata_descriptor)
    snprintf(out, GG_PAGE_LINK, "desc-metadata");
  else if (page->layouts->scale_descriptor)
    snprintf(out, GG_PAGE_LINK, "desc-scales");
  else
    snprintf(out, GG_PAGE_LINK, "tensor-memory");
}

bool gg_page_link(char out[GG_PAGE_LINK], const gg_page *page, const char *opcode,
                  const gg_page_line *from, size_t count) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *ring = NULL;
  const char *operand = NULL;
  size_t i = 0;
  while (i < topic_count && strncmp(opcode, topics[i].opcode, strlen(topics[i].opcode)) != 0)
    i++;
  if (i == topic_count) return false;
  for (size_t k = 0; k < count && !ring; k++)
    ring = ring_of(page, &from[k]);
  for (size_t k = 0; k < count && !operand; k++)
    operand = operand_in(&from[k]);
  switch (topics[i].of) {
  case TOPIC_ATOM:
    snprintf(out, GG_PAGE_LINK, "atom");
    break;
  case TOPIC_RING:
    if (ring)
      snprintf(out, GG_PAGE_LINK, "ring-%d", (int)ring->id);
    else
      snprintf(out, GG_PAGE_LINK, "memory");
    break;
  case TOPIC_ROLES:
    snprintf(out, GG_PAGE_LINK, rings->role_count ? "roles" : "way");
    break;
  case TOPIC_TENSOR_MEMORY:
    snprintf(out, GG_PAGE_LINK, "tensor-memory");
    break;
  case TOPIC_COPIED:
    link_copied(out, page, operand);
    break;
  case TOPIC_FRAGMENT:
    snprintf(out, GG_PAGE_LINK, gg_layout_rank(&page->layouts->tCrC) == 2 ? "view-c" : "layouts");
    break;
  default:
    link_operand(out, page, topics[i].of, operand);
  }
  return true;
}
