/* Fuzz target: any bytes as PTX end in a tree whose parts refer to what is there, or in one error
 * that can be printed. */
#include <stdint.h>
#include <stdlib.h>

#include "emu/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds) abort();
}

static void check_operands(const ptx_function *f, const ptx_operand *operands, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const ptx_operand *o = &operands[i];
    unsigned kind = o->kind == PTX_ADDRESS ? o->base : o->kind;
    require(kind <= PTX_PROTOTYPE && o->kind <= PTX_PROTOTYPE);
    require(kind != PTX_REGISTER || o->index < f->register_count);
    require(kind != PTX_SPECIAL || o->index < PTX_SPECIAL_COUNT);
    require(kind != PTX_LABEL || o->index <= f->instruction_count);
    require(kind != PTX_TARGETS || o->index < f->target_count);
    require(kind != PTX_PROTOTYPE || o->index < f->prototype_count);
    require(kind != PTX_VARIABLE || o->variable->name[0]);
    require(kind != PTX_FUNCTION || o->function->name[0]);
    check_operands(f, o->elements, o->element_count);
  }
}

static void check_variables(ptx_variable *const *variables, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const ptx_variable *v = variables[i];
    uint64_t end = 0;
    require(v->index == i && v->type && v->align && !(v->align & (v->align - 1)));
    for (size_t r = 0; r < v->run_count; r++) {
      require(v->runs[r].offset >= end && v->runs[r].length > 0 && v->runs[r].bytes);
      end = v->runs[r].offset + v->runs[r].length;
    }
    require(end <= v->bytes);
    for (size_t r = 0; r < v->relocation_count; r++) {
      const ptx_relocation *it = &v->relocations[r];
      require(it->offset + it->bytes <= v->bytes && !it->variable == !!it->function && it->mask);
    }
  }
}

static void check_function(const ptx_function *f) {
  check_variables(f->returns, f->return_count);
  check_variables(f->inputs, f->input_count);
  check_variables(f->variables, f->variable_count);
  for (uint32_t i = 0; i < f->register_count; i++)
    require(f->registers[i].name[0] && f->registers[i].type);
  for (uint32_t i = 0; i < f->target_count; i++)
    check_operands(f, f->targets[i].elements, f->targets[i].element_count);
  for (uint32_t i = 0; i < f->instruction_count; i++) {
    const ptx_instruction *in = &f->instructions[i];
    require(in->form->opcode[0] && in->place.line && in->place.column);
    require(in->guard == PTX_NO_GUARD || f->registers[in->guard].type == EMU_PRED);
    for (const ptx_loc *loc = in->loc; loc; loc = loc->inlined_at)
      require(loc->inlined_at != in->loc);
    check_operands(f, in->operands, in->operand_count);
  }
  require(!f->alias || (!f->alias->alias && !f->defined));
}

static void check_good(const ptx_module *module) {
  check_variables(module->variables, module->variable_count);
  for (uint32_t i = 0; i < module->function_count; i++) {
    require(module->functions[i]->index == i);
    check_function(module->functions[i]);
  }
}

static void check_bad(gg_status st, gg_error *err, const char *source) {
  gg_str text = GG_STR_INIT;
  require(st == err->code && err->message[0] && err->line >= 1 && err->column >= 1);
  gg_error_print(&text, err, source);
  require(text.length > 0 && text.length < 8192);
  gg_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ptx_module *module;
  gg_error err = GG_ERROR_INIT;
  gg_status st = ptx_parse(&module, (const char *)data, size, "fuzz", &err);
  require((st == GG_OK) == (module != NULL));
  if (st == GG_OK) {
    check_good(module);
  } else {
    gg_str source = GG_STR_INIT;
    gg_str_append(&source, (const char *)data, size);
    check_bad(st, &err, gg_str_text(&source));
    gg_str_free(&source);
  }
  ptx_free(module);
  gg_error_clear(&err);
  return 0;
}
