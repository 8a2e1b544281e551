#!/usr/bin/env python3
"""Pages of kernels: check_page.py GEMMGEN SPEC...

Each spec's page is written in under two seconds and has less than 3 MB, every link in it leads
somewhere in it, and its data say of each element of an operand where it lies, once. A browser
(Debian's chromium, where there is one) opens it at the widths of a phone and of a screen, light and
dark: nothing is said on the console, nothing is wider than the window, and the keyboard moves
through layouts and listings. The page forbids itself anything from a network (its content security
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
    const item = ptx.querySelector('li[data-line]');
    item.click();
    found.source = [...cuda.children].findIndex(line => line.classList.contains('linked')) + 1;
    found.wanted = Number(item.dataset.line);
    key(cuda, 'ArrowDown');
    found.moved = cuda.querySelectorAll('.here').length;
  }
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


def check_probe(found, views):
    assert found["overflow"] <= 0, f"{found['overflow']} pixels wider than the window"
    assert len(found["said"]) == len(views)
    for focused, before, after in found["said"]:
        assert focused and before != after, (before, after)
        assert "= 1, " in after, after
    if "wanted" in found:
        assert found["source"] == found["wanted"] and found["moved"] == 1, found


def main():
    gemmgen, specs = sys.argv[1], sys.argv[2:]
    browser = shutil.which("chromium")
    if not browser:
        print("no chromium: pages are read, but not opened")
    with tempfile.TemporaryDirectory() as folder:
        for spec in specs:
            path = os.path.join(folder, "page.html")
            subprocess.run([gemmgen, "explain", spec, "--html", "-o", path], check=True)
            begin = time.monotonic()
            subprocess.run([gemmgen, "explain", spec, "--html", "-o", path], check=True)
            took = time.monotonic() - begin
            with open(path) as page:
                text = page.read()
            views = check_text(text)
            with open(path, "w") as page:
                page.write(text.replace("</body>", PROBE))
            for width, dark in ((360, False), (1400, True)) if browser else ():
                check_probe(open_page(browser, path, width, dark), views)
            print(f"{os.path.basename(spec)}: {len(text)} bytes, {took:.2f} s, {len(views)} layouts")
            assert took < 2, "more than two seconds, compiled before"


if __name__ == "__main__":
    main()
