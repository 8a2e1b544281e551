/* Links each instruction of the PTX to the atom, layout, map, ring or role that explains it. The
 * opcode decides the kind of thing; what the instruction is about (emit/subject.h) decides which
 * one. */
#include <stdio.h>
#include <string.h>

#include "page/parts.h"

/* The kind of thing that explains an instruction. For layouts and maps it is an operand's, for
 * rings a certain ring. */
typedef enum topic {
  TOPIC_ATOM,
  TOPIC_LAYOUT,
  TOPIC_STAGED, /* the layout of D's staging */
  TOPIC_MAP,
  TOPIC_RING,
  TOPIC_ANSWERS, /* the ring of the answers to a scheduler's requests */
  TOPIC_ROLES,
  TOPIC_TENSOR_MEMORY,
  TOPIC_COPIED,  /* copied to tensor memory; its descriptor */
  TOPIC_FRAGMENT /* the accumulator's fragment */
} topic;

static const struct {
  const char *opcode; /* how it begins; the first row that fits counts */
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
              {"clusterlaunchcontrol.", TOPIC_ANSWERS},
              {"barrier.", TOPIC_ROLES},
              {"bar.", TOPIC_ROLES}};
enum { topic_count = sizeof topics / sizeof *topics };

/* Whether the page has a picture of the operand. */
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

/* Links to a part that belongs to an operand. `operand` NULL: it is not known. */
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

/* Links to what tcgen05.cp copies to tensor memory. */
static void link_copied(char out[GG_PAGE_LINK], const gg_page *page, const char *operand) {
  bool metadata = operand && strcmp(operand, "metadata") == 0;
  if (metadata && page->layouts->metadata_descriptor)
    snprintf(out, GG_PAGE_LINK, "desc-metadata");
  else if (page->layouts->scale_descriptor)
    snprintf(out, GG_PAGE_LINK, "desc-scales");
  else
    snprintf(out, GG_PAGE_LINK, "tensor-memory");
}

/* What a line of the PTX is about: the first of its instructions of which something is known. */
static gg_subject subject_at(const gg_page *page, int line) {
  size_t low = 0, high = page->subject_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (page->subjects[middle].line < line)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < page->subject_count && page->subjects[low].line == line;
  return found ? page->subjects[low] : (gg_subject){.line = line};
}

bool gg_page_link(char out[GG_PAGE_LINK], const gg_page *page, const char *opcode, int line) {
  const gg_rings *rings = &page->layouts->rings;
  const gg_subject subject = subject_at(page, line);
  const gg_ring *ring = subject.ring;
  const char *operand = subject.operand;
  size_t i = 0;
  while (i < topic_count && strncmp(opcode, topics[i].opcode, strlen(topics[i].opcode)) != 0)
    i++;
  if (i == topic_count) return false;
  switch (topics[i].of) {
  case TOPIC_ATOM:
    snprintf(out, GG_PAGE_LINK, "atom");
    break;
  case TOPIC_ANSWERS:
    ring = gg_rings_find(rings, GG_RING_ANSWERS);
    /* fallthrough */
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
