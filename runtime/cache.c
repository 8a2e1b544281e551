/* The disk cache.
 *
 * An entry's name is the SHA-256 of everything that decides its content: text, options, compiler
 * version, architecture. So entries are never stale, and two processes that write the same entry
 * write the same content. An entry is written to a private temporary file, synced and renamed, so
 * that readers see all of it or none. It has its key, its lengths and a SHA-256 of all that follows
 * the checksum. So one that is cut short, damaged or misnamed is not found, and is written anew.
 * Modification times only decide which entries go first when the cache is over its limit.
 *
 * What was chosen for a product (remembered.h) is kept beside the entries, in the same format, in a
 * folder with a fixed number of files. A key's first digits say in which file; the newest stays.
 *
 * The checksum finds damage, not malice: whoever can write an entry can make the process run what
 * they like. So an entry is used only if nobody but its reader, or root, can have written it.
 *
 *     magic 8 | checksum 32 | key 32 | binary length 8 | log length 8 | binary | log */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/paths.h"

static const char magic[8] = {'g', 'e', 'm', 'm', 'g', 'e', 'n', '1'};
static const char suffix[] = ".kernel";
static const char choices[] = "choices"; /* the folder of what is remembered */

enum {
  checksum_at = sizeof magic,
  key_at = checksum_at + GG_CACHE_DIGEST,
  lengths_at = key_at + GG_CACHE_DIGEST,
  header_bytes = lengths_at + 2 * 8,
  name_digits = 2 * GG_CACHE_DIGEST,
  bucket_digits = 3,    /* of the names of files of what is remembered: there are 4096 */
  stale_seconds = 3600, /* a temporary file this old has lost its process */
};

static const int64_t entry_limit = (int64_t)1 << 30;

/* ---- Where ---------------------------------------------------------------------------- */

static void put_usual_directory(gg_str *out) {
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  /* The XDG base directory specification: a relative path is to be ignored. */
  if (xdg && *xdg == '/') {
    gg_str_printf(out, "%s/gemmgen", xdg);
  } else if (home && *home == '/') {
    gg_str_printf(out, "%s/.cache/gemmgen", home);
  }
}

/* Divides the environment's list of directories: the last one is written, the others are read. */
static bool divide(gg_cache *out, const gg_str *list) {
  const char *last = list->length ? strrchr(list->text, ':') : NULL;
  const char *left = list->text;
  gg_str others = GG_STR_INIT;
  gg_path path;
  while (last && gg_next_path(&path, &left) && path.text < last) {
    gg_str_append(&others, path.text, path.length);
    gg_str_append(&others, "", 1);
  }
  bool any = others.length > 0, ok = !others.failed;
  if (any && !(out->others = gg_str_take(&others)))
    ok = false; /* a NUL follows: it ends the list */
  gg_str_free(&others);
  gg_str own = GG_STR_INIT;
  gg_str_puts(&own, last ? last + 1 : gg_str_text(list));
  if (ok && own.length && !(out->directory = gg_str_take(&own))) ok = false;
  ok = ok && !own.failed && !list->failed;
  gg_str_free(&own);
  return ok;
}

gg_status gg_cache_open(gg_cache *out, const char *directory, int64_t limit, gg_error *err) {
  *out = (gg_cache){.limit = limit > 0 ? limit : GG_CACHE_DEFAULT_BYTES};
  const char *list = directory ? NULL : getenv("GEMMGEN_CACHE");
  gg_str path = GG_STR_INIT;
  bool ok = true;
  if (list || directory) {
    gg_str_puts(&path, list ? list : directory);
  } else {
    put_usual_directory(&path);
  }
  if (list) {
    ok = divide(out, &path);
  } else if (path.length > 0) {
    ok = (out->directory = gg_str_take(&path)) != NULL;
  }
  gg_str_free(&path);
  if (ok) return GG_OK;
  gg_cache_close(out);
  return gg_fail(err, MEMORY, NULL, "");
}

void gg_cache_close(gg_cache *cache) {
  gg_free(cache->others);
  gg_free(cache->directory);
  *cache = (gg_cache){0};
}

/* ---- Keys ----------------------------------------------------------------------------- */

static void store64(unsigned char out[8], uint64_t value) {
  for (int i = 0; i < 8; i++)
    out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t load64(const unsigned char in[8]) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; i--)
    value = value << 8 | in[i];
  return value;
}

gg_cache_key gg_cache_key_of(const char *const *texts, size_t count) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  for (size_t i = 0; i < count; i++) {
    unsigned char length[8];
    store64(length, strlen(texts[i]));
    sha256_update(&hash, sizeof length, length);
    sha256_update(&hash, strlen(texts[i]), (const uint8_t *)texts[i]);
  }
  gg_cache_key key;
  sha256_digest(&hash, sizeof key.digest, key.digest);
  return key;
}

/* DIRECTORY/HEX.kernel; NULL when memory is out. */
static char *entry_path(const char *directory, const gg_cache_key *key) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/", directory);
  for (int i = 0; i < GG_CACHE_DIGEST; i++)
    gg_str_printf(&path, "%02x", key->digest[i]);
  gg_str_puts(&path, suffix);
  return gg_str_take(&path);
}

static void checksum(unsigned char out[GG_CACHE_DIGEST], const unsigned char *entry, size_t size) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  sha256_update(&hash, size - key_at, entry + key_at);
  sha256_digest(&hash, GG_CACHE_DIGEST, out);
}

/* ---- Reading -------------------------------------------------------------------------- */

static bool is_trusted(const struct stat *facts) {
  bool ours = facts->st_uid == geteuid() || facts->st_uid == 0;
  return ours && !(facts->st_mode & (S_IWGRP | S_IWOTH));
}

static unsigned char *read_file(int fd, const struct stat *facts, size_t *size) {
  if (facts->st_size < header_bytes || facts->st_size > entry_limit) return NULL;
  *size = (size_t)facts->st_size;
  unsigned char *data = gg_malloc(*size);
  for (size_t at = 0; data && at < *size;) {
    ssize_t got = read(fd, data + at, *size - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      gg_free(data);
      return NULL;
    }
    at += (size_t)got;
  }
  return data;
}

static bool is_whole(const unsigned char *entry, size_t size, const gg_cache_key *key) {
  if (memcmp(entry, magic, sizeof magic) != 0) return false;
  if (memcmp(entry + key_at, key->digest, GG_CACHE_DIGEST) != 0) return false;
  uint64_t binary = load64(entry + lengths_at), log = load64(entry + lengths_at + 8);
  uint64_t rest = size - header_bytes;
  if (binary > rest || log != rest - binary) return false;
  unsigned char sum[GG_CACHE_DIGEST];
  checksum(sum, entry, size);
  return memcmp(entry + checksum_at, sum, sizeof sum) == 0;
}

/* Opens an entry without blocking, so that a FIFO in its place is not waited for. */
static int open_entry(const char *path, struct stat *facts, gg_str *why) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  bool plain = fstat(fd, facts) == 0 && S_ISREG(facts->st_mode);
  if (plain && is_trusted(facts)) return fd;
  if (plain) {
    gg_str_printf(why, "%s belongs to user %ld, or others may write it", path, (long)facts->st_uid);
  }
  close(fd);
  return -1;
}

/* Appends the two parts of the entry at `path`, if it is a whole one of this key. */
static bool get_entry(gg_str *binary, gg_str *log, const char *path, const gg_cache_key *key,
                      gg_str *why) {
  struct stat facts;
  int fd = path ? open_entry(path, &facts, why) : -1;
  if (fd < 0) return false;
  size_t size = 0;
  unsigned char *entry = read_file(fd, &facts, &size);
  bool whole = entry && is_whole(entry, size, key);
  if (whole) {
    size_t length = (size_t)load64(entry + lengths_at);
    gg_str_append(binary, (const char *)entry + header_bytes, length);
    gg_str_append(log, (const char *)entry + header_bytes + length, size - header_bytes - length);
    futimens(fd, NULL); /* used now: the last to be trimmed */
  }
  gg_free(entry);
  close(fd);
  return whole && !binary->failed && !log->failed;
}

/* The path of a key's file in one directory. */
typedef char *path_of(const char *directory, const gg_cache_key *key);

/* Reads a key's file from the first directory that has it. */
static bool get_anywhere(gg_str *binary, gg_str *log, const gg_cache *cache, path_of *path,
                         const gg_cache_key *key, gg_str *why) {
  bool found = false;
  for (const char *at = cache->others; at && *at && !found; at += strlen(at) + 1) {
    char *file = path(at, key);
    found = get_entry(binary, log, file, key, why);
    gg_free(file);
  }
  if (found || !cache->directory) return found;
  char *file = path(cache->directory, key);
  found = get_entry(binary, log, file, key, why);
  gg_free(file);
  return found;
}

bool gg_cache_get(gg_str *binary, gg_str *log, const gg_cache *cache, const gg_cache_key *key,
                  gg_str *why) {
  return get_anywhere(binary, log, cache, entry_path, key, why);
}

/* ---- Trimming ------------------------------------------------------------------------- */

static bool is_entry(const char *name) {
  return strspn(name, "0123456789abcdef") == name_digits && strcmp(name + name_digits, suffix) == 0;
}

static bool is_temporary(const char *name) {
  size_t length = strlen(suffix);
  return strspn(name, "0123456789abcdef") == name_digits &&
         strncmp(name + name_digits, suffix, length) == 0 && name[name_digits + length] == '.';
}

typedef struct found_entry {
  char name[name_digits + sizeof suffix];
  int64_t bytes;
  struct timespec used;
} found_entry;

typedef struct listing {
  found_entry *entries;
  size_t count, capacity;
  gg_cache_usage usage;
} listing;

static bool add_entry(listing *list, const char *name, const struct stat *facts) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    found_entry *entries = gg_realloc(list->entries, capacity * sizeof *entries);
    if (!entries) return false;
    list->entries = entries;
    list->capacity = capacity;
  }
  found_entry *entry = &list->entries[list->count++];
  memcpy(entry->name, name, sizeof entry->name);
  entry->bytes = (int64_t)facts->st_size;
  entry->used = facts->st_mtim;
  list->usage.entries++;
  list->usage.bytes += entry->bytes;
  list->usage.distrusted += !is_trusted(facts);
  return true;
}

static bool is_stale(const struct stat *facts) {
  return time(NULL) - facts->st_mtim.tv_sec > stale_seconds;
}

/* Lists the entries, and removes temporary files that no process can still be writing. */
static listing list_entries(DIR *directory) {
  listing list = {0};
  for (struct dirent *row; (row = readdir(directory));) {
    struct stat facts;
    if (!is_entry(row->d_name) && !is_temporary(row->d_name)) continue;
    if (fstatat(dirfd(directory), row->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (is_entry(row->d_name)) {
      if (!add_entry(&list, row->d_name, &facts)) break;
    } else if (is_stale(&facts)) {
      unlinkat(dirfd(directory), row->d_name, 0);
    }
  }
  return list;
}

static int by_use(const void *left, const void *right) {
  const struct timespec *a = &((const found_entry *)left)->used;
  const struct timespec *b = &((const found_entry *)right)->used;
  if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
  return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Removes what is remembered, all of it or only temporary files whose process must have ended. */
static void sweep_choices(const char *directory, bool all) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/%s", directory, choices);
  DIR *opened = path.failed ? NULL : opendir(gg_str_text(&path));
  gg_str_free(&path);
  if (!opened) return;
  for (struct dirent *row; (row = readdir(opened));) {
    size_t digits = strspn(row->d_name, "0123456789abcdef");
    struct stat facts;
    bool file = digits == bucket_digits && !row->d_name[digits];
    bool temporary = digits == bucket_digits && row->d_name[digits] == '.';
    if (!file && !temporary) continue;
    bool lost = temporary && !all &&
                fstatat(dirfd(opened), row->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                is_stale(&facts);
    if (all || lost) unlinkat(dirfd(opened), row->d_name, 0);
  }
  closedir(opened);
}

/* Removes the least recently used entries until no more than `limit` bytes are left; returns what
 * there was before. */
static gg_cache_usage shrink(const gg_cache *cache, int64_t limit) {
  DIR *directory = cache->directory ? opendir(cache->directory) : NULL;
  if (!directory) return (gg_cache_usage){0};
  listing list = list_entries(directory);
  int64_t left = list.usage.bytes;
  if (list.count > 0) qsort(list.entries, list.count, sizeof *list.entries, by_use);
  for (size_t i = 0; i < list.count && left > limit; i++) {
    unlinkat(dirfd(directory), list.entries[i].name, 0);
    left -= list.entries[i].bytes;
  }
  closedir(directory);
  gg_free(list.entries);
  sweep_choices(cache->directory, limit < 0);
  return list.usage;
}

gg_cache_usage gg_cache_usage_of(const gg_cache *cache) {
  return shrink(cache, INT64_MAX);
}

gg_cache_usage gg_cache_clear(const gg_cache *cache) {
  return shrink(cache, -1);
}

/* ---- Writing -------------------------------------------------------------------------- */

static void build_entry(gg_str *out, const gg_cache_key *key, const gg_str *binary,
                        const gg_str *log) {
  unsigned char header[header_bytes] = {0};
  memcpy(header, magic, sizeof magic);
  memcpy(header + key_at, key->digest, GG_CACHE_DIGEST);
  store64(header + lengths_at, binary->length);
  store64(header + lengths_at + 8, log->length);
  gg_str_append(out, (const char *)header, sizeof header);
  gg_str_append(out, gg_str_text(binary), binary->length);
  gg_str_append(out, gg_str_text(log), log->length);
  if (out->failed) return;
  unsigned char sum[GG_CACHE_DIGEST];
  checksum(sum, (const unsigned char *)out->text, out->length);
  memcpy(out->text + checksum_at, sum, sizeof sum);
}

bool gg_cache_put(const gg_cache *cache, const gg_cache_key *key, const gg_str *binary,
                  const gg_str *log, gg_str *why) {
  if (!cache->directory) return true;
  gg_str entry = GG_STR_INIT, copy = GG_STR_INIT;
  build_entry(&entry, key, binary, log);
  gg_str_puts(&copy, cache->directory);
  char *path = entry_path(cache->directory, key), *directory = gg_str_take(&copy);
  enum { owner_alone = 0600 };
  bool ok = false;
  if (!path || !directory || entry.failed) {
    gg_str_puts(why, strerror(ENOMEM));
  } else {
    ok = gg_directory_make(directory, 0700) &&
         gg_file_replace(path, entry.text, entry.length, owner_alone, true);
    if (!ok) gg_str_printf(why, "%s: %s", cache->directory, strerror(errno));
  }
  gg_free(directory);
  gg_free(path);
  gg_str_free(&entry);
  if (ok) shrink(cache, cache->limit);
  return ok;
}

/* ---- Remembering ---------------------------------------------------------------------- */

/* DIRECTORY/choices/HEX, where HEX is the first digits of the key. */
static char *choice_path(const char *directory, const gg_cache_key *key) {
  gg_str path = GG_STR_INIT;
  gg_str_printf(&path, "%s/%s/%02x%x", directory, choices, key->digest[0], key->digest[1] >> 4);
  return gg_str_take(&path);
}

bool gg_cache_recall(gg_str *out, const gg_cache *cache, const gg_cache_key *key) {
  gg_str none = GG_STR_INIT, why = GG_STR_INIT;
  bool found = get_anywhere(out, &none, cache, choice_path, key, &why);
  gg_str_free(&none);
  gg_str_free(&why);
  return found;
}

/* The file is not synced: one that a crash cuts short is not used. */
void gg_cache_remember(const gg_cache *cache, const gg_cache_key *key, const gg_str *text) {
  if (!cache->directory) return;
  gg_str entry = GG_STR_INIT, none = GG_STR_INIT, folder = GG_STR_INIT;
  build_entry(&entry, key, text, &none);
  gg_str_printf(&folder, "%s/%s", cache->directory, choices);
  char *path = choice_path(cache->directory, key), *directory = gg_str_take(&folder);
  enum { owner_alone = 0600 };
  if (path && directory && !entry.failed && gg_directory_make(directory, 0700))
    gg_file_replace(path, entry.text, entry.length, owner_alone, false);
  gg_free(directory);
  gg_free(path);
  gg_str_free(&entry);
}
