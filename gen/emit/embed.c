/* Build-time tool: `embed OUT.c TABLE MARKER FILE...` writes the text files as one C table of that
 * name, so that the library carries its templates and reads no path at run time. MARKER is any
 * file of their root folder: the names in the table are relative to that. */
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

/* The length of the folder's name with its slash; 0 for the current one. */
static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  size_t root = folder_length(argv[3]);
  FILE *out = fopen(argv[1], "w");
  if (!out) return 1;
  fprintf(out, "#include \"emit/template.h\"\n\n");
  for (int i = 4; i < argc; i++) {
    if (strncmp(argv[i], argv[3], root) != 0) {
      fprintf(stderr, "embed: %s is not under the folder of %s\n", argv[i], argv[3]);
      return 1;
    }
    fprintf(out, "static const unsigned char text_%d[] = {\n", i);
    if (!embed_file(out, argv[i])) return 1;
    fprintf(out, "0};\n");
  }
  fprintf(out, "\nconst gg_template_file %s[] = {\n", argv[2]);
  for (int i = 4; i < argc; i++) {
    fprintf(out, "  {\"%s\", (const char *)text_%d},\n", argv[i] + root, i);
  }
  fprintf(out, "  {0},\n};\n");
  return fclose(out) == 0 ? 0 : 1;
}
