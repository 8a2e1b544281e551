/* What forms are called, and files of what was tuned for them. */
#include <string.h>

#include "choice/form.h"
#include "suite.h"
#include "tuned.h"

static gg_form form_to_bf16(gg_dtype in, int align, int align_d) {
  gg_operand operand = {.type = in, .major = GG_MAJOR_K, .align = align};
  gg_operand d = {.type = GG_DTYPE_bf16, .major = GG_MAJOR_N, .align = align_d};
  return (gg_form){.size = sizeof(gg_form),
                   .a = operand,
                   .b = operand,
                   .c = d,
                   .d = d,
                   .accumulator = GG_DTYPE_f32};
}

/* Epilogues are named by what they do: options that are left out are said. */
START_TEST(forms_are_named_with_their_epilogue) {
  static const struct {
    const char *epilogue, *name;
    bool has_c;
  } all[] = {
      {NULL, "bf16,bf16,bf16,f32,kkn", false},
      {"[]", "bf16,bf16,bf16,f32,kkn,empty", false},
      {"[linear]", "bf16,bf16,bf16,f32,kkn,linear_alpha", false},
      {"[linear, relu]", "bf16,bf16,bf16,f32,kkn+c_bf16,linear_alpha_beta+relu", true},
      {"[bias, gelu]", "bf16,bf16,bf16,f32,kkn,bias_n_bf16+gelu_erf", false},
      {"[{bias: {along: n, type: bf16}}, {gelu: {form: erf}}]",
       "bf16,bf16,bf16,f32,kkn,bias_n_bf16+gelu_erf", false},
      {"[{bias: {along: m, type: f32}}, {gelu: {form: tanh}}]",
       "bf16,bf16,bf16,f32,kkn,bias_m_f32+gelu_tanh", false},
      {"[scale, residual, {aux: {type: e4m3}}]",
       "bf16,bf16,bf16,f32,kkn,scale_all_f32+residual_bf16+aux_e4m3", false},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    gg_error err = GG_ERROR_INIT;
    gg_form form = form_to_bf16(GG_DTYPE_bf16, 16, 16);
    gg_str name = GG_STR_INIT;
    form.has_c = all[i].has_c, form.epilogue = all[i].epilogue;
    ck_assert_int_eq(gg_form_full_name(&name, &form, &err), GG_OK);
    ck_assert_str_eq(gg_str_text(&name), all[i].name);
    gg_str_free(&name);
  }
}
END_TEST

/* A file's name has 255 bytes at most, whatever an epilogue comes to. */
START_TEST(long_epilogues_have_digests_for_names) {
  static const char *const lists[] = {
      "[residual, residual, residual, residual, residual, residual, residual, residual, residual, "
      "residual, residual, residual, residual, residual, residual, residual]",
      "[residual, residual, residual, residual, residual, residual, residual, residual, residual, "
      "residual, residual, residual, residual, residual, residual, aux]"};
  gg_str paths[2] = {GG_STR_INIT, GG_STR_INIT};
  for (int i = 0; i < 2; i++) {
    gg_form form = form_to_bf16(GG_DTYPE_bf16, 2, 2);
    form.epilogue = lists[i];
    ck_assert_int_eq(gg_tuned_path(&paths[i], "/t", "emu", &form,
                                   (gg_tuned_extents){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
                                   NULL),
                     GG_OK);
    ck_assert_uint_le(strlen(strrchr(gg_str_text(&paths[i]), '/') + 1), 255);
    ck_assert_ptr_nonnull(strstr(gg_str_text(&paths[i]), ",a2,b2,d2,epilogue_"));
  }
  ck_assert_str_ne(gg_str_text(&paths[0]), gg_str_text(&paths[1]));
  gg_str_free(&paths[0]);
  gg_str_free(&paths[1]);
}
END_TEST

START_TEST(tuned_paths) {
  gg_form form = form_to_bf16(GG_DTYPE_e4m3, 16, 2);
  gg_str path = GG_STR_INIT;
  gg_tuned_path(&path, "/t", "NVIDIA H100 80GB HBM3", &form, (gg_tuned_extents){1, 2, 3, 4}, NULL);
  ck_assert_str_eq(gg_str_text(&path),
                   "/t/nvidia-h100-80gb-hbm3/e4m3,e4m3,bf16,f32,kkn,d2,1x2x3,b4.yaml");
  gg_str_free(&path);
  form.promote = GG_PROMOTE_NEVER;
  gg_form_name(&path, &form);
  ck_assert_str_eq(gg_str_text(&path), "e4m3,e4m3,bf16,f32fast,kkn,d2");
  gg_str_free(&path);
  form.promote = 2;
  gg_form_name(&path, &form);
  ck_assert_str_eq(gg_str_text(&path), "e4m3,e4m3,bf16,f32,kkn+p2,d2");
  gg_str_free(&path);
  form = form_to_bf16(GG_DTYPE_e2m1, 16, 16);
  form.scale_a = form.scale_b = (gg_scaling){GG_DTYPE_ue4m3, 16};
  gg_form_name(&path, &form);
  ck_assert_str_eq(gg_str_text(&path), "e2m1:ue4m3,e2m1:ue4m3,bf16,f32,kkn");
  gg_str_free(&path);
  form.a.type = GG_DTYPE_e4m3; /* B is unpacked on its way then, which takes more alignment */
  form.scale_a = form.scale_b = (gg_scaling){GG_DTYPE_ue8m0, 32};
  gg_form_name(&path, &form);
  ck_assert_str_eq(gg_str_text(&path), "e4m3:ue8m0,e2m1:ue8m0,bf16,f32,kkn,b16");
  gg_str_free(&path);
  form.d.type = GG_DTYPE_e4m3, form.b.align = 32;
  form.scale_d = form.scale_a;
  gg_form_name(&path, &form);
  ck_assert_str_eq(gg_str_text(&path), "e4m3:ue8m0,e2m1:ue8m0,e4m3:ue8m0,f32,kkn");
  gg_str_free(&path);
  ck_assert_int_eq(gg_tuned_bucket((gg_tuned_extents){33, 5, 6, 7}).m, 64);
  ck_assert_int_eq(gg_tuned_bucket((gg_tuned_extents){64, 5, 6, 7}).m, 64);
  ck_assert_int_eq(gg_tuned_bucket((gg_tuned_extents){INT64_MAX, 5, 6, 7}).m, INT64_MAX);
}
END_TEST

/* What the operations of an epilogue read and write, under the names that bindings give them. */
START_TEST(extras_of_forms) {
  static const gg_extra_facts wanted[] = {
      {"t1", GG_OP_OPERAND, GG_ALONG_N, GG_DTYPE_f32, .gated = true},
      {"bias", GG_OP_BIAS, GG_ALONG_M, GG_DTYPE_bf16, .gated = true},
      {"expr", GG_OP_EXPR, GG_ALONG_NONE, 0, .gated = true},
      {"aux", GG_OP_AUX, GG_ALONG_ELEMENTS, GG_DTYPE_bf16, .written = true, .gated = true},
      {"gated", GG_OP_GATED, GG_ALONG_NONE, 0, .gated = false},
      {"bias2", GG_OP_BIAS, GG_ALONG_M, GG_DTYPE_f32, .gated = false},
      {"amax", GG_OP_AMAX, GG_ALONG_ALL, GG_DTYPE_f32, .written = true},
  };
  gg_extra_facts has[GG_OPERATIONS_MAX];
  gg_error err = GG_ERROR_INIT;
  size_t count;
  gg_form form = form_to_bf16(GG_DTYPE_bf16, 0, 0);
  form.epilogue = "[{operand: {along: n, type: f32}}, {bias: {along: m}}, {expr: x * t1}, aux, "
                  "gated, {bias: {along: m, type: f32}}, amax]";
  ck_assert_msg(gg_form_extras(has, &count, &form, &err) == GG_OK, "%s", err.message);
  ck_assert_uint_eq(count, sizeof wanted / sizeof *wanted);
  for (size_t i = 0; i < count; i++) {
    ck_assert_str_eq(has[i].name, wanted[i].name);
    ck_assert_int_eq(has[i].kind, wanted[i].kind);
    ck_assert_int_eq(has[i].along, wanted[i].along);
    if (has[i].along != GG_ALONG_NONE) ck_assert_int_eq(has[i].type, wanted[i].type);
    ck_assert_int_eq(has[i].written, wanted[i].written);
    ck_assert_int_eq(has[i].gated, wanted[i].gated);
  }
  form.epilogue = NULL;
  ck_assert_int_eq(gg_form_extras(has, &count, &form, &err), GG_OK);
  ck_assert_uint_eq(count, 1);
  ck_assert_int_eq(has[0].kind, GG_OP_LINEAR);
  form.epilogue = "[multiply, multiply]";
  ck_assert_int_eq(gg_form_extras(has, &count, &form, &err), GG_OK);
  ck_assert_str_eq(has[1].name, "multiply2");
  form.epilogue = "[bais]";
  ck_assert_int_eq(gg_form_extras(has, &count, &form, &err), GG_E_SPEC_CHOICE);
  gg_error_clear(&err);
  form.epilogue = NULL, form.a.major = GG_MAJOR_N;
  ck_assert_int_eq(gg_form_extras(has, &count, &form, &err), GG_E_GEMM_FIELD);
  gg_error_clear(&err);
  ck_assert_int_eq(gg_form_extras(has, NULL, &form, &err), GG_E_NULL_ARGUMENT);
  gg_error_clear(&err);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("names");
  TCase *tcase = tcase_create("names");
  tcase_add_test(tcase, forms_are_named_with_their_epilogue);
  tcase_add_test(tcase, long_epilogues_have_digests_for_names);
  tcase_add_test(tcase, tuned_paths);
  tcase_add_test(tcase, extras_of_forms);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
