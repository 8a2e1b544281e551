#include "annotate/about.h"

#include <string.h>

/* ---- The kernel ------------------------------------------------------------------------- */

static bool is_map(gg_param param) {
  return param.kind == GG_PARAM_MAP || param.kind == GG_PARAM_MAP_END;
}

static bool is_address(gg_param param) {
  return param.kind == GG_PARAM_ADDRESS || param.kind == GG_PARAM_WORKSPACE ||
         param.kind == GG_PARAM_SUM_PARTS || param.kind == GG_PARAM_MAP_SETS;
}

static void read_params(kernel_ptx *out, const gg_plan *plan, const gg_layouts *layouts) {
  out->param_count = gg_kernel_params(out->params, plan, layouts);
  for (size_t i = 0; i < GG_PARAMS_MAX; i++) {
    const gg_param *param = &out->params[i];
    out->same_as[i] = (uint8_t)i;
    if (i >= out->param_count) continue;
    out->is_pointer[i] = is_address(*param);
    for (size_t j = i; is_map(*param) && j-- > 0;) {
      bool same = is_map(out->params[j]) && out->params[j].operand == param->operand &&
                  out->params[j].operation == param->operation;
      if (same) out->same_as[i] = (uint8_t)j;
    }
  }
}

static int deepest_ring(const gg_rings *rings) {
  int most = 0;
  for (size_t i = 0; i < rings->count; i++) {
    int stages = rings->list[i].depth * rings->list[i].instances;
    if (stages > most) most = stages;
  }
  return most;
}

gg_status kernel_ptx_open(kernel_ptx *out, const gg_plan *plan, const gg_layouts *layouts,
                          const char *text, size_t length, gg_error *err) {
  *out = (kernel_ptx){.plan = plan, .memory.layouts = layouts};
  const gg_rings *rings = &layouts->rings;
  out->memory.row_count = gg_operand_rows(out->memory.rows, plan, layouts);
  read_params(out, plan, layouts);
  out->facts = (flow_facts){
      .threads = plan->threads,
      .cluster = gg_plan_cluster_size(plan),
      .stages = deepest_ring(rings),
      .shared_bytes = rings->bytes,
      .tensor_memory_at = gg_plan_in_tensor_memory(plan) ? rings->word_begin : -1,
      .parameter = out->same_as,
      .is_pointer = out->is_pointer,
  };
  gg_status st = ptx_parse(&out->module, text, length, plan->name, err);
  if (st) return st;
  out->function = ptx_find_function(out->module, plan->name);
  return out->function ? flow_make(&out->flow, out->function, &out->facts, err) : GG_OK;
}

void kernel_ptx_close(kernel_ptx *ptx) {
  flow_free(ptx->flow);
  ptx_free(ptx->module);
}

const char *about_operand_word(const kernel_ptx *ptx, int parameter) {
  if (parameter < 0) return NULL;
  gg_operand_id id = ptx->params[parameter].operand;
  if (id == GG_OPERAND_NONE) return NULL;
  return id == GG_OPERAND_EXTRA ? "extra" : gg_operand_word(id);
}

/* ---- An instruction --------------------------------------------------------------------- */

/* The one parameter that all of the value are behind, or from; -1: there is none. */
static int parameter_of(const flow_value *value, flow_base base) {
  if (!value || value->count == 0) return -1;
  for (uint32_t i = 0; i < value->count; i++) {
    if (value->list[i].base != base || value->list[i].of != value->list[0].of) return -1;
    if (base == FLOW_PARAMETER && value->list[i].at != 0) return -1;
  }
  return value->list[0].of;
}

static void add_address(about *out, kernel_ptx *ptx, const ptx_operand *operand) {
  const flow_value *value = flow_operand(ptx->flow, operand);
  operand_place found = {.operand = operand, .value = value};
  int map = parameter_of(value, FLOW_PARAMETER), pointer = parameter_of(value, FLOW_POINTER);
  if (map >= 0 && operand->element_count && is_map(ptx->params[map])) {
    out->map = map;
    out->map_operand = operand;
  } else if (pointer >= 0) {
    out->pointer = pointer;
    out->pointer_operand = operand;
  } else if (place_of(&found.at, &ptx->memory, value)) {
    operand_place *to = found.at.barriers ? &out->barrier : &out->memory;
    if (!to->operand) *to = found;
  } else if (place_is_accumulators(&ptx->memory, value)) {
    out->accumulators = operand;
  }
}

static bool has_descriptors(const ptx_instruction *i) {
  return strcmp(i->form->opcode, "wgmma") == 0 || strcmp(i->form->opcode, "tcgen05") == 0;
}

static void add_register(about *out, kernel_ptx *ptx, const ptx_operand *operand) {
  operand_place found = {.operand = operand, .value = flow_operand(ptx->flow, operand)};
  if (out->descriptor_count == 2 || !place_of(&found.at, &ptx->memory, found.value)) return;
  if (found.value->list[0].base == FLOW_UNITS) out->descriptors[out->descriptor_count++] = found;
}

/* The ring in whose stages the parameter's operand lies; NULL: none. */
static const gg_ring *ring_of(const kernel_ptx *ptx, int parameter) {
  for (size_t i = 0; i < ptx->memory.row_count && parameter >= 0; i++) {
    const gg_operand_row *row = &ptx->memory.rows[i];
    const gg_param *param = &ptx->params[parameter];
    bool extra = row->id == GG_OPERAND_EXTRA;
    if (row->id == param->operand && (!extra || row->operation == param->operation))
      return row->ring;
  }
  return NULL;
}

/* Of a copy between global and shared memory whose operand is known, so is the ring, also where
 * several have one place. */
static void find_by_operand(about *out, kernel_ptx *ptx) {
  const ptx_instruction *i = out->instruction;
  bool copies = strcmp(i->form->opcode, "cp") == 0 && i->operand_count >= 2;
  const gg_ring *ring = ring_of(ptx, out->map >= 0 ? out->map : out->pointer);
  for (uint32_t k = 0; k < 2 && copies && ring && !out->memory.operand; k++) {
    const ptx_operand *operand = &i->operands[k];
    if (operand == out->map_operand || operand == out->pointer_operand) continue;
    if (operand->kind != PTX_ADDRESS) continue;
    operand_place found = {.operand = operand, .value = flow_operand(ptx->flow, operand)};
    bool known = place_in(&found.at, &ptx->memory, found.value, ring);
    if (known && !found.at.barriers) out->memory = found;
  }
}

void about_instruction(about *out, kernel_ptx *ptx, const ptx_instruction *instruction) {
  *out = (about){.instruction = instruction, .map = -1, .pointer = -1};
  for (uint32_t i = 0; i < instruction->operand_count; i++) {
    const ptx_operand *operand = &instruction->operands[i];
    if (operand->kind == PTX_ADDRESS) add_address(out, ptx, operand);
    if (operand->kind == PTX_REGISTER && has_descriptors(instruction))
      add_register(out, ptx, operand);
  }
  find_by_operand(out, ptx);
}
