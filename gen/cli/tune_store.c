#include "cli/tune_store.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"

struct tune_store {
  sqlite3 *database;
  sqlite3_stmt *get, *put;
  char path[]; /* for messages */
};

enum { version = 1, busy_milliseconds = 10000 };

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS figure ("
    "  device TEXT NOT NULL, product TEXT NOT NULL, hash TEXT NOT NULL, compiler INTEGER NOT NULL,"
    "  seconds REAL NOT NULL, right INTEGER NOT NULL, kernel TEXT NOT NULL, spec TEXT NOT NULL,"
    "  PRIMARY KEY (device, product, hash, compiler)) WITHOUT ROWID;"
    "PRAGMA user_version = 1;";

static const char select_figure[] =
    "SELECT seconds, right FROM figure"
    " WHERE device = ?1 AND product = ?2 AND hash = ?3 AND compiler = ?4";

static const char insert_figure[] =
    "INSERT OR REPLACE INTO figure"
    " (device, product, hash, compiler, seconds, right, kernel, spec)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

static gg_status fail(const tune_store *store, gg_error *err) {
  return gg_fail(err, TUNE_STORE, NULL, store->path, sqlite3_errmsg(store->database));
}

/* Reads the version of the file's schema; 0: the file is new. */
static gg_status read_version(int *out, const tune_store *store, gg_error *err) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(store->database, "PRAGMA user_version", -1, &statement, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code == SQLITE_ROW) *out = sqlite3_column_int(statement, 0);
  gg_status st = code == SQLITE_ROW ? GG_OK : fail(store, err);
  sqlite3_finalize(statement);
  return st;
}

static gg_status prepare(tune_store *store, gg_error *err) {
  int has = 0;
  sqlite3_busy_timeout(store->database, busy_milliseconds);
  gg_status st = read_version(&has, store, err);
  if (st) return st;
  if (has != 0 && has != version) {
    return gg_fail(err, TUNE_STORE, NULL, store->path, "it is of another version of gemmgen");
  }
  sqlite3 *database = store->database;
  if (sqlite3_exec(database, schema, NULL, NULL, NULL) ||
      sqlite3_prepare_v2(database, select_figure, -1, &store->get, NULL) ||
      sqlite3_prepare_v2(database, insert_figure, -1, &store->put, NULL)) {
    return fail(store, err);
  }
  return GG_OK;
}

gg_status tune_store_open(tune_store **out, const char *path, gg_error *err) {
  size_t length = strlen(path) + 1;
  *out = NULL;
  tune_store *store = gg_calloc(1, sizeof *store + length);
  if (!store) return gg_fail(err, MEMORY, NULL, "");
  memcpy(store->path, path, length);
  gg_status st = sqlite3_open(path, &store->database) ? fail(store, err) : prepare(store, err);
  if (st) {
    tune_store_close(store);
    return st;
  }
  *out = store;
  return GG_OK;
}

void tune_store_close(tune_store *store) {
  if (!store) return;
  sqlite3_finalize(store->get);
  sqlite3_finalize(store->put);
  sqlite3_close(store->database);
  gg_free(store);
}

static int bind_key(sqlite3_stmt *statement, const tune_key *key) {
  int code = sqlite3_bind_text(statement, 1, key->device, -1, SQLITE_STATIC);
  if (!code) code = sqlite3_bind_text(statement, 2, key->product, -1, SQLITE_STATIC);
  if (!code) code = sqlite3_bind_text(statement, 3, key->hash, -1, SQLITE_STATIC);
  return code ? code : sqlite3_bind_int(statement, 4, key->compiler);
}

/* Makes a statement ready for its next use. */
static void rewind_statement(sqlite3_stmt *statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

bool tune_is_time(double seconds) {
  return isfinite(seconds) && seconds > 0;
}

gg_status tune_store_get(tune_figure *out, bool *found, tune_store *store, const tune_key *key,
                         gg_error *err) {
  int code = bind_key(store->get, key);
  if (!code) code = sqlite3_step(store->get);
  *found = false;
  if (code == SQLITE_ROW) {
    out->seconds = sqlite3_column_double(store->get, 0);
    out->right = sqlite3_column_int(store->get, 1) != 0;
    *found = tune_is_time(out->seconds);
  }
  gg_status st = code == SQLITE_ROW || code == SQLITE_DONE ? GG_OK : fail(store, err);
  rewind_statement(store->get);
  return st;
}

gg_status tune_store_put(tune_store *store, const tune_key *key, const tune_figure *figure,
                         const char *kernel, const char *spec, gg_error *err) {
  int code = bind_key(store->put, key);
  if (!code) code = sqlite3_bind_double(store->put, 5, figure->seconds);
  if (!code) code = sqlite3_bind_int(store->put, 6, figure->right);
  if (!code) code = sqlite3_bind_text(store->put, 7, kernel, -1, SQLITE_STATIC);
  if (!code) code = sqlite3_bind_text(store->put, 8, spec, -1, SQLITE_STATIC);
  if (!code) code = sqlite3_step(store->put);
  gg_status st = code == SQLITE_DONE ? GG_OK : fail(store, err);
  rewind_statement(store->put);
  return st;
}
