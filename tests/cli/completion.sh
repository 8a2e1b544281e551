#!/usr/bin/env bash
# What shells complete: every command and option; files, folders and architectures for the options that
# take such. bash's script runs here, fish's and zsh's where these are.
#   completion.sh GEMMGEN
. "$(dirname "$0")/expect.sh"

# completed WORD...: what bash's script offers for the last word, in lines.
completed() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _gemmgen
  printf '%s\n' "${COMPREPLY[@]}"
}

# offers WORDS WANTED: whether the offer for the words, split at spaces, is just that, in any order.
offers() {
  local wanted=$1 words
  shift
  read -ra words <<<"$1"
  [ "${1% }" = "$1" ] || words+=('')
  [ "$(completed "${words[@]}" | sort | xargs)" = "$wanted" ]
}

expect 0 "bash's" "$gemmgen" help --completion bash
cp out gemmgen.bash
# shellcheck source=/dev/null
. ./gemmgen.bash
mkdir folder
touch mine.yaml 'two words.yaml' recipe.json other.txt
holds 'commands' offers 'explain' 'gemmgen ex'
holds 'their options' offers '--depfile' 'gemmgen gen --d'
holds 'a single letter' offers '-k' 'gemmgen run -k'
holds 'architectures' offers 'sm_103 sm_103a sm_103f' 'gemmgen gen --arch sm_103'
holds 'any file' offers 'mine.yaml' 'gemmgen gen -o m'
holds 'specs and folders' offers 'folder mine.yaml two words.yaml' 'gemmgen check '
holds 'recipes and folders' offers 'folder recipe.json' 'gemmgen emu '
holds 'commands to explain' offers 'tune' 'gemmgen help tu'
holds 'nothing for a number' offers '' 'gemmgen run -m '
holds 'nothing for an unknown command' offers '' 'gemmgen frobnicate --a'

# Every command and every option is in every script.
for shell in bash zsh fish; do
  expect 0 "$shell's" "$gemmgen" help --completion $shell
  cp out "gemmgen.$shell"
done
"$gemmgen" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' >commands
holds 'there are commands' grep -qx explain commands
while read -r command; do
  for option in $("$gemmgen" help "$command" | sed -n 's/^  .*--\([a-z-]*\).*/\1/p'); do
    holds "bash: $command --$option" grep -q -- "--$option[ ']" gemmgen.bash
    holds "zsh: $command --$option" grep -q -- "--$option[]}\[']" gemmgen.zsh
    holds "fish: $command --$option" grep -q "from $command'.* -l $option " gemmgen.fish
  done
done <commands

expect 2 'another shell' "$gemmgen" help --completion tcsh
holds 'it says which' grep -q "takes bash, zsh or fish, not 'tcsh'" err
if command -v zsh >/dev/null; then expect 0 "zsh reads it" zsh -n gemmgen.zsh; fi
if command -v fish >/dev/null; then
  expect 0 'fish completes' fish --no-config -c 'source gemmgen.fish; complete -C "gemmgen gen --dep"'
  holds 'what there is' grep -q '^--depfile' out
fi

# The man page tells of every variable that is read.
expect 0 'the man page' "$gemmgen" help --man
for section in ENVIRONMENT FILES EXAMPLES; do holds $section grep -qx ".SH $section" out; done
for variable in $(grep -rhoE '"GEMMGEN_[A-Z_]+"' "$tests/../../gen" "$tests/../../runtime" | tr -d '"' |
  sort -u); do
  holds "it tells of $variable" grep -q "fB$variable" out
done
finish
