/* Build-time tool: `embed OUT.c TABLE FOLDER FILE...` writes the text files as a C table named
 * TABLE, so that the library carries its templates and reads no path at run time. A file is known
 * by its path below the folder named FOLDER. */
#include <stdio.h>
#include <string.h>

static int embed_file(FILE *out, const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in) return 0;
  int byte, column = 0;
  while ((byte = fgetc(in)) != EOF) {
    column += fprintf(out, "%d,", byte);
    if (column > 96) {
      fputc('\n', out);
      column = 0;
    }
  }
  int ok = !ferror(in);
  fclose(in);
  return ok;
}

/* The part of `path` behind the folder; the whole path if it is not inside that folder. */
static const char *name_of(const char *path, const char *folder) {
  const char *name = path;
  for (const char *at = path; (at = strstr(at, folder)); at++) {
    size_t length = strlen(folder);
    if (at[length] == '/' && (at == path || at[-1] == '/')) name = at + length + 1;
  }
  return name;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  FILE *out = fopen(argv[1], "w");
  if (!out) return 1;
  fprintf(out, "#include \"emit/template.h\"\n\n");
  for (int i = 4; i < argc; i++) {
    fprintf(out, "static const unsigned char text_%d[] = {\n", i);
    if (!embed_file(out, argv[i])) return 1;
    fprintf(out, "0};\n");
  }
  fprintf(out, "\nconst gg_template_file %s[] = {\n", argv[2]);
  for (int i = 4; i < argc; i++) {
    fprintf(out, "  {\"%s\", (const char *)text_%d},\n", name_of(argv[i], argv[3]), i);
  }
  fprintf(out, "  {0},\n};\n");
  return fclose(out) == 0 ? 0 : 1;
}
