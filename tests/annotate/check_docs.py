#!/usr/bin/env python3
"""Listings of a document are what their commands print: lines in their order, `...` for others.

    check_docs.py GEMMGEN SOURCE_ROOT FILE.md

A listing of PTX names the NVRTC that made it; where another one does, it is not compared."""
import os
import re
import subprocess
import sys


def listings(text):
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S):
        command, *lines = block.rstrip("\n").split("\n")
        assert command.startswith("$ gemmgen "), command
        yield command[len("$ gemmgen "):], lines


def find(lines, printed):
    """Each run of lines somewhere behind the one before."""
    at, runs = 0, "\n".join(lines).split("\n...")
    for run in runs:
        wanted = [line for line in run.split("\n") if line and line != "..."]
        if not wanted:
            continue
        while printed[at:at + len(wanted)] != wanted:
            at += 1
            assert at < len(printed), "not printed:\n" + "\n".join(wanted)
        at += len(wanted)


def main():
    gemmgen, root, path = sys.argv[1:]
    gemmgen = os.path.realpath(gemmgen)
    for command, lines in listings(open(path).read()):
        done = subprocess.run([gemmgen, *command.split()], cwd=root, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        compiler = [line for line in lines if line.startswith("// Cuda compilation tools")]
        if compiler and compiler[0] not in done.stdout:
            print("another NVRTC:", command)
            continue
        find(lines, done.stdout.split("\n"))
        print("as printed:", command)


main()
