/* The cases' kernels. A CTA's shared memory ends where its box ends, so that what lies behind is
 * not its own: the hardware gives shared memory out in pieces of 128 bytes. */
#include "tma.h"

static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry tma(.param .align 64 .b8 map[128], .param .u64 p_in, .param .u64 p_out,\n"
    "  .param .u64 p_tensor, .param .align 4 .b8 p_words[52])\n"
    ".maxntid 128\n{\n"
    "  .shared .align 1024 .b8 memory[5120];\n"
    "  .reg .pred first, issues, waits, more, done;\n"
    "  .reg .b32 tid, rank, i, v, tries, box, bar, base, source, to, to_bar, c<5>;\n"
    "  .reg .b32 offset, from, bytes, expect, issuer, target, mask, window;\n"
    "  .reg .b16 ctas;\n  .reg .b64 in, out, at, map_at, global, policy, state;\n"
    "  mov.u32 tid, %tid.x;\n  mov.u32 rank, %cluster_ctarank;\n"
    "  ld.param.u64 in, [p_in];\n  ld.param.u64 out, [p_out];\n  ld.param.u64 global, [p_tensor];\n"
    "  ld.param.u32 offset, [p_words];\n  ld.param.u32 from, [p_words+4];\n"
    "  ld.param.u32 bytes, [p_words+8];\n  ld.param.u32 expect, [p_words+12];\n"
    "  ld.param.u32 issuer, [p_words+16];\n  ld.param.u32 target, [p_words+20];\n"
    "  ld.param.u32 mask, [p_words+24];\n  ld.param.u32 window, [p_words+28];\n"
    "  ld.param.u32 c0, [p_words+32];\n  ld.param.u32 c1, [p_words+36];\n"
    "  ld.param.u32 c2, [p_words+40];\n  ld.param.u32 c3, [p_words+44];\n"
    "  ld.param.u32 c4, [p_words+48];\n  cvt.u16.u32 ctas, mask;\n"
    "  mov.b64 map_at, map;\n  cvta.param.u64 map_at, map_at;\n"
    "  mov.u32 bar, memory;\n  add.u32 box, bar, 1024;\n  add.u32 base, box, offset;\n"
    "  add.u32 source, box, from;\n  mapa.shared::cluster.u32 to, base, target;\n"
    "  mapa.shared::cluster.u32 to_bar, bar, target;\n"
    "  cvt.u64.u32 at, from;\n  add.u64 global, global, at;\n"
    "  createpolicy.fractional.L2::evict_first.b64 policy;\n"
    "  setp.eq.u32 first, tid, 0;\n  setp.eq.and.u32 issues, rank, issuer, first;\n"
    "  shr.u32 v, mask, rank;\n  and.b32 v, v, 1;\n  setp.eq.and.u32 waits, v, 1, first;\n"
    "  mul.lo.u32 v, rank, window;\n  cvt.u64.u32 at, v;\n"
    "  add.u64 in, in, at;\n"
    "  shl.b32 i, tid, 2;\n"
    "fill:\n  cvt.u64.u32 at, i;\n  add.u64 at, at, in;\n  ld.global.u32 v, [at];\n"
    "  add.u32 tries, box, i;\n  st.shared.u32 [tries], v;\n"
    "  add.u32 i, i, 512;\n  setp.lt.u32 more, i, window;\n  @more bra fill;\n"
    "  @first mbarrier.init.shared.b64 [bar], 1;\n"
    "  fence.mbarrier_init.release.cluster;\n  fence.proxy.async;\n  bar.sync 0;\n"
    "  @waits mbarrier.arrive.expect_tx.shared.b64 state, [bar], expect;\n"
    "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";

static const char tail[] =
    "  mov.u32 tries, 0;\n  mov.u32 v, 0;\n  @!waits bra meet;\n"
    "wait:\n  mbarrier.try_wait.parity.shared.b64 done, [bar], 0;\n"
    "  add.u32 tries, tries, 1;\n  selp.u32 v, 1, 2, done;\n  @done bra meet;\n"
    "  setp.lt.u32 more, tries, 64;\n  @more bra wait;\n"
    "meet:\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
    "  mul.wide.u32 at, rank, 4;\n  add.u64 at, out, at;\n  @first st.global.u32 [at+4096], v;\n"
    "  mul.wide.u32 at, rank, window;\n  add.u64 out, out, at;\n  shl.b32 i, tid, 2;\n"
    "copy:\n  add.u32 tries, box, i;\n  ld.shared.u32 v, [tries];\n"
    "  cvt.u64.u32 at, i;\n  add.u64 at, at, out;\n  st.global.u32 [at], v;\n"
    "  add.u32 i, i, 512;\n  setp.lt.u32 more, i, window;\n  @more bra copy;\n  ret;\n}\n";

static const char *const reductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

const char *const tma_bulk_types[TMA_BULK_TYPES] = {"u32", "s32", "u64",  "s64", "b32",
                                                    "b64", "f16", "bf16", "f32", "f64"};

bool tma_case_loads(const tma_case *c) {
  return c->kind == TMA_LOAD || c->kind == BULK_IN || c->kind == BULK_ACROSS ||
         c->kind == BULK_REDUCE_ACROSS;
}

static void put_tensor(gg_str *out, uint32_t rank) {
  gg_str_puts(out, "[map_at, {");
  for (uint32_t i = 0; i < rank; i++)
    gg_str_printf(out, "%sc%u", i ? ", " : "", i);
  gg_str_puts(out, "}]");
}

/* Of f16 and bf16, additions say that they keep subnormals. */
static void put_reduction(gg_str *out, const tma_case *c) {
  bool half = c->type == 6 || c->type == 7;
  gg_str_printf(out, ".%s%s.%s", reductions[c->reduction],
                half && c->reduction == 0 ? ".noftz" : "", tma_bulk_types[c->type]);
}

/* The instruction up to its operands, without what may follow all of them. */
static void put_name(gg_str *out, const tma_case *c) {
  static const char done[] = ".mbarrier::complete_tx::bytes", group[] = ".bulk_group";
  const char *own = c->own ? "shared::cta" : "shared::cluster";
  switch (c->kind) {
  case TMA_LOAD:
    gg_str_printf(out, "cp.async.bulk.tensor.%ud.%s.global%s", c->map.rank, own, done);
    break;
  case TMA_STORE:
    gg_str_printf(out, "cp.async.bulk.tensor.%ud.global.shared::cta%s", c->map.rank, group);
    break;
  case TMA_REDUCE:
    gg_str_printf(out, "cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s%s", c->map.rank,
                  reductions[c->reduction], group);
    break;
  case TMA_PREFETCH:
    gg_str_printf(out, "cp.async.bulk.prefetch.tensor.%ud.L2.global", c->map.rank);
    break;
  case BULK_IN:
    gg_str_printf(out, "cp.async.bulk.%s.global%s", own, done);
    break;
  case BULK_OUT:
    gg_str_printf(out, "cp.async.bulk.global.shared::cta%s", group);
    break;
  case BULK_REDUCE:
    gg_str_printf(out, "cp.reduce.async.bulk.global.shared::cta%s", group);
    break;
  case BULK_ACROSS:
    gg_str_printf(out, "cp.async.bulk.shared::cluster.shared::cta%s", done);
    break;
  case BULK_REDUCE_ACROSS:
    gg_str_printf(out, "cp.reduce.async.bulk.shared::cluster.shared::cta%s", done);
    break;
  default:
    gg_str_puts(out, "cp.async.bulk.prefetch.L2.global");
    break;
  }
  if (c->multicast) gg_str_puts(out, ".multicast::cluster");
  if (c->hinted) gg_str_puts(out, ".L2::cache_hint");
  if (c->kind == BULK_REDUCE || c->kind == BULK_REDUCE_ACROSS) put_reduction(out, c);
}

static void put_operands(gg_str *out, const tma_case *c) {
  switch (c->kind) {
  case TMA_LOAD:
    gg_str_puts(out, c->own ? " [base], " : " [to], ");
    put_tensor(out, c->map.rank);
    gg_str_puts(out, c->own ? ", [bar]" : ", [to_bar]");
    break;
  case TMA_PREFETCH:
    gg_str_puts(out, " ");
    put_tensor(out, c->map.rank);
    break;
  case BULK_IN:
    gg_str_puts(out,
                c->own ? " [base], [global], bytes, [bar]" : " [to], [global], bytes, [to_bar]");
    break;
  case BULK_OUT:
  case BULK_REDUCE:
    gg_str_puts(out, " [global], [base], bytes");
    break;
  case BULK_ACROSS:
  case BULK_REDUCE_ACROSS:
    gg_str_puts(out, " [to], [source], bytes, [to_bar]");
    break;
  case BULK_PREFETCH:
    gg_str_puts(out, " [global], bytes");
    break;
  default:
    gg_str_puts(out, " ");
    put_tensor(out, c->map.rank);
    gg_str_puts(out, ", [base]");
    break;
  }
  gg_str_puts(out, c->multicast ? ", ctas" : "");
  gg_str_puts(out, c->hinted ? ", policy;\n" : ";\n");
}

void tma_ptx(gg_str *out, const tma_case *c) {
  gg_str_puts(out, head);
  gg_str_puts(out, tma_case_loads(c) ? "  @issues " : "  @!issues ret;\n  ");
  put_name(out, c);
  put_operands(out, c);
  gg_str_puts(out, tma_case_loads(c) ? tail
                                     : "  cp.async.bulk.commit_group;\n"
                                       "  cp.async.bulk.wait_group 0;\n  ret;\n}\n");
}
