#!/usr/bin/env python3
"""What a program that starts now waits for its first product, each figure of fresh processes.

    ninja -C BUILD tests/bench/bench_first_call gen/cli/gemmgen
    BUILD/gen/cli/gemmgen pack --catalogue --form bf16,bf16,bf16 e4m3,e4m3,bf16 --arch sm_90a \\
        -o first_call.pack
    docs/performance/first_call.py --program BUILD/tests/bench/bench_first_call \\
        --pack first_call.pack

A pack of these products alone is made faster, and is small: with pack's --problem
"512 512 512; 4096 4096 4096; 1000 777 1234; 1408 896 32768", in the emulator
"64 64 64; 128 128 128; 100 77 123; 64 64 4096".

With --drawn N, N products of all sizes, drawn from --seed, take the place of these, on a GPU, for
bf16 and with the pack alone, which is then one of all that bf16 products may need (without pack's
--problem).

Each product is measured with an empty cache (NVRTC compiles its kernel), with the cache that this
left (kernel and choice are on the disk), and with the pack, an empty cache and no NVRTC. Figures
are medians of --repeat processes: gg_gemm_open, the first gg_gemm_launch to its end and the second.
`--device emu` takes small shapes and the emulator, for which the pack needs --ptx. The exit status
is 1 where a line takes longer than it may: 800 ms, from the cache 5 ms, from a pack 10 ms; in the
emulator nothing is judged, as launches are emulated.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile

# What the first call may take, in milliseconds.
LIMITS = {"empty cache": 800, "warm cache": 5, "pack": 10}
TYPES = ["bf16", "e4m3"]
PRODUCTS = {
    "gpu": ["512 512 512", "4096 4096 4096", "1000 777 1234", "1408 896 32768 workspace"],
    "emu": ["64 64 64", "128 128 128", "100 77 123", "64 64 4096 workspace"],
}


def draw(count, seed):
    """Products whose rows are many or few, with lines that are aligned or not."""
    source = random.Random(seed)
    products = []
    for _ in range(count):
        m, n, k = (int(2 ** source.uniform(low, 13)) for low in (0, 4, 5))
        if source.random() < 0.6:
            n, k = (max(8, side // 8 * 8) for side in (n, k))
        products.append(f"{m} {n} {k}" + source.choice(["", " workspace"]))
    return products


def run(program, kind, product, more, cache, packs):
    """One fresh process: context, open, first (ms), second (us), the kernel's name."""
    environment = dict(os.environ, GEMMGEN_CACHE=cache, GEMMGEN_PACKS=packs)
    done = subprocess.run([program, kind, *product.split(), *more], env=environment,
                          stdout=subprocess.PIPE, check=True, text=True)
    words = done.stdout.split()
    return [float(word) for word in words[:4]], words[4]


def measure(arguments, kind, product, state):
    """The medians of one line, and its kernel."""
    more = ["emu"] if arguments.device == "emu" else []
    packs = os.path.abspath(arguments.pack) if state == "pack" else ""
    if state == "pack":
        more.append("uncompiled")
    rows = []
    with tempfile.TemporaryDirectory() as warm:
        if state == "warm cache":
            run(arguments.program, kind, product, more, warm, packs)
        for _ in range(arguments.repeat):
            with tempfile.TemporaryDirectory() as empty:
                cache = warm if state == "warm cache" else empty
                row, kernel = run(arguments.program, kind, product, more, cache, packs)
                rows.append(row)
    return [statistics.median(column) for column in zip(*rows)], kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="bench_first_call")
    parser.add_argument("--pack", help="a pack of both types; without it those lines are left out")
    parser.add_argument("--device", choices=PRODUCTS, default="gpu")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--drawn", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    states = [state for state in LIMITS if state != "pack" or arguments.pack]
    types, products = TYPES, PRODUCTS[arguments.device]
    if arguments.drawn:
        if not arguments.pack or arguments.device != "gpu":
            parser.error("--drawn needs a GPU and --pack")
        states, types = ["pack"], TYPES[:1]
        products = draw(arguments.drawn, arguments.seed)
    late, waits = 0, []
    print("| product | process | context ms | open ms | first call ms | second call us | kernel |")
    print("|---|---|---|---|---|---|---|")
    for kind in types:
        for product in products:
            for state in states:
                (context, opened, first, second), kernel = measure(arguments, kind, product, state)
                judged = arguments.device == "gpu" and opened + first > LIMITS[state]
                late += judged
                waits.append(opened + first)
                print(f"| {kind} {product} | {state} | {context:.1f} | {opened:.2f} | {first:.2f}"
                      f"{' (late)' if judged else ''} | {second:.1f} | {kernel} |", flush=True)
    if arguments.drawn:
        print(f"\nmedian {statistics.median(waits):.2f} ms, longest {max(waits):.2f} ms")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
