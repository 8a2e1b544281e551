#!/usr/bin/env python3
"""Draws what `gemmgen trace` wrote of one CTA on a GPU, and beside it the emulator's of the same problem.

    draw.py [--cta N] GPU.json[.gz] EMULATOR.json[.gz] OUT.svg

A lane is a role's first warp, and the MMAs of each consumer's first warp. Both have the whole launch
from left to right, each by its own clock."""

import argparse
import gzip
import html
import json

WIDTH, LEFT, LANE, GAP = 1200, 130, 18, 6
COLOURS = {  # of Okabe and Ito, told apart by the colour-blind
    "runs": "#bbbbbb", "waits for a stage": "#e69f00", "waits for its turn": "#cc79a7",
    "waits for MMAs": "#56b4e9", "MMAs": "#0072b2", "epilogue": "#009e73", "combine": "#f0e442",
    "waits for others": "#d55e00"}


def read(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        return json.load(file)["traceEvents"]


def kind_of(name):
    if name.startswith(("full", "empty")):
        return "waits for a stage"
    if name.startswith("turn"):
        return "waits for its turn"
    if name.startswith("wgmma.wait"):
        return "waits for MMAs"
    if name in ("epilogue", "combine"):
        return name
    if name == "others' sums" or name.startswith(("griddep", "barrier", "cp.async.bulk.wait")):
        return "waits for others"
    return "runs"


def lanes_of(events, cta):
    """[(label, [(from, until, kind)])], longer slices before those within them."""
    names = {e["tid"]: e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == cta}
    seen, lanes = set(), []
    for tid, name in sorted(names.items()):
        role = name.split(", warp")[0]
        if role in seen or ", warp" not in name:
            continue
        seen.add(role)
        slices = [(e["ts"], e["ts"] + e["dur"], kind_of(e["name"])) for e in events
                  if e["ph"] == "X" and e["pid"] == cta and e["tid"] == tid]
        lanes.append((role, sorted(slices, key=lambda s: (s[0], -s[1]))))
        groups, begun = [], {}
        for e in events:
            if e["pid"] != cta or e.get("cat") != "wgmma":
                continue
            if e["ph"] == "b" and e["args"]["warp"] == tid:
                begun[e["id"]] = e["ts"]
            elif e["ph"] == "e" and e["id"] in begun:
                groups.append((begun[e["id"]], e["ts"], "MMAs"))
        if groups:
            lanes.append((role + "'s MMAs", groups))
    return lanes


def panel(lanes, top, title, unit):
    last = max(s[1] for _, slices in lanes for s in slices)
    out = ['<text x="0" y="%d" font-weight="bold">%s: %.0f %s</text>' %
           (top + 12, html.escape(title), last, unit)]
    for number, (label, slices) in enumerate(lanes):
        y = top + 20 + number * (LANE + GAP)
        out.append('<text x="0" y="%d">%s</text>' % (y + 13, html.escape(label)))
        for begin, end, kind in slices:
            x, w = LEFT + begin / last * (WIDTH - LEFT), (end - begin) / last * (WIDTH - LEFT)
            half = LANE // 2 * (kind == "MMAs" and slices.index((begin, end, kind)) % 2)
            height = LANE // 2 if kind == "MMAs" else LANE
            out.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>' %
                       (x, y + half, max(w, 0.3), height, COLOURS[kind]))
    return out, top + 20 + len(lanes) * (LANE + GAP) + 14


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--cta", type=int, default=1)
    args.add_argument("files", nargs=3)
    args = args.parse_args()
    body, top = [], 4
    for path, title, unit in zip(args.files, ("H100", "emulator"), ("us", "instructions of a cluster")):
        text, top = panel(lanes_of(read(path), args.cta), top, title, unit)
        body += text
    for number, (kind, colour) in enumerate(COLOURS.items()):
        x = number * WIDTH // len(COLOURS)
        body.append('<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>' %
                    (x, top, colour, x + 16, top + 11, kind))
    with open(args.files[2], "w") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 0 %d %d" font-family="sans-serif" '
                  'font-size="12"><rect x="-8" width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' %
                  (WIDTH + 16, top + 20, "\n".join(body)))


main()
