"""Comments of emitted kernels name nothing that pruning has taken away.

    comments.py GEMMGEN TEMPLATES FOLDER...

A function, constant or variable of a template may be gone from a kernel that does not use it, while
a comment elsewhere still speaks of it. In the kernels of each folder's specs, every word of a comment
that is a name in the templates' code must be one in the kernel's own code. Only names with an
underscore count: others are words of English, too."""

import pathlib
import re
import subprocess
import sys
import tempfile

NAME = re.compile(r"\b[a-z][a-z0-9]*_[a-z0-9_]+\b")
COMMENT = re.compile(r"//.*")


def names_of(code):
    return set(NAME.findall(COMMENT.sub("", code)))


def without_banner(kernel):
    """What stands behind the first block of comment lines."""
    return kernel[re.search(r"^(?!//)", kernel, re.MULTILINE).start() :]


def kernels_of(gemmgen, folder):
    specs = sorted(map(str, pathlib.Path(folder).glob("*.yaml")))
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([gemmgen, "gen", "-o", out, *specs], check=True)
        for path in sorted(pathlib.Path(out).glob("*.cu")):
            yield f"{folder}: {path.name}", path.read_text()


def main():
    gemmgen, templates, *folders = sys.argv[1:]
    known = set()
    for path in pathlib.Path(templates).rglob("*.cu"):
        known |= names_of(path.read_text())
    missing, count = {}, 0
    for folder in folders:
        for kernel, text in kernels_of(gemmgen, folder):
            count += 1
            code = without_banner(text)
            there = names_of(code)
            for comment in COMMENT.findall(code):
                for name in set(NAME.findall(comment)) & known - there:
                    missing.setdefault((name, comment), kernel)
    for (name, comment), kernel in missing.items():
        print(f"{kernel} has no {name}, but says: {comment}")
    print(f"{count} kernels, {len(missing)} comments that speak of what is not there")
    return bool(missing) or not count


sys.exit(main())
