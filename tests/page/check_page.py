#!/usr/bin/env python3
"""Pages of kernels: check_page.py GEMMGEN SPEC [SPEC:run] [SPEC:compare=OTHER] ...

Each spec's page is written in under two seconds and has less than 3 MB, every link in it leads
somewhere in it, and its data say of each element of an operand where it lies, once. A browser
(Debian's chromium, where there is one) opens it at the widths of a phone and of a screen, light and
dark: nothing is said on the console, nothing is wider than the window, and the keyboard moves
through layouts, listings and the timeline. The page forbids itself anything from a network (its content security
policy), so that a request would be an error on the console."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from html.parser import HTMLParser

PROBE = """<script>
addEventListener('load', () => {
  const found = {overflow: document.documentElement.scrollWidth - innerWidth};
  const key = (at, name) => at.dispatchEvent(new KeyboardEvent('keydown',
      {key: name, bubbles: true, cancelable: true}));
  found.said = [...document.querySelectorAll('.view')].map(view => {
    const canvas = view.querySelector('canvas'), said = view.querySelector('.said');
    const before = said.textContent;
    canvas.focus();
    key(canvas, 'ArrowDown');
    key(canvas, 'ArrowRight');
    return [document.activeElement === canvas, before, said.textContent];
  });
  const ptx = document.getElementById('ptx'), cuda = document.getElementById('cuda');
  if (ptx) {
    const item = ptx.querySelector('li[data-from]');
    item.click();
    found.source = [...cuda.querySelectorAll('.linked')].map(line => line.id.slice(1)).sort();
    found.wanted = item.dataset.from.split(' ').sort();
    document.getElementById('c' + found.wanted[0]).click();
    found.back = item.classList.contains('linked');
    key(cuda, 'ArrowDown');
    found.moved = cuda.querySelectorAll('.here').length;
  }
  const timeline = document.getElementById('timeline-canvas');
  if (timeline) {
    const told = () => document.getElementById('timeline-said').textContent;
    const pixels = () => timeline.toDataURL();
    timeline.focus();
    found.timeline = {focused: document.activeElement === timeline, tells: [told()]};
    for (const name of ['ArrowRight', 'ArrowDown', 'End']) {
      key(timeline, name);
      found.timeline.tells.push(told());
    }
    const all = pixels();
    key(timeline, '+');
    found.timeline.closer = pixels() !== all;
    key(timeline, '0');
    found.timeline.back = pixels() === all;
    found.timeline.stages = document.querySelectorAll('#timeline-key li').length;
    found.timeline.sites = document.querySelectorAll('#sites-table tbody tr').length;
    found.timeline.followed = document.querySelectorAll('#followed-table tbody tr').length;
  }
  found.astray = [...document.querySelectorAll('a[href^="#"]')].map(link => link.getAttribute('href').slice(1))
      .filter(id => !document.getElementById(id));
  const said = document.createElement('pre');
  said.id = 'probe';
  said.textContent = JSON.stringify(found);
  document.body.append(said);
});
</script></body>"""


class Page(HTMLParser):
    """Ids, links and what would be loaded."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                assert value not in self.ids, f"two elements have the id {value}"
                self.ids.add(value)
            elif name == "href":
                self.links.add(value)
            elif name == "src":
                self.loaded.append(value)


def check_data(text):
    views = json.loads(re.search(r'id="views">(.*?)</script>', text, re.S).group(1))
    for view in views:
        size = view["rows"] * view["columns"]
        if "memory" in view:
            offsets = view["memory"]["offset"]
            assert len(offsets) == size and len(set(offsets)) == size, view["title"]
            assert len(view["memory"]["plain"]) == size
        for has in ("copied", "held"):
            if has not in view:
                continue
            holders = list(zip(view[has]["thread"], view[has]["value"]))
            assert len(holders) == size and min(holders)[0] >= 0, (view["title"], has)
            if has == "copied" or view["id"] == "c":
                assert len(set(holders)) == size, f"{view['title']}: a holder of two elements"
    return views


def check_text(text):
    assert len(text.encode()) < 3e6, f"{len(text)} bytes"
    page = Page(text)
    for link in page.links - {"data:,"}:
        assert link.startswith("#") and link[1:] in page.ids, f"{link} leads nowhere"
    assert not page.loaded, page.loaded
    assert "Content-Security-Policy" in text
    return check_data(text)


def open_page(browser, path, width, dark):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
               "--virtual-time-budget=5000", f"--window-size={width},900", "--dump-dom"]
    if dark:
        command.append("--blink-settings=preferredColorScheme=0")
    ran = subprocess.run(command + ["file://" + path], capture_output=True, text=True, timeout=120,
                         check=True)
    console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    assert not console, "\n".join(console)
    found = re.search(r'<pre id="probe">(.*?)</pre>', ran.stdout, re.S)
    assert found, "the page's script did not end"
    return json.loads(found.group(1).replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&"))


def check_timeline(found):
    assert found["focused"] and found["closer"] and found["back"], found
    assert len(set(found["tells"])) >= 3 and "PTX" in found["tells"][0], found
    assert found["sites"] > 0 and found["followed"] > 0 and found["stages"] > 0, found


def check_probe(found, views):
    assert not found["astray"], found["astray"]
    if "timeline" in found:
        check_timeline(found["timeline"])
    assert found["overflow"] <= 0, f"{found['overflow']} pixels wider than the window"
    assert len(found["said"]) == len(views)
    for focused, before, after in found["said"]:
        assert focused and before != after, (before, after)
        assert "= 1, " in after, after
    if "wanted" in found:
        assert found["source"] == found["wanted"] and found["back"], found
        assert found["moved"] == 1, found


def options_of(text):
    """SPEC:run and SPEC:compare=OTHER, a file beside it."""
    spec, *more = text.split(":")
    options = []
    for word in more:
        if word == "run":
            options.append("--run")
        else:
            other = word.removeprefix("compare=")
            options += ["--compare", os.path.join(os.path.dirname(spec), other)]
    return spec, options


def check_compared(text):
    """Lines that differ are marked, and told of; a kernel beside itself is the same."""
    marked = len(re.findall(r'<li id="[cp]\d+"[^>]* class="new">', text))
    told = [int(number) for number in re.findall(r": (\d+) lines of this kernel alone", text)]
    assert told or text.count(": the same</summary>") == 2
    assert sum(told) == marked, (told, marked)


def check_rings(text):
    """Each wait at an mbarrier, by the name that the emulator's timeline gives it, is linked to the
    ring that the barrier is of."""
    events = json.loads(re.search(r'id="timeline">(.*?)</script>', text, re.S).group(1))["events"]
    rings = dict(re.findall(r'<tr id="(ring-\d+)">(.*?)</tr>', text, re.S))
    of_barrier = {name: ring for ring, row in rings.items()
                  for name in re.findall(r"<li><b>(.*?)</b>", row)}
    links = dict(re.findall(r'<li id="p(\d+)"[^>]*>[^\n]*<a href="#([\w-]+)">mbarrier', text))
    checked = 0
    for event in events:
        name = event["name"].split("[")[0]
        line = str(event.get("args", {}).get("line"))
        if event["ph"] != "X" or name not in of_barrier or line not in links:
            continue
        assert links[line] == of_barrier[name], (event, links[line])
        checked += 1
    return checked


def simulate(colour, matrix):
    """As who lacks a kind of cones sees it (Vienot, Brettel and Mollon 1999)."""
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 255 / 12.92 for c in colour]
    return [max(0, sum(m * c for m, c in zip(row, linear))) ** (1 / 2.2) for row in matrix]


def check_colours(text):
    """Any two stages' colours differ for those who see all, or lack red or green cones."""
    listed = re.search(r"stageColours = \[(.*?)\]", text).group(1)
    colours = [[int(c[i:i + 2], 16) for i in (1, 3, 5)] for c in re.findall(r"#\w{6}", listed)]
    seen = {"all": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "no red": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
            "no green": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]}
    for who, matrix in seen.items():
        simulated = [simulate(colour, matrix) for colour in colours]
        for i, one in enumerate(simulated):
            for other in simulated[:i]:
                distance = sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5
                assert distance > 0.12, (who, colours[i], distance)


def write_page(gemmgen, spec, options, path):
    subprocess.run([gemmgen, "explain", spec, "--html", *options, "-o", path], check=True)
    with open(path) as page:
        return page.read()


def main():
    gemmgen, specs = sys.argv[1], sys.argv[2:]
    browser = shutil.which("chromium")
    if not browser:
        print("no chromium: pages are read, but not opened")
    with tempfile.TemporaryDirectory() as folder:
        for text in specs:
            spec, options = options_of(text)
            path = os.path.join(folder, "page.html")
            before = write_page(gemmgen, spec, options, path)
            begin = time.monotonic()
            text = write_page(gemmgen, spec, options, path)
            took = time.monotonic() - begin
            assert text == before, "two pages of one kernel differ"
            views = check_text(text)
            if "--compare" in options:
                check_compared(text)
            if "--run" in options:
                check_colours(text)
                assert check_rings(text) > 0 or ">mbarrier." not in text
            with open(path, "w") as page:
                page.write(text.replace("</body>", PROBE))
            for width, dark in ((360, False), (1400, True)) if browser else ():
                check_probe(open_page(browser, path, width, dark), views)
            print(f"{os.path.basename(spec)} {' '.join(options[:1])}: {len(text)} bytes, {took:.2f} s, "
                  f"{len(views)} layouts")
            assert took < 2 or "--run" in options, "more than two seconds, compiled before"


if __name__ == "__main__":
    main()
