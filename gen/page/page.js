'use strict';

// ---- Layouts: what lies where, and who has it ---------------------------------------------------

// From pale over green to dark blue: order reads without seeing hues.
const ramp = [[247, 252, 185], [65, 182, 196], [12, 44, 132]];

function colour(share) {
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1), i = Math.min(at | 0, ramp.length - 2);
  const mixed = ramp[i].map((from, c) => Math.round(from + (ramp[i + 1][c] - from) * (at - i)));
  return `rgb(${mixed})`;
}

// Elements of 4 and 6 bits that have a byte each lie packed in the first bytes of every 16.
function byteOf(view, i) {
  const at = view.memory.offset[i], in16 = at % 16;
  if (view.bits === view.packed) return Math.floor(at * view.bits / 8);
  return at - in16 + Math.floor(in16 * view.packed / 8);
}
const bankOf = (view, i) => Math.floor(byteOf(view, i) / 4) % 32;

function waysToColour(view) {
  const ways = [];
  const largest = Math.max(1, view.rows * view.columns - 1);
  if (view.memory) {
    ways.push(['bank', i => bankOf(view, i) / 31]);
    ways.push(['offset', i => view.memory.offset[i] / largest]);
  }
  for (const has of [view.copied, view.held]) {
    if (has) ways.push([`the lane it is ${has.what}`, i => has.thread[i] < 0 ? 0 : has.thread[i] % 32 / 31]);
    if (has) ways.push([`the warp it is ${has.what}`, i => has.thread[i] < 0 ? 0 : (has.thread[i] >> 5) % 16 / 15]);
  }
  return ways;
}

// The steps of an element on its way to the tensor core, of a tile that is the first of its CTA:
// `tile` is the number of its K tile, of `tiles`.
function wayOf(view, row, column, tile, tiles) {
  const {memory, way} = view, i = row + column * view.rows;
  if (!memory || !way) return null;
  const turn = way.last_first ? (tile + 1) % tiles : tile, stage = turn % way.stages;
  const found = {stage, byte: way.begin + stage * way.stage_bytes + byteOf(view, i)};
  if (way.box) {
    const contiguous = view.along_k ? column : row, across = view.along_k ? row : column;
    found.box = [contiguous, across].map((at, mode) => at - at % way.box[mode]);
  }
  if (way.descriptors) {
    const block = Math.floor(row / way.block), step = Math.floor(column / way.step);
    found.mma = {block, step, start: way.begin + stage * way.stage_bytes + way.descriptors[block][step]};
  }
  return found;
}

function sayWay(view, row, column) {
  const found = wayOf(view, row, column, 0, 2);
  if (!found) return [];
  const said = [];
  if (found.box) said.push(`copied in the box that begins at (${found.box}) of the tile`);
  if (found.mma)
    said.push(`multiplied in K step ${found.mma.step} by the MMA of rows ${found.mma.block * view.way.block} on, ` +
              `whose descriptor begins at byte ${view.way.descriptors[found.mma.block][found.mma.step]} of the operand in its stage`);
  return said;
}

function sayElement(view, row, column) {
  const i = row + column * view.rows;
  const parts = [`${view.row} = ${row}, ${view.column} = ${column}`];
  if (view.memory) {
    const {offset, plain, name} = view.memory;
    const moved = offset[i] === plain[i] ? 'which the swizzle leaves' : `before the swizzle ${plain[i]}`;
    parts.push(`element ${offset[i]} of ${name}, ${moved}`);
    parts.push(`byte ${byteOf(view, i)}, bank ${bankOf(view, i)}`);
  }
  for (const has of [view.copied, view.held]) {
    if (!has || has.thread[i] < 0) continue;
    const thread = has.thread[i];
    parts.push(`${has.what} thread ${thread} (warp ${thread >> 5}, lane ${thread & 31}) as its value ${has.value[i]}`);
  }
  parts.push(...sayWay(view, row, column));
  return parts.join(' · ');
}

function showView(box, view) {
  const canvas = box.querySelector('canvas'), said = box.querySelector('.said');
  const select = box.querySelector('select'), pen = canvas.getContext('2d');
  const room = box.querySelector('.canvas').clientWidth || 320;
  const cell = Math.max(5, Math.min(14, Math.floor(room / view.columns)));
  const ways = waysToColour(view), at = {row: 0, column: 0};
  canvas.width = cell * view.columns;
  canvas.height = cell * view.rows;
  ways.forEach(([name], i) => select.add(new Option(name, i)));

  function fill(row, column) {
    pen.fillStyle = colour(ways[select.value][1](row + column * view.rows));
    pen.fillRect(column * cell, row * cell, cell - (cell > 6), cell - (cell > 6));
  }
  function mark() {
    pen.lineWidth = 2;
    pen.strokeStyle = '#d01c1c';
    pen.strokeRect(at.column * cell + 1, at.row * cell + 1, cell - 2, cell - 2);
  }
  function draw() {
    for (let column = 0; column < view.columns; column++)
      for (let row = 0; row < view.rows; row++) fill(row, column);
    mark();
  }
  function go(row, column) {
    fill(at.row, at.column);
    at.row = Math.max(0, Math.min(view.rows - 1, row));
    at.column = Math.max(0, Math.min(view.columns - 1, column));
    mark();
    said.textContent = sayElement(view, at.row, at.column);
  }
  const pointed = event => {
    const frame = canvas.getBoundingClientRect();
    go(Math.floor((event.clientY - frame.top) / cell), Math.floor((event.clientX - frame.left) / cell));
  };
  canvas.addEventListener('pointermove', pointed);
  canvas.addEventListener('pointerdown', pointed);
  canvas.addEventListener('keydown', event => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    go(at.row + step[0], at.column + step[1]);
  });
  select.addEventListener('change', draw);
  draw();
  go(0, 0);
}

const views = JSON.parse(document.getElementById('views').textContent);
for (const view of views) showView(document.querySelector(`[data-view="${view.id}"]`), view);

// ---- Source and PTX: lines of the one and the other ---------------------------------------------

const cuda = document.getElementById('cuda'), ptx = document.getElementById('ptx');

function linkPanes() {
  const made = new Map();  // from a line's number to its instructions, and to those of what it calls
  const linesOf = item => (item.dataset.from || '').split(' ').filter(Boolean);
  for (const item of ptx.children)
    for (const line of linesOf(item)) made.set(line, [...(made.get(line) || []), item]);
  let marked = [];
  function choose(pane, item) {
    if (!item) return;
    for (const old of marked) old.classList.remove('here', 'linked');
    const others = pane === cuda ? made.get(item.id.slice(1)) || []
                                 : linesOf(item).map(line => document.getElementById('c' + line));
    marked = [item, ...others];
    for (const other of marked) other.classList.add('linked');
    item.classList.add('here');
    if (others[0]) scrollTo(pane === cuda ? ptx : cuda, others[0]);
    pane.current = item;
  }
  // Within its pane: the page stays where it is.
  function scrollTo(pane, item) {
    pane.scrollTop = item.offsetTop - pane.offsetTop - pane.clientHeight / 3;
  }
  for (const pane of [cuda, ptx]) {
    pane.addEventListener('click', event => choose(pane, event.target.closest('li')));
    pane.addEventListener('keydown', event => {
      const up = event.key === 'ArrowUp', down = event.key === 'ArrowDown';
      if (!up && !down) return;
      event.preventDefault();
      const from = pane.current;
      const item = !from ? pane.firstElementChild : up ? from.previousElementSibling : from.nextElementSibling;
      choose(pane, item);
      if (item) scrollTo(pane, item);
    });
  }
}

if (ptx) linkPanes();
