#!/usr/bin/env python3
"""Draws products as people compute them, and says what choosing among kernels costs, class by class.

    sweep.py draw SEED COUNT FOLDER     COUNT products of each class, a file FOLDER/CLASS.txt for
                                        `gemmgen bench --cases`
    sweep.py report FILE.tsv...         what `gemmgen bench --top N --tsv FILE.tsv` wrote of such files,
                                        as a table: regret is how much longer the kernel that the model
                                        ranks first takes than the fastest of the N

The distribution. Types: bf16 in half of the products, f16, e4m3 to bf16, e4m3, s8 and tf32 in a tenth
each. Extents of one class:

  language  a layer of a language model: hidden size h from 768 to 8192 in steps of 128, the layer
            h x h, 3h x h, 4h x h, h x 4h, or 8/3 h to whole 256 x h and back; rows from 1 to 16,384,
            their logarithm evenly distributed, in half of the products a power of two
  vision    a convolution as a product: 1 to 64 pictures of 7, 14, 28 or 56 squared positions, 64 to 1024
            channels in steps of 32 on both sides, windows of 1 or 9
  batch     8 to 512 entries of 64 to 1024 rows and columns, K of 32 to 256 in steps of 8
  square    M = N = K from 256 to 10,240, in steps of 64
  odd       each extent from 64 to 6,000, none a multiple of 8
  narrow    at most 132 tiles of 128 x 128, K from 2,048 to 131,072 in steps of 64
  even      M and N from 256 and K from 512 to 8192, in steps of 8: what epilogues are measured with
  attention the two products of attention, heads of 64, 80, 96 or 128: queries by keys, and probabilities by
            values, whose B is N-major; 128 to 4096 queries and as many keys, or 4 times, in half of the
            products a power of two, else in steps of 8; 8 to 1024 entries

Lines that tensor maps cannot read are as they are: gg_gemm computes those too."""

import csv
import math
import os
import random
import sys

TYPES = ["bf16 bf16 bf16 f32"] * 5 + [
    "f16 f16 f16 f32", "e4m3 e4m3 bf16 f32", "e4m3 e4m3 e4m3 f32", "s8 s8 s8 s32",
    "tf32 tf32 f32 f32"]


def logarithmic(least, most, step=1):
    x = math.exp(random.uniform(math.log(least), math.log(most)))
    return max(step, round(x / step) * step)


def language():
    h = random.randrange(768, 8193, 128)
    ff = (8 * h // 3 + 255) // 256 * 256
    n, k = random.choice([(h, h), (3 * h, h), (4 * h, h), (h, 4 * h), (ff, h), (h, ff)])
    rows = 2 ** random.randrange(15) if random.random() < 0.5 else logarithmic(1, 16384)
    return rows, n, k, 1


def vision():
    positions = random.choice([7, 14, 28, 56]) ** 2
    rows = positions * 2 ** random.randrange(7)
    return rows, random.randrange(64, 1025, 32), random.randrange(64, 1025, 32) * random.choice(
        [1, 9]), 1


def batch():
    return logarithmic(64, 1024), logarithmic(64, 1024, 8), logarithmic(32, 256, 8), logarithmic(8, 512)


def square():
    n = logarithmic(256, 10240, 64)
    return n, n, n, 1


def odd():
    def extent():
        return logarithmic(64, 6000, 8) + random.randrange(1, 8)
    return extent(), extent(), extent(), 1


def narrow():
    rows = random.randrange(1, 12)
    columns = random.randrange(1, 132 // rows + 1)
    return rows * 128 - random.randrange(0, 64, 8), columns * 128 - random.randrange(
        0, 64, 8), logarithmic(2048, 131072, 64), 1


def even():
    return logarithmic(256, 8192, 8), logarithmic(256, 8192, 8), logarithmic(512, 8192, 8), 1


def attention():
    queries = 2 ** random.randrange(7, 13) if random.random() < 0.5 else logarithmic(128, 4096, 8)
    keys, head = queries * random.choice([1, 1, 4]), random.choice([64, 64, 80, 96, 128])
    entries = logarithmic(8, 1024)
    if random.random() < 0.5:
        return queries, keys, head, entries
    return queries, head, keys, entries, "k n n"


CLASSES = [language, vision, batch, square, odd, narrow, even, attention]


def bytes_of(types, m, n, k, entries):
    """Of A, B and D, as gemmgen bench allocates one set of them."""
    wide = {"bf16": 2, "f16": 2, "e4m3": 1, "s8": 1, "tf32": 4, "f32": 4}
    a, b, d, _ = types.split()
    return entries * (m * k * wide[a] + n * k * wide[b] + m * n * wide[d])


def draw(seed, count, folder):
    random.seed(seed)
    for drawn in CLASSES:
        lines = []
        while len(lines) < count:
            types, extents = random.choice(TYPES), drawn()
            m, n, k, entries, *majors = extents
            if bytes_of(types, m, n, k, entries) > 2e9 or m * n * k * entries > 2e12:
                continue
            if drawn is not odd and types.startswith(("e4m3", "s8")) and (n % 16 or k % 16):
                continue
            lines.append(f"{types} {majors[0] if majors else 'k k n'} {m} {n} {k} {entries}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, drawn.__name__ + ".txt"), "w") as out:
            out.write("\n".join(lines) + "\n")


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def report(files):
    classes = {}
    for path in files:
        name = os.path.basename(path).split(".")[0].rstrip("0123456789_")
        races = {}
        with open(path) as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                assert row["right"] == "1", row
                word = row.get("epilogue", "none")
                races.setdefault((row["case"], word), []).append(row)
        for (case, word), rows in races.items():
            chosen, best = float(rows[0]["ours"]), max(float(r["ours"]) for r in rows)
            first, of_best = (float(rows[0][w]) for w in ("lt_heur", "lt_best"))
            of = name if word == "none" else name + ", epilogue"
            case = case if word == "none" else f"{case} {word}"
            classes.setdefault(of, []).append(
                (best / chosen, chosen / first if first else None,
                 chosen / of_best if of_best else None, case, rows[0]["kernel"],
                 max(rows, key=lambda r: float(r["ours"]))["kernel"]))
    print("| class | products | regret, mean | worst | beside the first choice | under 0.95 | "
          "its best | the least |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, races in [*classes.items(), ("all", sum(classes.values(), []))]:
        regret = [r[0] for r in races]
        first, best = ([r[i] for r in races if r[i]] for i in (1, 2))
        print(f"| {name} | {len(races)} | {mean(regret):.3f} | {max(regret):.3f} | {mean(first):.3f} | "
              f"{sum(x < 0.95 for x in first)} | {mean(best):.3f} | {min(first):.3f} |")
    print("\nThe ten where choosing costs most, and the ten behind:")
    races = sum(classes.values(), [])
    for race in sorted(races, key=lambda r: -r[0])[:10]:
        print(f"  regret {race[0]:.3f}: {race[3]}: {race[4]}, {race[5]} is faster")
    for race in sorted((r for r in races if r[1]), key=lambda r: r[1])[:10]:
        print(f"  {race[1]:.3f} of cuBLASLt: {race[3]}: {race[4]}")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "draw":
        draw(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    elif len(sys.argv) > 2 and sys.argv[1] == "report":
        report(sys.argv[2:])
    else:
        sys.exit(__doc__)
