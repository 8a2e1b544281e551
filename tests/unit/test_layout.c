/* Layouts: an example of every operation of the calculator, text forms, errors. What else the
 * calculator reads is in test_calculator.c, what it draws in test_drawings.c. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "calculator/expr.h"
#include "layout/calc.h"
#include "suite.h"

/* clang-format off */
static const struct example {
  const char *expression, *result;
} examples[] = {
    {"make_layout((4,8))", "(4,8):(1,4)"},
    {"make_layout((4,(2,3)), (6,(1,2)))", "(4,(2,3)):(6,(1,2))"},
    {"make_layout(4:1, (2,3):(3,1))", "(4,(2,3)):(1,(3,1))"},
    {"row_major((4,(2,3)))", "(4,(2,3)):(6,(3,1))"},
    {"make_ordered_layout((2,3,4), (3,1,2))", "(2,3,4):(12,1,3)"},
    {"make_layout_like((2,3,4):(0,1,40))", "(2,3,4):(0,1,3)"},
    {"make_fragment_like((4,3,2):(3,1,12))", "(4,3,2):(1,4,12)"},
    {"make_fragment_like((4,8))", "(4,8):(1,4)"},
    {"make_identity_layout((4,(2,3)))", "(4,(2,3)):(1@0,(1@0@1,1@1@1))"},
    {"make_identity_tensor((4,8))", "(0,0) o (4,8):(1@0,1@1)"},
    {"make_tensor(16, (4,8):(1,4))", "16 o (4,8):(1,4)"},
    {"make_tensor(16, (4,8), (8,1))", "16 o (4,8):(8,1)"},
    {"make_tensor(16, (4,8), LayoutRight)", "16 o (4,8):(8,1)"},
    {"make_tensor((4,8):(8,1))", "0 o (4,8):(8,1)"},
    {"make_layout((2,4), LayoutRight)", "(2,4):(4,1)"},
    {"make_layout((2,4), GenColMajor)", "(2,4):(1,2)"},
    {"make_layout_like(16 o (2,3,4):(0,1,40))", "(2,3,4):(0,1,3)"},
    {"make_layout_tv((4,8):(8,1), (2,2):(2,1))", "((8,4),(2,2)):((16,2),(8,1))"},
    {"make_swizzle(2, 4, 3)", "Sw<2,4,3>"},
    {"make_swizzle(384, 48)", "Sw<2,4,3>"},
    {"smem_atom(K_SW128, half_t)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"smem_atom(K_SW128, 16)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"smem_atom(MN_SW128_32B, 8)", "Sw<2,5,2> o smem_ptr[8b](unset) o (128,4):(1,128)"},
    {"size((4,8):(1,4))", "32"},
    {"size<1,0>((4,(2,3)):(1,(4,8)))", "2"},
    {"size((4,(2,3)))", "24"},
    {"cosize((4,8):(1,100))", "704"},
    {"rank((4,8):(1,4))", "2"},
    {"rank<1>((4,(2,3)):(1,(4,8)))", "2"},
    {"rank((4,(2,3)))", "2"},
    {"depth((4,(2,3)):(1,(4,8)))", "2"},
    {"depth(4)", "0"},
    {"shape((4,8):(1,4))", "(4,8)"},
    {"stride<1>((4,(2,3)):(1,(4,8)))", "(4,8)"},
    {"size(16 o (4,8):(1,4))", "32"},
    {"size<1>((4,(2,3)))", "6"},
    {"cosize<1>((4,8):(1,4))", "29"},
    {"rank(16 o (4,8):(1,4))", "2"},
    {"rank<1>((4,(2,3)))", "2"},
    {"depth<1>((4,(2,3)):(1,(4,8)))", "1"},
    {"depth<1>((4,(2,3)))", "1"},
    {"shape(16 o (4,8):(1,4))", "(4,8)"},
    {"shape<1>((4,(2,3)))", "(2,3)"},
    {"stride(16 o (4,8):(1,4))", "(1,4)"},
    {"layout(16 o (4,8):(1,4))", "(4,8):(1,4)"},
    {"layout<1,0>((4,(3,6)):(1,(4,12)))", "3:4"},
    {"bank_conflicts((32,4):(4,1), (128):(1), 32)", "(4,4)"},
    {"coshape(make_identity_layout((4,(2,3))))", "(4,(2,3))"},
    {"coprofile((4,8):(1@1,1@0))", "(0,0)"},
    {"is_bijective((4,8):(8,1))", "true"},
    {"at((4,8):(8,1), 5)", "9"},
    {"at(Sw<2,0,2> o 8 o (2,4):(4,1), 1)", "15"},
    {"at(smem_atom(K_SW128, 16), 1)", "72"},
    {"at(make_identity_tensor((4,8)), 5)", "(1,1)"},
    {"max_alignment((4,8):(1,16))", "4"},
    {"max_alignment(Sw<3,4,3> o 0 o (8,64):(64,1))", "16"},
    {"get<1>((4,(2,3)):(1,(4,8)))", "(2,3):(4,8)"},
    {"get<1,0>((4,(2,3)))", "2"},
    {"take<0,2>((4,8,2):(1,4,32))", "(4,8):(1,4)"},
    {"take<1,-1>((4,8,2))", "(8,2)"},
    {"select<2,0>((4,8,2):(1,4,32))", "(2,4):(32,1)"},
    {"select<1>((4,8,2))", "(8)"},
    {"group_modes<0,2>((4,8,2):(1,4,32))", "((4,8),2):((1,4),32)"},
    {"group_modes((4,8,2), 1, 3)", "(4,(8,2))"},
    {"group<0,2>((4,8,2):(1,4,32))", "((4,8),2):((1,4),32)"},
    {"insert((4,8), 2, 1)", "(4,2,8)"},
    {"remove<1>((4,8,2))", "(4,2)"},
    {"repeat<3>((4,8))", "((4,8),(4,8),(4,8))"},
    {"tuple_cat((4,8), 2, (3,(5,6)))", "(4,8,2,3,(5,6))"},
    {"unflatten((4,2,3), (0,(0,0)))", "(4,(2,3))"},
    {"zip((4,8):(1,4), (2,3):(1,2))", "((4,2),(8,3)):((1,1),(4,2))"},
    {"zip((4,8), (1,4))", "((4,1),(8,4))"},
    {"flatten((4,(2,(3,5))):(1,(4,(8,24))))", "(4,2,3,5):(1,4,8,24)"},
    {"flatten((4,(2,(3,5))))", "(4,2,3,5)"},
    {"unflatten((4,2,3):(1,4,8), (0,(0,0)))", "(4,(2,3)):(1,(4,8))"},
    {"append<3>((4,8):(1,4))", "(4,8,1):(1,4,0)"},
    {"append((4,8):(1,4), (2,2):(32,64))", "(4,8,(2,2)):(1,4,(32,64))"},
    {"append((4,8), 2)", "(4,8,2)"},
    {"append<4>((4,8), 1)", "(4,8,1,1)"},
    {"prepend<4>((4,8), 1)", "(1,1,4,8)"},
    {"prepend<3>((4,8):(1,4))", "(1,4,8):(0,1,4)"},
    {"prepend((4,8):(1,4), 2:32)", "(2,4,8):(32,1,4)"},
    {"prepend((4,8), (2,2))", "((2,2),4,8)"},
    {"replace((4,8):(1,4), 2:7, 1)", "(4,2):(1,7)"},
    {"replace((4,8), (2,4), 1)", "(4,(2,4))"},
    {"reverse((4,8):(1,4))", "(4,8):(1,4)"},
    {"reverse((4,(2,3)))", "((2,3),4)"},
    {"wrap(4)", "(4)"},
    {"unwrap(((4)))", "4"},
    {"zip(((4,8),(2,3)):((1,4),(32,64)))", "((4,2),(8,3)):((1,32),(4,64))"},
    {"zip(((4,8),(2,3)))", "((4,2),(8,3))"},
    {"slice((_,3), (4,8):(1,4))", "(4):(1)"},
    {"slice((_,1), Sw<2,0,2> o 0 o (4,4):(1,4))", "((2,2)):((-1,2))"},
    {"slice((_,3), 100 o (4,8):(1,4))", "112 o (4):(1)"},
    {"slice((_,(1,_)), (4,(2,3)))", "(4,3)"},
    {"slice((4,8):(1,4), (_,3))", "(4):(1)"},
    {"slice(100 o (4,8):(1,4), (_,3))", "112 o (4):(1)"},
    {"slice_and_offset((_,3), (4,8):(1,4))", "12 o (4):(1)"},
    {"dice((_,3), (4,8):(1,4))", "(8):(4)"},
    {"dice((1,X,1), (128,64,32))", "(128,32)"},
    {"coalesce((2,(1,6)):(1,(6,2)))", "12:1"},
    {"coalesce((2,(1,6)):(1,(6,2)), (1,1))", "(2,6):(1,2)"},
    {"filter((2,4,6):(0,1,4))", "24:1"},
    {"filter_zeros((2,4,6):(0,1,4))", "(1,4,6):(0,1,4)"},
    {"composition(Sw<1,0,3>, Sw<1,1,3>)", "Sw<2,0,3>"},
    {"composition(Sw<3,4,3>, (8,64):(64,1))", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
    {"composition(Sw<3,4,3>, 8, (8,64):(64,1))", "Sw<3,4,3> o 8 o (8,64):(64,1)"},
    {"composition(Sw<3,4,3>, smem_ptr[16b](unset), (8,64):(64,1))", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"composition((6,2):(8,2), (4,3):(3,1))", "((2,2),3):((24,2),8)"},
    {"composition((12,(4,8)):(59,(13,1)), (3:1,8:1))", "(3,(4,2)):(59,(13,1))"},
    {"composition(20:2, (5,4):(4,1))", "(5,4):(8,2)"},
    {"composition((4,8):(1,4), 8)", "8:1"},
    {"composition((64,32):(32,1), Sw<1,4,3> o 0 o (2,2):(1,2))", "Sw<1,1,-8> o 0 o (2,2):(32,64)"},
    {"(4,8):(8,1) o 4:2", "(2,2):(16,1)"},
    {"composition_weak((6,4):(1,10), 4:4)", "(2,2):(4,10)"},
    {"composition_weak((64,32):(32,1), Sw<3,3,3> o 0 o (8,64):(64,1))", "Sw<3,0,-8> o 0 o (8,64):(1,32)"},
    {"right_inverse_weak(Sw<3,2,3> o 0 o (2,16,16):(1,2,32))", "Sw<3,2,3> o 0 o 512:1"},
    {"left_inverse_weak(Sw<3,2,3> o 0 o (2,16,16):(1,2,32))", "Sw<3,2,3> o 0 o 512:1"},
    {"slice_weak((_,0), Sw<2,4,3> o 64 o (32,32):(1,32))", "(32):(1)"},
    {"complement(4:2, 24)", "(2,3):(1,8)"},
    {"complement((2,2):(1,6), 24)", "(3,2):(2,12)"},
    {"complement(4:1, (4,6))", "6:4"},
    {"right_inverse((4,8):(8,1))", "(8,4):(4,1)"},
    {"right_inverse(Sw<3,3,3> o 0 o (64,8):(1,64))", "Sw<3,3,3> o 0 o 512:1"},
    {"left_inverse((4,8):(16,1))", "(16,4):(4,1)"},
    {"left_inverse(Sw<3,3,3> o 0 o (64,8):(1,64))", "Sw<3,3,3> o 0 o 512:1"},
    {"nullspace((5,4):(1,0))", "4:5"},
    {"domain_distribute((15,14), 6)", "(3,2):(1,15)"},
    {"max_common_layout((4,2):(1,8), (4,2):(1,4))", "4:1"},
    {"max_common_vector((4,2):(1,8), (4,2):(1,4))", "4"},
    {"max_common_vector(Sw<1,1,1> o 0 o 8:1, 8:1)", "2"},
    {"logical_divide((9,(4,8)):(59,(13,1)), (3:3,(2,4):(1,8)))", "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"},
    {"logical_divide((8,8):(1,8), (2,_))", "((2,4),8):((1,2),8)"},
    {"zipped_divide((8,8):(1,8), (2,4))", "((2,4),(4,2)):((1,8),(2,32))"},
    {"zipped_divide(Sw<2,0,2> o 8 o (2,4):(4,1), (2,2))", "Sw<2,0,2> o 8 o ((2,2),(1,2)):((4,1),(0,2))"},
    {"zipped_divide(make_identity_tensor((4,8)), (2,2))", "(0,0) o ((2,2),(2,4)):((1@0,1@1),(2@0,2@1))"},
    {"tiled_divide((8,8):(1,8), (2,4))", "((2,4),4,2):((1,8),2,32)"},
    {"flat_divide((8,8):(1,8), (2,4))", "(2,4,4,2):(1,8,2,32)"},
    {"logical_product((2,5):(5,1), (3,4):(1,3))", "((2,5),(3,4)):((5,1),(10,30))"},
    {"zipped_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"},
    {"tiled_product((2,2):(4,1), (4,2):(2,1))", "((2,2),4,2):((4,1),8,2)"},
    {"flat_product((2,2):(4,1), (4,2):(2,1))", "(2,2,4,2):(4,1,8,2)"},
    {"blocked_product((2,5):(5,1), (3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"},
    {"raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"},
    {"raked_product(3:2, 4:1)", "(((2,2),3)):(((1,6),2))"},
    {"tile_to_shape((2,2):(1,2), (4,6))", "((2,2),(2,3)):((1,4),(2,8))"},
    {"tile_to_shape(smem_atom(K_SW64, 32), (16,32), (2,1))", "Sw<2,4,3> o smem_ptr[32b](unset) o ((8,2),(16,2)):((16,256),(1,128))"},
    {"upcast<2>((4,6):(12,1))", "(4,3):(6,1)"},
    {"upcast<2>(Sw<2,2,3> o 8 o (8,8):(8,1))", "Sw<2,1,3> o 4 o (8,4):(4,1)"},
    {"upcast<16>(Sw<3,7,3>)", "Sw<3,3,3>"},
    {"downcast<2>((4,8):(8,1))", "(4,16):(16,1)"},
    {"downcast<2>(Sw<3,4,3>)", "Sw<3,5,3>"},
    {"recast_layout((3,4):(1,3), 32, 16)", "(6,4):(1,6)"},
    {"recast_layout(smem_atom(K_SW128, 32), 32, 16)", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
    {"recast_layout((4,8):(1,4), half_t, uint8_t)", "(8,8):(1,8)"},
    {"recast_layout(16, 8, (4,8):(1,4))", "(2,8):(1,2)"},
    {"apply(Sw<3,4,3>, 128)", "144"},
    {"get_swizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "Sw<3,4,3>"},
    {"get_nonswizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))", "(8,64):(64,1)"},
    {"as_position_independent_swizzle_layout(smem_atom(K_SW128, 16))", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
    {"crd2idx((1,2), (4,8):(1,4))", "9"},
    {"crd2idx(5, (4,8):(8,1))", "9"},
    {"crd2idx((1,2), 16 o (4,8):(1,4))", "25"},
    {"crd2idx((1,0), Sw<3,3,3> o 0 o (8,64):(64,1))", "72"},
    {"crd2idx((1,0), smem_atom(K_SW128, 16))", "72"},
    {"crd2idx((1,2), make_identity_tensor((4,8)))", "(1,2)"},
    {"crd2idx((1,2), (4,8))", "9"},
    {"crd2idx((1,2), (4,8), (8,1))", "10"},
    {"crd2idx((1,2), (4,8), (1@1,1@0))", "(2,1)"},
    {"idx2crd(13, (4,(2,3)))", "(1,(1,1))"},
    {"idx2crd(10, (4,8), (8,1))", "(1,2)"},
    {"idx2crd(9, (4,8):(8,1))", "(1,2)"},
    {"idx2crd(9, 16 o (4,8):(8,1))", "(1,2)"},
    {"crd2crd((1,2), (4,8), 32)", "9"},
    {"get_hier_coord((4,(2,4)):(8,(1,2)), 11)", "(1,(1,1))"},
    {"get_flat_coord((4,(2,4)):(8,(1,2)), 11)", "(1,3)"},
    {"get_1d_coord((4,8):(8,1), 11)", "13"},
    {"local_tile((8,8):(1,8), (4,4), (0,1))", "32 o (4,4):(1,8)"},
    {"local_tile((256,64):(1,256), (128,128,8), (1,0,_), (1,X,1))", "128 o (128,8,8):(1,256,2048)"},
    {"local_tile(make_identity_tensor((8,8)), (4,4), (1,1))", "(4,4) o (4,4):(1@0,1@1)"},
    {"local_partition((4,4):(4,1), (2,2):(2,1), 1)", "1 o (2,2):(8,2)"},
    {"inner_partition((4,8):(1,16), (4,4), (0,1))", "64 o (4,4):(1,16)"},
    {"outer_partition((32,32):(128,4), (2,32), (0,_))", "0 o (32,16,1):(4,256,0)"},
    {"domain_offset((1,2), (4,8):(1,4))", "9 o (4,8):(1,4)"},
    {"domain_offset((1,2), Sw<3,4,3> o 0 o (8,64):(64,1))", "0 o Sw<3,4,3> o 66 o (8,64):(64,1)"},
    {"product((4,(2,3)))", "24"},
    {"max((4,(2,9)), 3)", "9"},
    {"min((4,(2,9)), 3)", "2"},
    {"gcd((12,18), 4)", "2"},
    {"product_each((4,(2,3)))", "(4,6)"},
    {"product_like((4,(2,3)), (0,0))", "(4,6)"},
    {"sum((4,(2,3)))", "9"},
    {"inner_product((4,(2,3)), (1,(4,8)))", "36"},
    {"ceil_div((6,8), 4)", "(2,8)"},
    {"ceil_div((6,8), (4,3))", "(2,3)"},
    {"ceil_div(100, (4,8):(1,4))", "4"},
    {"shape_div((4,8), 8)", "(1,4)"},
    {"round_up((6,9), (4,8))", "(8,16)"},
    {"elem_scale((2,3), (4,(2,5)))", "(8,30)"},
    {"congruent((4,(2,3)), (1,(1,1)))", "true"},
    {"weakly_congruent((4,6), (1,(1,1)))", "true"},
    {"compatible((4,6), (4,(2,3)))", "true"},
    {"evenly_divides((8,6), (4,4))", "false"},
    {"lex_less((1,2), (2,1))", "true"},
    {"lex_leq((1,2), (1,2))", "true"},
    {"lex_gtr((1,2), (2,1))", "false"},
    {"lex_geq((1,2), (1,2))", "true"},
    {"colex_less((1,2), (2,1))", "false"},
    {"colex_leq((1,2), (2,1))", "false"},
    {"colex_gtr((1,2), (2,1))", "true"},
    {"colex_geq((1,2), (1,2))", "true"},
    {"elem_less((1,2), (2,3))", "true"},
    {"elem_leq((1,8), (4,8))", "true"},
    {"elem_gtr((1,8), (4,8))", "false"},
    {"elem_geq((1,8), (4,8))", "true"},
    {"congruent((4,8):(1,4), (2,2):(1,2))", "true"},
    {"weakly_congruent(32:1, (4,8):(1,4))", "true"},
    {"compatible((4,8):(1,4), ((2,2),8):((1,2),4))", "true"},
    {"evenly_divides((4,8):(1,4), (2,4):(1,2))", "true"},
    {"compact_col_major((4,(1,3)))", "(1,(0,4))"},
    {"compact_row_major((4,(1,3)))", "(3,(0,1))"},
    {"compact_order((2,3,4), (3,1,2))", "(12,1,3)"},
    {"make_basis_like((4,(2,3)))", "(1@0,(1@0@1,1@1@1))"},
    {"repeat_like((4,(2,3)), 0)", "(0,(0,0))"},
    {"logical_divide((100,60):(60,_1), (_16,_8))", "((_16,7),(_8,8)):((60,960),(_1,_8))"},
    {"complement(_64:_1, (_32,_4,4))", "(_2,4):(_64,_128)"},
    {"(_2,1,_3):(_2,4,_4)", "(_2,1,_3):(_2,4,_4)"},
    {"()", "()"},
    {"():()", "():()"},
    {"-3", "-3"},
    {"(4,8):(-1,4)", "(4,8):(-1,4)"},
    {"1@0@1", "1@0@1"},
    {"((4:1))", "((4:1))"},
    {"composition(((4,8):(1,4)), 4:2)", "4:2"},
    {"tile_to_shape(Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1), (128,64,3))", "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))"},

    {"ThrID(SM80_16x8x16_F32F16F16F32_TN)", "32:1"},
    {"Shape_MNK(SM80_16x8x16_F32F16F16F32_TN)", "(16,8,16)"},
    {"ALayout(SM80_16x8x16_F32F16F16F32_TN)", "((4,8),(2,2,2)):((32,1),(16,8,128))"},
    {"BLayout(SM80_16x8x16_F32F16F16F32_TN)", "((4,8),(2,2)):((16,1),(8,64))"},
    {"CLayout(SM80_16x8x16_F32F16F16F32_TN)", "((4,8),(2,2)):((32,1),(16,8))"},
    {"SrcLayout(SM75_U32x4_LDSM_N)", "(32,128):(128,1)"},
    {"DstLayout(SM75_U32x4_LDSM_N)", "(32,(32,4)):(32,(1,1024))"},
    {"RefLayout(SM75_U32x4_LDSM_N)", "(32,(32,4)):(32,(1,1024))"},
    {"tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4))", "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4))"},
    {"thr_layout_vmnk(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4)))", "(32,2,2,1):(1,32,64,128)"},
    {"tile_shape(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "(32,16,16)"},
    {"MMA_Atom(SM80_16x8x16_F32F16F16F32_TN)", "SM80_16x8x16_F32F16F16F32_TN"},
    {"Copy_Atom(SM75_U32x4_LDSM_N, half_t)", "Copy_Atom(SM75_U32x4_LDSM_N, 16)"},
    {"size(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "128"},
    {"tile_size<1>(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "16"},
    {"partition_fragment_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), (64,64))", "((2,2),2,4):((1,2),4,8)"},
    {"make_tiled_copy(UniversalCopy<float>, float, (32,8):(1,32))", "make_tiled_copy_impl(UniversalCopy<uint32_t>, 32, (256,1):(1,0), (32:1,8:1))"},
    {"ALayout(SM61_DP4A)", "(1,4):(0,1)"},
    {"layoutA_TV(tiled_mma(SM80_16x8x16_F32F16F16F32_TN))", "((4,8),((2,2,2),(1,1))):((32,1),((16,8,128),(0,0)))"},
    {"layoutB_TV(tiled_mma(SM80_16x8x16_F32F16F16F32_TN))", "((4,8),((2,2),(1,1))):((16,1),((8,64),(0,0)))"},
    {"layoutC_TV(tiled_mma(SM80_16x8x16_F32F16F16F32_TN))", "((4,8),((2,2),(1,1))):((32,1),((16,8),(0,0)))"},
    {"partition_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4)), (64,32):(32,1), 1)", "2 o ((2,2,2),2,2):((1,256,8),1024,16)"},
    {"partition_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4)), (64,32):(1,64), 1)", "128 o ((2,2),4,2):((64,512),16,1024)"},
    {"partition_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,4)), (64,64):(64,1), 1)", "2 o ((2,2),2,4):((1,512),2048,16)"},
    {"partition_shape_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), (64,32))", "((2,2,2),2,2)"},
    {"partition_shape_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), (64,32))", "((2,2),4,2)"},
    {"partition_shape_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)), (64,64))", "((2,2),2,4)"},
    {"make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4))", "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (256,4):(4,1), (128:1,8:1))"},
    {"make_tiled_copy_impl(UniversalCopy<uint128_t>, float, (256,4):(4,1), (128,8))", "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (256,4):(4,1), (128:1,8:1))"},
    {"make_tiled_copy_A(SM75_U32x4_LDSM_N, half_t, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "make_tiled_copy_impl(SM75_U32x4_LDSM_N, 16, ((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0))), (32:1,16:1))"},
    {"make_tiled_copy_B(SM75_U32x2_LDSM_N, half_t, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "make_tiled_copy_impl(SM75_U32x2_LDSM_N, 16, ((4,8,2,2),((2,2),(1,1))):((32,1,0,8),((16,128),(0,0))), (16:1,16:1))"},
    {"make_tiled_copy_C(UniversalCopy<float>, float, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "make_tiled_copy_impl(UniversalCopy<uint32_t>, 32, ((4,8,2,2),((2,2),(1,1))):((64,1,16,256),((32,8),(0,0))), (32:1,16:1))"},
    {"make_tiled_copy_C_atom(UniversalCopy<float>, float, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)))", "make_tiled_copy_impl(UniversalCopy<uint32_t>, 32, ((4,8,2,2),1):((16,1,8,64),0), ((8,2):(1,16),8:2))"},
    {"make_tiled_copy_S(UniversalCopy<float>, float, make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "make_tiled_copy_impl(UniversalCopy<uint32_t>, 32, (256,(4,1)):(4,(1,0)), (128:1,8:1))"},
    {"make_tiled_copy_D(UniversalCopy<float>, float, make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "make_tiled_copy_impl(UniversalCopy<uint32_t>, 32, (256,(4,1)):(4,(1,0)), (128:1,8:1))"},
    {"make_cotiled_copy(UniversalCopy<uint128_t>, float, (32,4):(4,1), (128):(1))", "make_tiled_copy_impl(UniversalCopy<uint128_t>, 32, (32,4):(1,32), ((32,4):(4,1)))"},
    {"Tiler_MN(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "(128:1,8:1)"},
    {"TiledLayout_TV(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "(256,4):(4,1)"},
    {"layoutS_TV(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "(256,(4,1)):(4,(1,0))"},
    {"layoutD_TV(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "(256,(4,1)):(4,(1,0))"},
    {"size(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)))", "256"},
    {"partition_S(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)), (128,64):(1,128), 33)", "132 o ((4,1),1,8):((1,0),0,1024)"},
    {"partition_D(make_tiled_copy(UniversalCopy<uint128_t>, float, (32,8):(1,32), (4,1):(1,4)), (128,64):(1,128), 33)", "132 o ((4,1),1,8):((1,0),0,1024)"},
    {"retile(make_tiled_copy_A(SM75_U32x4_LDSM_N, half_t, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))), ((2,2,2),2,2):((1,2,4),8,16))", "0 o ((8,1),2,2):((1,0),8,16)"},
    {"ELayout(SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_SS<K,K>)", "((2,2,8,4),(16,2)):((1024,0,1,16),(64,8))"},
    {"sm90_TensorEAtom(half_t, 64)", "((8,2,4),(16,2,2)):((64,16,1024),(1,512,32))"},
    {"sm90_fill_layoutE(tf32, 64, (300,128,500,1))", "(((8,2,4),5),((8,2,4),8),1):(((64,8,1024),4096),((1,512,16),20480),0)"},
    {"sm90_fill_layoutA(f16, MN, (300,128,500,1))", "(304,(2,250),1):(2,(1,608),0)"},
    {"make_gmma_desc(K, local_tile(tile_to_shape(smem_atom(K_SW128, 16), (64,64)), (64,16), (0,1)))", "(2,1,64,1)"},
    {"tile_to_mma_shape(smem_atom(K_SW128, half_t), ((128,16),1,4))",
     "Sw<3,4,3> o smem_ptr[16b](unset) o ((128,16),1,4):((64,1),0,16)"},
    {"make_umma_desc(K, get<0>(tile_to_mma_shape(smem_atom(K_SW128, half_t), ((128,16),1,4))), 1024)",
     "(64,1,64,2)"},
    {"tmem_frg(float, float, 1, ((64,32),1,1,4))", "(((16,4),32),1,1,(2,2)):(((65536,2097152),1),0,0,(1048576,32))"},
    {"tmem_frg(half_t, float, 2, ((32,256),1,1,2))", "((32,(64,4)),1,1,2):((131072,(2,4194304)),0,0,128)"},
    {"tmem_frg(float, float, 2, ((64,64),2,1), Duplicated)", "((128,64),2,1):((65536,1),64,0)"},
    {"make_instr_desc(f16, f16, f32, 128, 256, K, K)", "138412048"},
    {"make_instr_desc(e2m1, e2m1, f32, 256, 128, K, K, packed, ue4m3, sparse)", "270533764"},
    {"SFALayout(SM120_16x8x64_TN_VS<e2m1,e2m1,float,ue4m3,16>)", "((2,2,8),64):((8,0,1),16)"},
    {"SFBLayout(SM120_16x8x32_TN_VS<e4m3,e2m1,float,ue8m0,32>)", "((4,8),32):((0,1),8)"},
    {"sm1xx_TensorEAtom(f16)", "((8,2,8),(16,2,4)):((128,16,2048),(1,1024,32))"},
    {"sm1xx_TensorEAtom(e2m1)", "(128,256):(256,1)"},
    {"sm1xx_TensorEAtom(e2m1, unpacksmem)", "(128,128):(128,1)"},
    {"sm1xx_fill_layoutE(tf32, (300,128,500,1))",
     "(((8,2,8),3),((8,2,4),8),1):(((64,8,1024),8192),((1,512,16),24576),0)"},
    {"sm1xx_fill_layoutA(e2m3, K, (128,128,300,2))", "(128,(2,256),2):(512,(1,2),65536)"},
    {"SfAtom(16)", "((32,4),(16,4)):((16,4),(0,1))"},
    {"SfAtom(32, MN)", "((32,4),(32,4)):((0,1),(16,4))"},
    {"tile_atom_to_shape_SFA(16, (200,100,300,3))",
     "(((32,4),2),((16,4),5),(1,3)):(((16,4),2560),((0,1),512),(0,5120))"},
    {"tile_atom_to_shape_SFB(32, (128,192,256))",
     "(((32,4),2),((32,4),2)):(((16,4),1024),((0,1),512))"},
    {"tile_atom_to_shape_SFD(16, (128,256,64,1))",
     "(((32,4),1),((16,4),4),(1,1)):(((16,4),0),((0,1),512),(0,0))"},
    {"tile_atom_to_shape_SFD(16, (64,256,64), MN)",
     "(((16,4),1),((32,4),2)):(((0,1),0),((16,4),512))"},
    {"deduce_smem_layoutSFA(tiled_mma(SM100_MMA_MXF8F6F4_SS<e4m3,e4m3,float,ue8m0,128,192,K,K>), (128,192,256), 32)",
     "((((32,4),1),(32,1)),1,(4,2)):((((16,4),512),(0,1)),0,(1,512))"},
    {"deduce_smem_layoutSFB(tiled_mma(SM100_MMA_MXF8F6F4_SS<e4m3,e4m3,float,ue8m0,128,192,K,K>), (128,192,256), 32)",
     "((((32,4),2),(32,1)),1,(4,2)):((((16,4),512),(0,1)),0,(1,1024))"},
    {"tmem_sf_frg(((256,(32,1)),1,(4,2)))",
     "((((32,8),4),(32,1)),1,(4,2)):((((262144,4),8388608),(0,1)),0,(1,32))"},
    {"tmem_sf_frg(((128,(16,4)),1,(1,4)), ScaleFactorDuplicated2by2)",
     "((((32,2),2,2),(16,4)),1,(1,4)):((((262144,4),16777216,8388608),(0,1)),0,(0,8))"},
    {"tmem_e_frg(tf32, ((128,16),2,2))",
     "(((8,2,8),(8,2)),2,2):(((1048576,8,16777216),(1,8388608)),16,32)"},
    {"tmem_e_frg(f16, ((64,32),1,4))", /* in the first half of each warp's lanes */
     "((((8,2),4),(16,2)),1,4):((((2097152,16),67108864),(1,16777216)),0,32)"},
    {"tmem_e_frg(s8, ((64,64),1,2))", "(((16,4),64),1,2):(((2097152,67108864),1),0,64)"},
    {"tmem_e_frg(s8, ((64,64),1,2), ws)", "((64,(64,2)),1,2):((2097152,(1,134217728)),0,64)"},
    {"make_fragment_A(tiled_mma(SM100_MMA_F16BF16_TS<half_t,half_t,float,64,128,K,K>), (64,64))",
     "(((16,4),16),1,4):(((131072,4194304),1),0,16)"},
    {"make_fragment_A(tiled_mma(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,128,K,K>), tile_to_mma_shape(smem_atom(K_SW128, half_t), ((128,16),1,4)))",
     "(1,1,4):(0,0,2)"},
    {"make_fragment_B(tiled_mma(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,64,K,MN>), tile_to_mma_shape(smem_atom(MN_SW128, half_t), ((64,16),1,4)))",
     "(1,1,4):(0,0,128)"},
    {"make_fragment_C(tiled_mma(SM100_MMA_F16BF16_SS<half_t,half_t,half_t,128,128,K,K>), (128,128), 2)",
     "((128,128),1,1,2):((131072,2),0,0,256)"},
    {"make_fragment_E(tiled_mma(SM100_MMA_F8F6F4_SS_SPARSE<e2m1,e4m3,float,128,128,K,K>), (128,128))",
     "((128,64),1,2):((2097152,1),0,64)"},
    {"make_fragment_SFA(tiled_mma(SM100_MMA_MXF4_2x1SM_SS<e2m1,e2m1,float,ue4m3,128,128,16,K,K>), (128,128,256))",
     "((((32,4),4),(16,4)),1,(1,4)):((((262144,4),8388608),(0,1)),0,(0,16))"},
    {"make_fragment_SFB(tiled_mma(SM100_MMA_MXF4_2x1SM_SS<e2m1,e2m1,float,ue4m3,128,128,16,K,K>), (128,128,256))",
     "((((32,2),2,2),(16,4)),1,(1,4)):((((262144,4),16777216,8388608),(0,1)),0,(0,8))"},
    {"partition_fragment_C(tiled_mma(SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,128,K,K>), (256,256), 2)",
     "((128,128),1,2,2):((65536,1),0,128,256)"},
    {"layoutD_TV(make_tmem_copy(SM100_TMEM_LOAD_16dp256b4x, float, get<0>(tmem_frg(float, float, 1, ((128,128),1,1)))))",
     "((4,8,4),((2,2,4),1)):((128,4,1),((64,32,512),0))"},
    {"make_tmem_copy(SM100_TMEM_LOAD_32dp32b32x, float, get<0>(tmem_frg(float, float, 1, ((128,64),1,1))))",
     "make_tiled_copy_impl(SM100_TMEM_LOAD_32dp32b32x, 32, ((32,4),(32,32)):((0,1),(128,4)), ((4,32):(32,1),32:1))"},
    {"DstLayout(SM100_TMEM_LOAD_32dp32b16x)", "(32,512):(512,1)"},
    {"SrcLayout(SM100_UTCCP_4x32dp128bit_1cta)", "(1,(32,128,4)):(0,(1,32,0))"},
};
/* clang-format on */

enum { example_count = sizeof examples / sizeof *examples };

/* The printed result, or the message of the error; the caller frees it with gg_free. */
static char *evaluate(gg_status *st, const char *text) {
  gg_arena arena = GG_ARENA_INIT;
  gg_error err = GG_ERROR_INIT;
  gg_str out = GG_STR_INIT;
  gg_notation notation = GG_NOTATION_PLAIN;
  gg_value value;
  *st = gg_expr_eval(&value, text, NULL, 1, &notation, &arena, &err);
  if (*st) {
    gg_str_puts(&out, err.message);
  } else {
    gg_value_print(&out, &value, notation);
  }
  gg_error_clear(&err);
  gg_arena_free(&arena);
  return gg_str_take(&out);
}

/* ---- Examples ------------------------------------------------------------------------------ */

START_TEST(test_example) {
  const struct example *e = &examples[_i];
  gg_status st;
  char *got = evaluate(&st, e->expression);
  ck_assert_msg(strcmp(got, e->result) == 0, "%s: expected %s, got %s", e->expression, e->result,
                got);
  gg_free(got);
}
END_TEST

/* What is printed reads back as itself. */
START_TEST(test_result_reads_back) {
  gg_status st;
  char *again = evaluate(&st, examples[_i].result);
  ck_assert_msg(strcmp(again, examples[_i].result) == 0 || strcmp(again, "true") == 0 ||
                    strcmp(again, "false") == 0,
                "%s reads back as %s", examples[_i].result, again);
  gg_free(again);
}
END_TEST

START_TEST(test_every_operation_has_an_example) {
  for (const gg_op *op = gg_ops; op->name; op++) {
    size_t length = strlen(op->name);
    bool found = false;
    for (int i = 0; i < example_count && !found; i++) {
      const char *text = examples[i].expression;
      found = strncmp(text, op->name, length) == 0 && strchr("(<", text[length]);
    }
    ck_assert_msg(found, "%s has no example", op->name);
  }
}
END_TEST

START_TEST(test_every_row_is_well_formed) {
  for (const gg_op *op = gg_ops; op->name; op++) {
    gg_str shown = GG_STR_INIT;
    gg_op_print_arguments(&shown, op);
    size_t commas = 0, wanted = 0;
    for (const char *s = op->arguments; *s; s++)
      wanted += *s == ',';
    for (const char *s = gg_str_text(&shown); *s; s++)
      commas += *s == ',';
    ck_assert_msg(commas == wanted && shown.length > 0, "%s(%s)", op->name, op->arguments);
    ck_assert_msg(op->help[0] != '\0', "%s has no help", op->name);
    gg_str_free(&shown);
  }
}
END_TEST

/* ---- Text ---------------------------------------------------------------------------------- */

START_TEST(test_notation) {
  gg_layout a;
  gg_str text = GG_STR_INIT;
  ck_assert(!gg_layout_parse(&a, "(_8,4):(_1,8)", NULL));
  ck_assert(!a.shape.nodes[1].dynamic && a.shape.nodes[2].dynamic);
  gg_layout_print(&text, &a, GG_NOTATION_CUTE);
  gg_layout_print(&text, &a, GG_NOTATION_PLAIN);
  ck_assert_str_eq(gg_str_text(&text), "(_8,4):(_1,8)(8,4):(1,8)");
  gg_str_free(&text);
}
END_TEST

START_TEST(test_column_counts_characters) {
  gg_error err = GG_ERROR_INIT;
  gg_layout a;
  ck_assert_int_eq(gg_layout_parse(&a, "(4,8) \xC3\xA9", &err), GG_E_LAYOUT_SYNTAX);
  ck_assert_int_eq(err.column, 7);
  gg_error_clear(&err);
}
END_TEST

START_TEST(test_kinds_of_text) {
  gg_tuple t;
  gg_layout a;
  gg_composed c;
  ck_assert_int_eq(gg_tuple_parse(&t, "4:1", NULL), GG_E_LAYOUT_SYNTAX);
  ck_assert_int_eq(gg_layout_parse(&a, "(4,8)", NULL), GG_E_LAYOUT_SYNTAX);
  ck_assert_int_eq(gg_layout_parse(&a, "Sw<1,0,1> o 0 o 4:1", NULL), GG_E_LAYOUT_SYNTAX);
  ck_assert_int_eq(gg_composed_parse(&c, "Sw<1,0,1> o 0 o 4:1", NULL), GG_OK);
  ck_assert_int_eq(gg_composed_at(&c, 2), 3);
}
END_TEST

/* Deep, long and broken texts end in an error. */
START_TEST(test_hostile_text) {
  static const char *const texts[] = {"",   "(",    ")",        ":",           "4:",  ":4", "o",
                                      "_",  "4 o",  "Sw",       "Sw<",         "4@",  "@4", "size(",
                                      "((", "a<b<", "smem_ptr", "4@1@2@3@4@5", "\xFF"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    gg_status st;
    char *got = evaluate(&st, texts[i]);
    bool fine = strcmp(texts[i], "_") == 0 || strcmp(texts[i], "o") == 0; /* a name */
    ck_assert_msg((st == GG_OK) == fine, "%s: %s", texts[i], got);
    gg_free(got);
  }
  enum { deep = 100000 };
  char *text = gg_malloc(deep + 1);
  gg_status st;
  memset(text, '(', deep);
  text[deep] = '\0';
  gg_free(evaluate(&st, text));
  ck_assert_int_eq(st, GG_E_LAYOUT_SYNTAX);
  gg_free(text);
}
END_TEST

/* ---- Values -------------------------------------------------------------------------------- */

START_TEST(test_out_may_be_an_input) {
  gg_layout a, b;
  ck_assert(!gg_layout_parse(&a, "(6,2):(8,2)", NULL));
  ck_assert(!gg_layout_parse(&b, "(4,3):(3,1)", NULL));
  ck_assert(!gg_layout_composition(&a, &a, &b, NULL));
  ck_assert(!gg_layout_parse(&b, "((2,2),3):((24,2),8)", NULL));
  ck_assert(gg_layout_equal(&a, &b));
  ck_assert(!gg_layout_concat(&a, &a, &a, NULL));
  ck_assert_int_eq(gg_layout_size(&a), 144);
}
END_TEST

START_TEST(test_an_error_leaves_out_alone) {
  gg_layout a, b, out;
  gg_error err = GG_ERROR_INIT;
  ck_assert(!gg_layout_parse(&a, "(8,8):(8,1)", NULL));
  ck_assert(!gg_layout_parse(&b, "4:3", NULL));
  out = b;
  ck_assert_int_eq(gg_layout_composition(&out, &a, &b, &err), GG_E_LAYOUT_SHAPE_DIVIDE);
  ck_assert(gg_layout_equal(&out, &b));
  ck_assert_int_eq(err.stage, GG_STAGE_LAYOUT);
  gg_error_clear(&err);
}
END_TEST

START_TEST(test_capacity) {
  gg_layout wide = gg_layout_flat(1, 0), two = gg_layout_flat(2, 1);
  gg_status st = GG_OK;
  for (int i = 0; i < 100 && !st; i++)
    st = gg_layout_append(&wide, &wide, &two, NULL);
  ck_assert(st == GG_E_LAYOUT_CAPACITY || st == GG_E_LAYOUT_OVERFLOW);
  ck_assert_int_le(wide.shape.count, GG_TUPLE_NODES);
}
END_TEST

START_TEST(test_tuple_values) {
  gg_tuple shape = GG_TUPLE(128, 64, 32), nested;
  ck_assert_int_eq(gg_tuple_value(&shape, 1), 64);
  ck_assert_int_eq(gg_tuple_rank(&shape), 3);
  ck_assert(!gg_tuple_parse(&nested, "((4,8),2)", NULL));
  ck_assert_int_eq(gg_tuple_depth(&nested), 2);
  ck_assert_int_eq(gg_tuple_leaves(&nested), 3);
  gg_tuple empty = gg_tuple_empty();
  ck_assert_int_eq(gg_tuple_rank(&empty), 0);
  int64_t product;
  ck_assert(!gg_tuple_product(&product, &empty, NULL));
  ck_assert_int_eq(product, 1);
}
END_TEST

START_TEST(test_smem_addresses) {
  /* 16-bit elements, 128-byte swizzle: row 1 of the tile starts in the second 16-byte column. */
  gg_composed atom, elements;
  ck_assert(!gg_smem_atom(&atom, false, GG_SMEM_SW128, 16, NULL));
  ck_assert(!gg_composed_position_independent(&elements, &atom, NULL));
  for (int64_t i = 0; i < gg_composed_size(&atom); i++) {
    ck_assert_int_eq(gg_composed_at(&atom, i), gg_composed_at(&elements, i));
  }
  ck_assert_int_eq(gg_composed_at(&atom, 1), 72);
}
END_TEST

/* In the smem_ptr form the base moves the pointer, before the swizzle. */
START_TEST(test_smem_tensor_slice) {
  gg_composed atom;
  gg_tensor row;
  gg_tuple coord, at;
  ck_assert(!gg_smem_atom(&atom, false, GG_SMEM_SW128, 16, NULL));
  gg_tensor tensor = gg_tensor_of(&atom);
  ck_assert(!gg_tuple_parse(&coord, "(3,_)", NULL));
  ck_assert(!gg_tensor_slice(&row, &tensor, &coord, NULL));
  for (int64_t i = 0; i < 64; i++) {
    ck_assert(!gg_tensor_at(&at, &row, i, NULL));
    ck_assert_int_eq(at.nodes[0].value, gg_composed_at(&atom, 3 + 8 * i));
  }
}
END_TEST

/* ---- Main ---------------------------------------------------------------------------------- */

int main(void) {
  Suite *suite = suite_create("layout");
  TCase *tcase = tcase_create("layout");
  tcase_add_loop_test(tcase, test_example, 0, example_count);
  tcase_add_loop_test(tcase, test_result_reads_back, 0, example_count);
  tcase_add_test(tcase, test_every_operation_has_an_example);
  tcase_add_test(tcase, test_every_row_is_well_formed);
  tcase_add_test(tcase, test_notation);
  tcase_add_test(tcase, test_column_counts_characters);
  tcase_add_test(tcase, test_kinds_of_text);
  tcase_add_test(tcase, test_hostile_text);
  tcase_add_test(tcase, test_out_may_be_an_input);
  tcase_add_test(tcase, test_an_error_leaves_out_alone);
  tcase_add_test(tcase, test_capacity);
  tcase_add_test(tcase, test_tuple_values);
  tcase_add_test(tcase, test_smem_addresses);
  tcase_add_test(tcase, test_smem_tensor_slice);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
