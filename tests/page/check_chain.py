#!/usr/bin/env python3
"""From global memory to the MMA: check_chain.py GEMMGEN SPEC...

Of elements of A, what the page of a kernel says of their way is held to what the emulator does with
them. By the page's data alone an element's byte is found in shared memory (K tile, stage of the
ring, layout and swizzle), the box of the tensor map that brings it or the warp that copies it, the
MMA and K step that multiply it with the start of that MMA's descriptor, or the threads whose
fragment has it. The emulator follows the element's first byte through the same launch and tells
which copy wrote it where, and which instructions read it there: `gemmgen explain --html --run
--element`."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

ELEMENTS = 8


def script(text, name):
    found = re.search(rf'id="{name}">(.*?)</script>', text, re.S)
    return json.loads(found.group(1)) if found else None


def page_of(gemmgen, spec, element):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        command = [gemmgen, "explain", spec, "--html", "--run", "-o", path]
        if element:
            command += ["--element", f"{element[0]} {element[1]}"]
        subprocess.run(command, check=True)
        with open(path) as page:
            return page.read()


def extents(text):
    found = re.search(r"<p>M (\d+), N (\d+), K (\d+), batch", text)
    return int(found.group(1)), int(found.group(3))


def view_of_a(text):
    return next(view for view in script(text, "views") if view["title"] == "A")


def byte_of(view, offset):
    """Elements of 4 and 6 bits that have a byte each lie packed in the first bytes of every 16."""
    if view["bits"] == view["packed"]:
        return offset * view["bits"] // 8
    return offset - offset % 16 + offset % 16 * view["packed"] // 8


def derive(view, k_extent, row, along_k):
    """The element's way by the page's data."""
    way, columns = view["way"], view["columns"]
    tiles = -(-k_extent // columns)
    tile, in_row, in_column = along_k // columns, row % view["rows"], along_k % columns
    turn = (tile + 1) % tiles if way["last_first"] else tile
    stage = turn % way["stages"]
    index = in_row + in_column * view["rows"]
    begin = way["begin"] + stage * way["stage_bytes"]
    derived = {"index": index, "byte": begin + byte_of(view, view["memory"]["offset"][index])}
    if "box" in way:
        place = (along_k, row) if view["along_k"] else (row, along_k)
        derived["box"] = [at - at % extent for at, extent in zip(place, way["box"])]
    if "descriptors" in way:
        block, step = in_row // way["block"], in_column // way["step"]
        derived["start"] = begin + way["descriptors"][block][step]
    return derived


def check_copies(view, derived, copies):
    assert copies, "no copy brought the element to shared memory"
    for copy in copies:
        assert copy["to"] == derived["byte"], (copy, derived)
        if "box" in derived:
            assert copy["box"][:2] == derived["box"], (copy, derived)
        elif "copied" in view:
            assert copy["warp"] == view["copied"]["thread"][derived["index"]] // 32, copy


def check_products(view, derived, reads):
    """MMAs that read the element are those of its block and K step. Where the kernel computes the
    transposed product, A is what the MMA has as B."""
    products = [read for read in reads if "starts" in read]
    assert products, "no MMA has read the element"
    for read in products:
        assert read["at"] == derived["byte"], (read, derived)
        assert read["starts"][view["id"] == "b"] == derived["start"], (read, derived)
    return len(products)


def check_fragments(view, derived, reads):
    """ldmatrix: a lane's address is of a row of 16 bytes, four of which each lane of four gets; lanes
    8 by 8 are of the matrices whose rows become a fragment's registers, in order."""
    loads = [read for read in reads if "ldmatrix" in read["form"]]
    if not loads:  # by single threads, of which the emulator tells each warp's first
        assert reads and all(read["at"] == derived["byte"] for read in reads), (reads, derived)
        if "held" not in view:  # tensor memory is on its way
            return len(reads)
        warps = {read["warp"] for read in reads}
        assert view["held"]["thread"][derived["index"]] // 32 in warps, warps
        return len(reads)
    threads, values = set(), set()
    place = view["memory"]["offset"][derived["index"]] * view["bits"] // 8 % 16  # of its row, unpacked
    for read in loads:
        assert read["at"] == derived["byte"], (read, derived)
        if ".trans" in read["form"]:
            continue
        threads.add(read["warp"] * 32 + read["lane"] % 8 * 4 + place // 4)
        each, first = 32 // view["bits"], place % 4 * 8 // view["bits"]
        values |= {each * (read["lane"] // 8) + first + i for i in range(max(1, 8 // view["bits"]))}
    if threads:
        holder = view["held"]["thread"][derived["index"]]
        assert holder in threads, (holder, threads)
        assert view["held"]["value"][derived["index"]] % (4 * 32 // view["bits"]) in values
    return len(loads)


def check_element(gemmgen, spec, element):
    text = page_of(gemmgen, spec, element)
    view, followed = view_of_a(text), script(text, "followed")
    assert (followed["row"], followed["k"]) == element
    derived = derive(view, extents(text)[1], *element)
    events = followed["events"]
    copies = [event for event in events if event["what"] == "copied"]
    check_copies(view, derived, copies)
    reads = [event for event in events if event["what"] == "read"]
    assert {str(read["cta"]) for read in reads} == {str(copy["cta"]) for copy in copies}
    if "start" in derived:
        return len(copies), check_products(view, derived, reads)
    return len(copies), check_fragments(view, derived, reads)


def main():
    gemmgen, specs = sys.argv[1], sys.argv[2:]
    for spec in specs:
        m, k = extents(page_of(gemmgen, spec, None))
        draw = random.Random(os.path.basename(spec))
        elements = [(0, 0), (m - 1, k - 1)]
        elements += [(draw.randrange(m), draw.randrange(k)) for _ in range(ELEMENTS - 2)]
        copies = reads = 0
        for element in elements:
            found = check_element(gemmgen, spec, element)
            copies, reads = copies + found[0], reads + found[1]
        print(f"{os.path.basename(spec)}: {len(elements)} elements of {m} x {k}, {copies} copies, "
              f"{reads} reads")


if __name__ == "__main__":
    main()
