/* How work is dealt to GPCs, on random ones: every cluster gets its number, and every work a
 * cluster, wherever the clusters run. The seed is printed; GEMMGEN_SEED sets another. */
#include "claims.h"
#include "draws.h"
#include "suite.h"

enum { rounds = 20000 };

#define HOLDS(condition) ck_assert_msg(condition, "seed %" PRIu64 ": " #condition, draws_seed)

/* Up to 16 groups, of any sizes, the last one sometimes loose. */
static gg_gpcs draw_gpcs(void) {
  gg_gpcs out = {.count = (int)draw_from(1, GG_GPCS_MAX)};
  out.multiprocessors = (int)draw_from(out.count, GG_GPC_MULTIPROCESSORS);
  for (int sm = 0; sm < out.multiprocessors; sm++) {
    int gpc = sm < out.count ? sm : (int)draw_from(0, out.count - 1);
    out.of[sm] = (unsigned char)gpc;
    out.size[gpc]++;
  }
  out.loose[out.count - 1] = draw() % 3 == 0;
  return out;
}

/* Clusters run anywhere, or all in one GPC, and claim as the kernel does
 * (templates/parts/sm90_claims.cu): each work is claimed once. */
static void claim_all(const gg_gpc_table *table, int64_t works, int64_t clusters) {
  static bool done[UINT16_MAX];
  int64_t claims[GG_GPCS_MAX] = {0}, computed = 0;
  for (int64_t i = 0; i < works; i++)
    done[i] = false;
  bool crowd = draw() % 2;
  for (int64_t i = 0; i < clusters; i++) {
    int64_t gpc = crowd ? 0 : draw_from(0, GG_GPCS_MAX - 1), before;
    int tries = 0;
    while ((before = claims[gpc]++) >= table->clusters[gpc] && before >= table->works[gpc]) {
      gpc = (gpc + 1) % GG_GPCS_MAX;
      HOLDS(++tries < GG_GPCS_MAX);
    }
    if (before >= table->works[gpc]) continue;
    int64_t work = table->first[gpc] + before;
    HOLDS(work < works && !done[work]);
    done[work] = true;
    computed++;
  }
  HOLDS(computed == works);
}

static void check(const gg_gpc_table *table, int64_t works, int64_t clusters) {
  int64_t all_works = 0, all_clusters = 0;
  for (int i = 0; i < GG_GPCS_MAX; i++) {
    HOLDS(table->works[i] <= table->clusters[i]);
    HOLDS(table->works[i] == 0 || table->first[i] == all_works);
    all_works += table->works[i];
    all_clusters += table->clusters[i];
  }
  HOLDS(all_works == works);
  HOLDS(all_clusters == clusters);
  claim_all(table, works, clusters);
}

static int gpc_in(const gg_gpc_table *table, int sm) {
  return table->gpcs[sm / 2] >> sm % 2 * 4 & 15;
}

START_TEST(every_work_is_claimed_once) {
  draws_restart();
  for (int i = 0; i < rounds; i++) {
    gg_gpcs gpcs = draw_gpcs();
    int64_t ctas = (int64_t)1 << draw_from(0, 4), clusters = draw_from(1, 2 * gpcs.multiprocessors);
    int64_t works = draw() % 4 ? draw_from(1, clusters) : clusters;
    gg_gpc_table table;
    gg_claims_deal(&table, &gpcs, works, clusters, ctas);
    check(&table, works, clusters);
  }
}
END_TEST

/* Multiprocessors find their GPC, and no cluster is meant for one that holds none. */
START_TEST(gpcs_get_what_they_hold) {
  draws_restart();
  for (int i = 0; i < rounds; i++) {
    gg_gpcs gpcs = draw_gpcs();
    int64_t ctas = (int64_t)1 << draw_from(0, 3), room = 0;
    gg_gpc_table table;
    for (int gpc = 0; gpc < gpcs.count; gpc++)
      if (!gpcs.loose[gpc] || ctas <= 2) room += gpcs.size[gpc] / ctas;
    if (room == 0) continue;
    gg_claims_deal(&table, &gpcs, draw_from(1, room), room, ctas);
    for (int gpc = 0; gpc < gpcs.count; gpc++) {
      bool holds = !gpcs.loose[gpc] || ctas <= 2;
      HOLDS(table.clusters[gpc] == (holds ? gpcs.size[gpc] / ctas : 0));
    }
    for (int sm = 0; sm < gpcs.multiprocessors; sm++)
      HOLDS(gpc_in(&table, sm) == gpcs.of[sm]);
  }
}
END_TEST

/* An H100: seven GPCs of 16 multiprocessors and one of 18, and two that are loose. */
static gg_gpcs h100(void) {
  gg_gpcs out = {.multiprocessors = 132, .count = 9};
  for (int sm = 0; sm < 132; sm++) {
    int gpc = sm < 112 ? sm / 16 : sm < 130 ? 7 : 8;
    out.of[sm] = (unsigned char)gpc;
    out.size[gpc]++;
  }
  out.loose[8] = true;
  return out;
}

START_TEST(loose_ones_hold_pairs) {
  gg_gpcs gpcs = h100();
  gg_gpc_table table;
  gg_claims_deal(&table, &gpcs, 60, 66, 2);
  ck_assert_uint_eq(table.clusters[8], 1);
  gg_claims_deal(&table, &gpcs, 32, 32, 4);
  ck_assert_uint_eq(table.clusters[8], 0);
  ck_assert_uint_eq(table.works[8], 0);
  check(&table, 32, 32);
}
END_TEST

static void all_in_one(const gg_gpcs *gpcs, int64_t ctas) {
  gg_gpc_table table;
  gg_claims_deal(&table, gpcs, 7, 9, ctas);
  ck_assert_uint_eq(table.works[0], 7);
  ck_assert_uint_eq(table.clusters[0], 9);
  for (int sm = 0; sm < GG_GPC_MULTIPROCESSORS; sm++)
    ck_assert_int_eq(gpc_in(&table, sm), 0);
  check(&table, 7, 9);
}

START_TEST(unknown_gpcs_are_one) {
  gg_gpcs many = h100();
  many.multiprocessors = GG_GPC_MULTIPROCESSORS + 1; /* more than a table has room for */
  all_in_one(NULL, 1);
  all_in_one(&many, 1);
  gg_gpcs known = h100();
  all_in_one(&known, 32); /* no GPC holds such a cluster */
}
END_TEST

int main(void) {
  draws_begin(20261127);
  Suite *suite = suite_create("claims");
  TCase *tests = tcase_create("claims");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, every_work_is_claimed_once);
  tcase_add_test(tests, gpcs_get_what_they_hold);
  tcase_add_test(tests, loose_ones_hold_pairs);
  tcase_add_test(tests, unknown_gpcs_are_one);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
