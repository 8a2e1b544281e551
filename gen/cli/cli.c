/* Shared by the commands: errors on stderr, output of whole files, the progress bar. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

int cli_report(gg_error *err, const char *source) {
  gg_str text = GG_STR_INIT;
  gg_error_print(&text, err, source);
  fflush(stdout);
  if (text.failed) {
    fprintf(stderr, "error: %s [%s]\n", err->message, gg_error_info_of(err->code)->name);
  } else {
    fputs(gg_str_text(&text), stderr);
  }
  gg_str_free(&text);
  gg_error_clear(err);
  return CLI_FAILED;
}

int cli_out_of_memory(void) {
  gg_error err = GG_ERROR_INIT;
  (void)gg_fail(&err, MEMORY, NULL, "");
  return cli_report(&err, NULL);
}

int cli_usage(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("gemmgen: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return CLI_USAGE;
}

int cli_arch_read(gg_arch *out, const char *text) {
  if (gg_arch_parse(out, text)) return CLI_OK;
  gg_str known = GG_STR_INIT;
  size_t count;
  const gg_arch_info *table = gg_arch_table(&count);
  for (size_t i = 0; i < count; i++) {
    gg_str_printf(&known, "%s%d", i ? ", " : "", table[i].number);
    for (const char *suffix = table[i].suffix; *suffix; suffix++)
      gg_str_printf(&known, ", %d%c", table[i].number, *suffix);
  }
  int code = cli_usage("--arch takes an architecture such as sm_90a, compute_90a or 90a, not '%s'; "
                       "there are %s",
                       text, gg_str_shown(&known));
  gg_str_free(&known);
  return code;
}

void cli_warn(void *user, const char *message) {
  (void)user;
  fprintf(stderr, "gemmgen: warning: %s\n", message);
}

static gg_status write_failed(gg_error *err, const char *path) {
  return gg_fail(err, FILE_WRITE, NULL, path, strerror(errno));
}

/* Whether `path` is standard output under any name, such as /dev/stdout. Opening that anew would
 * lose what was written to it before. */
static bool is_stdout(const char *path) {
  struct stat named, out;
  return !path || strcmp(path, "-") == 0 ||
         (stat(path, &named) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
          named.st_dev == out.st_dev && named.st_ino == out.st_ino);
}

gg_status cli_print(const gg_str *text, gg_error *err) {
  if (text->failed) return gg_fail(err, MEMORY, NULL, "");
  fputs(gg_str_text(text), stdout); /* main checks that all of it was written */
  return GG_OK;
}

gg_status cli_write_text(const char *path, const gg_str *text, gg_error *err) {
  if (text->failed) return gg_fail(err, MEMORY, NULL, "");
  return cli_write(path, gg_str_text(text), text->length, err);
}

gg_status cli_write(const char *path, const char *text, size_t length, gg_error *err) {
  if (is_stdout(path)) {
    if (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0) {
      return write_failed(err, "<stdout>");
    }
    return GG_OK;
  }
  if (gg_file_write(path, text, length)) return GG_OK;
  return errno == ENOMEM ? gg_fail(err, MEMORY, NULL, "") : write_failed(err, path);
}

bool cli_writes_again(const char *path) {
  struct stat facts;
  return !is_stdout(path) && (stat(path, &facts) != 0 || S_ISREG(facts.st_mode));
}

int cli_check_writable(const char *path) {
  gg_error err = GG_ERROR_INIT;
  if (!path || strcmp(path, "-") == 0 || gg_file_writable(path)) return CLI_OK;
  (void)write_failed(&err, path);
  return cli_report(&err, NULL);
}

void cli_progress(const char *what, size_t done, size_t total) {
  enum { width = 40 };
  if (!isatty(STDERR_FILENO) || total == 0) return;
  size_t filled = done >= total ? width : done * width / total;
  fprintf(stderr, "\r%s [", what);
  for (size_t i = 0; i < width; i++)
    fputc(i < filled ? '#' : '.', stderr);
  fprintf(stderr, "] %zu/%zu", done, total);
  if (done >= total) fputs("\r\033[K", stderr);
  fflush(stderr);
}
