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
} ring_words[] = {{"sums", GG_RING_ACCUMULATORS}, {"vectors", GG_RING_VECTORS},
                  {"answer", GG_RING_ANSWERS},    {"raw", GG_RING_RAW},
                  {"subtile", GG_RING_SUBTILES},  {"matrices", GG_RING_SUBTILES},
                  {"full", GG_RING_STAGES},       {"empty", GG_RING_STAGES}};
enum { ring_word_count = sizeof ring_words / sizeof *ring_words };

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

static const gg_ring *ring_of(const gg_rings *rings, const gg_page_line *line) {
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

/* 'a', 'b', 'c' or 'd' of a name such as sA, map_b, operand_a, D; 0: of none. */
static char operand_of(const char *name, size_t length) {
  char last = name[length - 1], before = length > 1 ? name[length - 2] : '_';
  if (last >= 'A' && last <= 'D' && (length == 1 || islower((unsigned char)before)))
    return (char)tolower((unsigned char)last);
  return last >= 'a' && last <= 'd' && before == '_' ? last : 0;
}

static char operand_in(const gg_page_line *line) {
  const char *at = line->text, *end = at + line->length, *name;
  for (size_t length; (length = next_name(&name, &at, end));) {
    char operand = operand_of(name, length);
    if (operand) return operand;
  }
  return 0;
}

/* ---- Links ------------------------------------------------------------------------------ */

/* Whether the operand has a picture. */
static bool is_drawn(const gg_page *page, char operand) {
  const gg_layouts *l = page->layouts;
  const gg_layout *layout = operand == 'a'   ? &l->sA.layout
                            : operand == 'b' ? &l->sB.layout
                                             : &l->sD.layout;
  return operand && operand != 'c' && gg_layout_rank(layout) == 2 && gg_layout_size(layout) > 1;
}

static bool has_map(const gg_page *page, char operand) {
  for (size_t i = 0; i < page->layouts->map_count; i++) {
    if (gg_page_map_letter(&page->layouts->maps[i]) == operand) return true;
  }
  return false;
}

static void link_operand(char out[GG_PAGE_LINK], const gg_page *page, topic of, char operand) {
  if (of == TOPIC_STAGED) operand = 'd';
  if (of == TOPIC_MAP)
    snprintf(out, GG_PAGE_LINK, has_map(page, operand) ? "map-%c" : "descriptors", operand);
  else
    snprintf(out, GG_PAGE_LINK, is_drawn(page, operand) ? "view-%c" : "layouts", operand);
}

bool gg_page_link(char out[GG_PAGE_LINK], const gg_page *page, const char *opcode,
                  const gg_page_line *from, size_t count) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_ring *ring = NULL;
  char operand = 0;
  size_t i = 0;
  while (i < topic_count && strncmp(opcode, topics[i].opcode, strlen(topics[i].opcode)) != 0)
    i++;
  if (i == topic_count) return false;
  for (size_t k = 0; k < count && !ring; k++)
    ring = ring_of(rings, &from[k]);
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
  case TOPIC_FRAGMENT:
    snprintf(out, GG_PAGE_LINK, gg_layout_rank(&page->layouts->tCrC) == 2 ? "view-c" : "layouts");
    break;
  default:
    link_operand(out, page, topics[i].of, operand);
  }
  return true;
}
