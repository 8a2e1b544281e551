#!/usr/bin/env python3
"""Pages of layout expressions: check_layout.py GEMMGEN.

Each page is written in under two seconds, twice the same, has less than 3 MB and loads nothing; its
steps are parts of the expression, each with the value that `gemmgen layout` gives of it alone, and
the drawing of the whole is that of --svg. A browser opens it at the widths of a phone and of a
screen, light and dark, with nothing on the console and nothing wider than the window. Where the page
holds the calculator the steps that it makes are those that were written, up and down change a
number, and what is then shown is what `gemmgen layout` says: of other expressions, and of wrong
ones."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from check_page import Page, open_page

# An expression, options, and how many steps it has.
PAGES = [
    ("composition(Sw<3,3,3> o 0 o (8,64):(64,1), (8,8):(1,8))", ["--bits", "16"], 5),
    ("zipped_divide(make_layout((8,(4,4)), (16,(1,4))), (4:1,8:2))(_,3)", [], 6),
    ("bank_conflicts(CLayout(SM80_16x8x16_F32F16F16F32_TN), (16,8):(64,1), float, 8)", [], 4),
    ("tile_to_shape(Sw<3,4,3> o 0 o (8,64):(64,1), (128,128))", ["--compact"], 4),
    ("size((128,256):(256,1))", [], 2),
]
# What the page's own calculator is asked: what has a value, and what has none.
ASKED = [
    "(4,8):(8,1)", "complement((2,2):(1,8), 32)", "right_inverse((4,8):(8,1))", "1o(2,3):(3,1)(_,1)",
    "logical_divide((16,3):(3,1), (4:2,3))", "Layout<Shape<_4,_8>,Stride<_8,_1>>{}(2,3)",
    "SM90_64x128x16_F32BF16BF16_SS", "SM80_16x8x16_F32F16F16F32_TN", "coalesce((2,(1,6)):(1,(6,2)))", "Sw<2,0,3>(9)",
    "local_tile((8,8):(1,8), (4,4), (0,1))", "composition((6,2):(8,2), (4,3):(3,1))", "(4,8):(8", "composition((6,2):(8,2))",
    "divide((4,8), 2)", "(4,8):(8,1) o (7,3):(1,5)", "SM80_16x8x17", "", "9223372036854775808:1",
]

PROBE = """<script>
addEventListener('load', async () => {
  const found = {overflow: document.documentElement.scrollWidth - innerWidth};
  const steps = document.getElementById('steps'), form = document.getElementById('edit');
  const first = () => {
    const codes = steps.querySelector('summary').querySelectorAll('code');
    return codes[codes.length - 1].textContent;
  };
  found.folded = [...document.querySelectorAll('summary')].reverse().map(summary => {
    summary.focus();
    summary.click();
    return document.activeElement === summary && !summary.parentElement.open;
  });
  document.querySelectorAll('summary').forEach(summary => summary.click());
  found.reached = [...document.querySelectorAll('.drawing')].every(drawing => drawing.tabIndex === 0);
  if (form) {
    // The calculator is compiled beside the page's own time, which stands still while there are messages.
    const channel = new MessageChannel();
    while (form.hidden)
      await new Promise(done => { channel.port1.onmessage = done; channel.port2.postMessage(0); });
    const field = document.getElementById('expression'), wrong = document.getElementById('wrong');
    const ask = async text => {
      field.value = text;
      field.dispatchEvent(new Event('input', {bubbles: true}));
      await new Promise(done => setTimeout(done, 150));
      return wrong.hidden ? [first(), null] : [null, wrong.textContent];
    };
    const written = steps.innerHTML, expression = field.value;
    await ask(expression + ' ');
    await ask(expression);
    found.same = steps.innerHTML.trim() === written.trim();
    field.focus();
    field.setSelectionRange(expression.search(/\\d+[^\\d]*$/), expression.search(/\\d+[^\\d]*$/));
    field.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true, cancelable: true}));
    found.stepped = [field.value, wrong.hidden ? first() : wrong.textContent.split('\\n').pop()];
    found.answers = [];
    for (const text of ASKED) found.answers.push(await ask(text));
    found.overflowLast = document.documentElement.scrollWidth - innerWidth;
  }
  const said = document.createElement('pre');
  said.id = 'probe';
  said.textContent = JSON.stringify(found);
  document.body.append(said);
});
</script></body>"""


def layout(gemmgen, *arguments):
    """What `gemmgen layout` prints, and its error's message and column."""
    ran = subprocess.run([gemmgen, "layout", *arguments], capture_output=True, text=True, check=False)
    wrong = re.match(r"<expression>:1:(\d+): error: (.*) \[\w+\]\n", ran.stderr)
    return ran.stdout.rstrip("\n"), (int(wrong.group(1)), wrong.group(2)) if wrong else None


def check_text(gemmgen, text, expression, options, count):
    assert len(text.encode()) < 3e6, f"{len(text)} bytes"
    page = Page(text)
    assert page.links == {"data:,"} and not page.loaded, (page.links, page.loaded)
    assert "Content-Security-Policy" in text
    summaries = re.findall(r"<summary>(.*?)</summary>", text, re.S)
    assert len(summaries) == count, f"{len(summaries)} steps"
    for summary in summaries:
        part, *value = [html.unescape(code) for code in re.findall(r"<code>(.*?)</code>", summary, re.S)]
        assert part in expression, part
        said, wrong = layout(gemmgen, part)
        assert not wrong and said == (value or [part])[0], (part, value, said, wrong)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "whole.svg")
        layout(gemmgen, "--svg", path, *options, expression)
        if os.path.exists(path):  # bank conflicts have no drawing but a table
            with open(path) as picture:
                assert picture.read() in text, "the whole is drawn otherwise"


def check_asked(gemmgen, text, answer):
    said, wrong = layout(gemmgen, text)
    value, complaint = answer
    if wrong:
        column, message = wrong
        assert complaint == f"{text}\n{' ' * (column - 1)}^\n{message}", (complaint, wrong)
    else:
        assert value == said, (text, value, said)


def check_probe(gemmgen, found, editable):
    assert found["overflow"] <= 0, f"{found['overflow']} pixels wider than the window"
    assert all(found["folded"]) and found["reached"], found
    assert editable == ("answers" in found)
    if not editable:
        return
    assert found["same"], "the page's calculator makes other steps than were written"
    assert found["overflowLast"] <= 0
    expression, shown = found["stepped"]
    said, wrong = layout(gemmgen, expression)
    assert shown == (wrong[1] if wrong else said), (expression, shown, said, wrong)
    for text, answer in zip(ASKED, found["answers"]):
        check_asked(gemmgen, text, answer)


def main():
    gemmgen, browser = sys.argv[1], shutil.which("chromium")
    if not browser:
        print("no chromium: pages are read, but not opened")
    with tempfile.TemporaryDirectory() as folder:
        for expression, options, count in PAGES:
            path, texts = os.path.join(folder, "page.html"), []
            begin = time.monotonic()
            for _ in range(2):
                subprocess.run([gemmgen, "layout", "--html", "-o", path, *options, expression], check=True)
                with open(path) as page:
                    texts.append(page.read())
            took = time.monotonic() - begin
            assert texts[0] == texts[1], "two pages of one expression differ"
            assert took < 4, f"{took / 2:.1f} s"
            text, editable = texts[0], 'id="module"' in texts[0]
            check_text(gemmgen, text, expression, options, count)
            with open(path, "w") as page:
                page.write(text.replace("</body>", PROBE.replace("ASKED", json.dumps(ASKED))))
            for width, dark in ((360, False), (1400, True)) if browser else ():
                check_probe(gemmgen, open_page(browser, path, width, dark), editable)
            print(f"{expression}: {len(text)} bytes, {count} steps{', editable' if editable else ''}")


if __name__ == "__main__":
    main()
