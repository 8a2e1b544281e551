# Specs that tests of the command line share, in the folder where they stand: one kernel, several, and
# one that is refused. Sourced behind expect.sh.
cat >spec.yaml <<'EOF'
name: small
arch: sm_80
a: f16
b: f16
c: auto
d: f16
tile: [64, 64, 32]
EOF
cat >sweep.yaml <<'EOF'
arch: sm_80
a: f16
b: f16
d: f16
tile: [64, 64, 32]
sweep: {stages: [2, 3], a.align: [8, 16]}
EOF
echo 'arch: sm_80' >bad.yaml
