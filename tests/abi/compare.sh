#!/usr/bin/env bash
# What a change of the binary interface is: nothing, something appended, or a break with programs
# that are compiled already.
#   compare.sh OLD NEW     prints every difference; 0: none, 1: appended, 2: a break
#
# Appended are: a function, a type, a number, an export that is new; a member behind the end of a
# struct that can grow; a member in place of `reserved`, within its bytes. A struct can grow that
# begins with its size, which callers set, or that the library alone makes:
set -eu
grown='gg_compiler_facts gg_device_facts gg_module_facts gg_binary gg_error_info gg_kernel'

awk -v grown="$grown" '
BEGIN {
  split(grown, list, " ")
  for (i in list) grows[list[i]] = 1
}

function breaks(what) { print "breaks: " what; broken = 1 }
function appends(what) { print "appended: " what; added = 1 }

# Every line by a name: a struct, its members, and the others as they are.
{
  old = FNR == NR
  if (/^struct /) {
    struct = $2
    key = "struct " struct
    size[old, struct] = $3
    if (old) had[struct] = 1
  } else if (/^[^ ]/) {
    struct = ""
    section = $0
    key = $0
  } else if (struct != "") {
    key = struct "." $3
    first[old, key] = $1
    bytes[old, key] = $2
    of[key] = struct
    if ($1 == 0 && $3 == "size") grows[struct] = 1
  } else {
    key = section ":" $NF
  }
  line[old, key] = $0
  if (old) olds[++old_count] = key
  else news[++new_count] = key
}

function is_reserved(key) { return key ~ /\.reserved$/ }

# Whether it lies where nothing was: behind the struct, or in what was reserved of it.
function has_room(key, struct,    begin, end, room) {
  begin = first[0, key]
  end = begin + bytes[0, key]
  if (begin >= size[1, struct]) return struct in grows
  room = struct ".reserved"
  return (1, room) in line && begin >= first[1, room] && end <= first[1, room] + bytes[1, room]
}

END {
  for (i = 1; i <= old_count; i++) {
    key = olds[i]
    if (is_reserved(key) || key == "constants") continue
    if (!((0, key) in line)) breaks("there is no longer: " key)
    else if (line[1, key] == line[0, key]) continue
    else if (key !~ /^struct /) breaks(line[1, key] " -> " line[0, key])
    else if (!(substr(key, 8) in grows)) breaks(key " has another size, and cannot grow")
    else if (size[0, substr(key, 8)] < size[1, substr(key, 8)]) breaks(key " has become smaller")
  }
  for (i = 1; i <= new_count; i++) {
    key = news[i]
    if ((1, key) in line && !is_reserved(key)) continue
    if (key in of && of[key] in had) {
      if (is_reserved(key) && (1, key) in line && line[0, key] == line[1, key]) continue
      if (has_room(key, of[key])) appends(key)
      else breaks(key " lies where something else was, or the struct cannot grow")
    } else appends(key)
  }
  exit broken ? 2 : added ? 1 : 0
}' "$1" "$2"
