#!/usr/bin/env bash
# Doors open downwards only: each room includes headers of its own, and of the rooms that are named
# here beside it. What breaks a rule is said as FILE:LINE.
#   rooms.sh SOURCE_ROOT
set -u
cd "$1" || exit 1

# A room is a folder of gen/, or runtime/, or runtime/emu/. `gen` is what stands in gen/ itself.
rooms='
base
layout      base
atom        base layout
calculator  base layout atom
spec        base atom
plan        base layout atom spec
specialise  base
emit        base layout atom spec plan specialise
choice      base layout atom spec plan emit
gen         base atom spec plan emit
runtime     base atom spec plan emit choice gen emu
page        base atom layout calculator spec plan emit choice gen
cli         base atom layout calculator spec plan emit choice gen runtime emu page
emu         base
'
# The public header of the generator is for rooms that speak of its types; the emulator presents the
# driver.
headers='
atom:gemmgen.h calculator:gemmgen.h spec:gemmgen.h plan:gemmgen.h emit:gemmgen.h
emu:driver.h emu:driver.def emu:gemmgen_emu.h
'

sources() {
  find gen runtime -name '*.[ch]' -o -name '*.def'
}
export rooms headers
awk '
  function room_of(path, part) {
    split(path, part, "/")
    if (part[1] == "runtime") return part[2] == "emu" ? "emu" : "runtime"
    return path ~ /^gen\/.*\// ? part[2] : "gen"
  }
  # The file that is included: beside the one that includes it, or on the include path.
  function found(from, name, folder, i) {
    folder = from
    sub(/[^\/]*$/, "", folder)
    if ((folder name) in files) return folder name
    for (i = 1; i <= paths; i++)
      if ((path[i] name) in files) return path[i] name
    return ""
  }
  BEGIN {
    paths = split("gen/ runtime/ runtime/harness/ runtime/recipe/", path, " ")
    count = split(ENVIRON["rooms"], lines, "\n")
    for (i = 1; i <= count; i++) {
      words = split(lines[i], word, " ")
      for (j = 1; j <= words; j++) may[word[1], word[j]] = 1
      if (words) known[word[1]] = 1
    }
    count = split(ENVIRON["headers"], word, /[ \n]+/)
    for (i = 1; i <= count; i++) may_have[word[i]] = 1
  }
  NR == FNR {
    files[$0] = 1
    next
  }
  {
    split($0, field, ":")
    split($0, quoted, "\"")
    from = room_of(field[1])
    file = found(field[1], quoted[2])
    checked++
    if (!(from in known)) wrong = "is in no room that rooms.sh knows"
    else if (!file) wrong = "includes \"" quoted[2] "\", which is nowhere"
    else if ((from, room_of(file)) in may || (from ":" quoted[2]) in may_have) next
    else wrong = from " includes \"" quoted[2] "\" of " room_of(file)
    print field[1] ":" field[2] ": " wrong
    failed++
  }
  END {
    if (checked < 500) print "only " checked " includes were found"
    exit failed > 0 || checked < 500
  }' <(sources) <(sources | sort | xargs grep -nE '^ *# *include "')
