
// ---- In the emulator: its timeline, counters, and the way of an element -------------------------

const read = id => JSON.parse(document.getElementById(id).textContent);

function put(parent, tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

// `head` and rows of cells: texts, numbers, or functions that fill their cell.
function putTable(parent, caption, head, rows) {
  const table = put(parent, 'table', '');
  if (caption) put(table, 'caption', caption);
  if (head) {
    const line = put(put(table, 'thead', ''), 'tr', '');
    for (const name of head) put(line, 'th', name, {scope: 'col'});
  }
  const body = put(table, 'tbody', '');
  for (const row of rows) {
    const line = put(body, 'tr', '');
    row.forEach((cell, i) => {
      const number = typeof cell === 'number';
      const at = put(line, i ? 'td' : 'th', typeof cell === 'function' ? '' : number ? cell.toLocaleString('en') : cell,
                     i ? number ? {class: 'number'} : {} : {scope: 'row'});
      if (typeof cell === 'function') cell(at);
    });
  }
  return table;
}

// Fills a cell with links to lines of the PTX and of the source, where the page has them.
const toPlace = (line, source) => cell => {
  const link = (id, text) => document.getElementById(id) ? put(cell, 'a', text, {href: '#' + id}) : put(cell, 'span', text);
  link('p' + line, `PTX ${line}`);
  const from = /:(\d+)$/.exec(source || '');
  if (!from) return;
  cell.append(', ');
  link('c' + from[1], `source ${from[1]}`);
};

// ---- Timeline -----------------------------------------------------------------------------------

// Eight colours that the colour-blind tell apart (Okabe and Ito, and a violet); beyond, they begin again, and the
// numbers tell.
const stageColours = ['#e69f00', '#56b4e9', '#009e73', '#f0e442', '#0072b2', '#d55e00', '#cc79a7', '#5b1a8b'];
const laneHeight = 20, axisHeight = 20;

// The stage of an event: what part of shared memory it works on, or which barrier it is about.
function stageOf(event) {
  const found = /\[(\d+)\]/.exec((event.args && event.args.part) || '') || /\[(\d+)\]/.exec(event.name);
  return found ? Number(found[1]) : -1;
}

// Lanes of a CTA: tracks by their number; events of a unit that overlap get lanes of their own.
function lanesOf(events, pid) {
  const names = new Map(), tracks = new Map(), open = new Map();
  for (const e of events) {
    if (e.pid !== pid) continue;
    if (e.ph === 'M' && e.name === 'thread_name') names.set(e.tid, e.args.name);
    if (e.ph === 'b') open.set(e.id, e);
    const begin = e.ph === 'e' ? open.get(e.id) : e.ph === 'X' ? e : null;
    if (!begin) continue;
    const made = {name: begin.name, args: begin.args || {}, begin: begin.ts, tid: e.tid, unit: begin.cat,
                  end: e.ph === 'X' ? e.ts + e.dur : e.ts};
    made.stage = stageOf(made);
    made.waits = e.ph === 'X' && made.stage >= 0 || e.ph === 'X' && !(names.get(e.tid) || '').startsWith(made.name) && made.name !== 'runs';
    const key = begin.cat ? `${e.tid} ${begin.cat}` : String(e.tid);
    tracks.set(key, [...(tracks.get(key) || []), made]);
  }
  const lanes = [];
  for (const key of [...tracks.keys()].sort((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1))) {
    const own = [];
    for (const event of tracks.get(key).sort((a, b) => a.begin - b.begin)) {
      let lane = own.find(other => other.end <= event.begin);
      if (!lane) own.push(lane = {events: [], end: 0});
      lane.events.push(event);
      lane.end = event.end;
    }
    const [tid, ...unit] = key.split(' ');
    own.forEach((lane, i) => lanes.push({label: i ? '' : unit.join(' ') || names.get(Number(tid)), events: lane.events}));
  }
  return lanes;
}

function showTimeline() {
  const {events, left_out: leftOut} = read('timeline');
  const canvas = document.getElementById('timeline-canvas'), pen = canvas.getContext('2d');
  const said = document.getElementById('timeline-said'), select = document.getElementById('timeline-cta');
  const view = {lanes: [], from: 0, to: 1, end: 1, lane: 0, event: 0};
  const dark = matchMedia('(prefers-color-scheme: dark)');

  for (const e of events)
    if (e.ph === 'M' && e.name === 'process_name') select.add(new Option(/CTA .*/.exec(e.args.name)[0], e.pid));
  const stages = new Set();
  let labelWidth = 150;
  const width = () => canvas.width - labelWidth;
  const place = time => labelWidth + (time - view.from) / (view.to - view.from) * width();

  function drawEvent(event, y, chosen) {
    const x = Math.max(labelWidth, place(event.begin)), end = Math.min(canvas.width, place(event.end));
    if (end < labelWidth || x > canvas.width) return;
    const colour = event.stage >= 0 ? stageColours[event.stage % stageColours.length] : dark.matches ? '#6b7280' : '#9aa3b2';
    pen.globalAlpha = event.waits ? .35 : 1;
    pen.fillStyle = colour;
    pen.fillRect(x, y + 2, Math.max(1, end - x - .5), laneHeight - 4);
    pen.globalAlpha = 1;
    if (end - x > 14) {
      const label = event.stage >= 0 && end - x < 90 ? String(event.stage) : event.name;
      const light = event.waits ? dark.matches : [4, 7].includes(event.stage % 8) || event.stage < 0 && dark.matches;
      pen.fillStyle = light ? '#fff' : '#1b1e23';
      pen.save();
      pen.beginPath();
      pen.rect(x, y, end - x - 2, laneHeight);
      pen.clip();
      pen.fillText(label, x + 3, y + laneHeight / 2);
      pen.restore();
    }
    if (!chosen) return;
    pen.strokeStyle = dark.matches ? '#fff' : '#000';
    pen.lineWidth = 2;
    pen.strokeRect(x, y + 2, Math.max(3, end - x - .5), laneHeight - 4);
  }
  function drawTicks() {
    const span = view.to - view.from;
    const tick = 10 ** Math.ceil(Math.log10(Math.max(1, span / width() * 90)));
    for (let at = Math.ceil(view.from / tick) * tick; at <= view.to; at += tick) {
      pen.fillStyle = dark.matches ? '#a2abb9' : '#5a6270';
      pen.fillText(at.toLocaleString('en'), place(at) + 3, axisHeight / 2);
      pen.fillStyle = dark.matches ? '#2c323b' : '#e2e4e8';
      pen.fillRect(place(at), 0, 1, canvas.height);
    }
  }
  function draw() {
    canvas.width = Math.max(320, canvas.parentElement.clientWidth - 2);
    labelWidth = Math.min(150, Math.round(canvas.width * .32));
    canvas.height = axisHeight + view.lanes.length * laneHeight;
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    drawTicks();
    view.lanes.forEach((lane, i) => {
      const y = axisHeight + i * laneHeight;
      lane.events.forEach((event, k) => drawEvent(event, y, i === view.lane && k === view.event));
      pen.fillStyle = dark.matches ? '#e7e9ec' : '#1b1e23';
      if (lane.label) pen.fillText(lane.label, 2, y + laneHeight / 2, labelWidth - 6);
    });
  }
  function say() {
    const lane = view.lanes[view.lane], event = lane && lane.events[view.event];
    said.textContent = '';
    if (!event) return;
    const {line, source, where, part} = event.args;
    const role = view.lanes.slice(0, view.lane + 1).map(l => l.label).filter(Boolean).pop();
    said.append(`${role} · ${event.waits ? 'waits: ' : ''}${event.name} · instructions ${event.begin.toLocaleString('en')} to ` +
                `${event.end.toLocaleString('en')}${part ? ` · in ${part}` : ''}${where ? ` · ${where}` : ''} · `);
    if (line) toPlace(line, source)(said);
  }
  function show() {
    draw();
    say();
  }
  function open(pid) {
    view.lanes = lanesOf(events, pid);
    const all = view.lanes.flatMap(lane => lane.events);
    Object.assign(view, {from: 0, lane: 0, event: 0, end: Math.max(1, ...all.map(e => e.end))});
    view.to = view.end;
    stages.clear();
    for (const event of all) if (event.stage >= 0) stages.add(event.stage);
    const key = document.getElementById('timeline-key');
    key.textContent = '';
    for (const stage of [...stages].sort((a, b) => a - b)) {
      const item = put(key, 'li', '');
      put(item, 'span', '', {style: `background:${stageColours[stage % stageColours.length]}`});
      item.append(`stage ${stage}`);
    }
    show();
  }
  // Keeps `at`, a time, where it is.
  function zoom(factor, at) {
    const span = Math.min(view.end, Math.max(20, (view.to - view.from) * factor));
    const share = (at - view.from) / (view.to - view.from);
    move(at - share * span, span);
  }
  function move(from, span) {
    view.from = Math.max(0, Math.min(view.end - span, from));
    view.to = view.from + span;
    show();
  }
  function chosen() {
    const lane = view.lanes[view.lane];
    return lane && lane.events[view.event];
  }
  function choose(lane, event) {
    view.lane = Math.max(0, Math.min(view.lanes.length - 1, lane));
    const list = view.lanes[view.lane].events;
    view.event = Math.max(0, Math.min(list.length - 1, event));
    const at = list[view.event], span = view.to - view.from;
    if (at.end < view.from || at.begin > view.to) move((at.begin + at.end - span) / 2, span);
    show();
  }
  // The event of a lane that is nearest in time to the chosen one.
  function nearest(lane, time) {
    const list = view.lanes[lane].events;
    let best = 0;
    const far = e => time < e.begin ? e.begin - time : time > e.end ? time - e.end : 0;
    list.forEach((event, i) => { if (far(event) < far(list[best])) best = i; });
    return best;
  }
  const middle = () => chosen() ? (chosen().begin + chosen().end) / 2 : (view.from + view.to) / 2;
  const actions = {
    in: () => zoom(1 / 2, middle()), out: () => zoom(2, middle()),
    left: () => move(view.from - (view.to - view.from) / 4, view.to - view.from),
    right: () => move(view.from + (view.to - view.from) / 4, view.to - view.from),
    all: () => move(0, view.end),
  };
  const keys = {
    '+': actions.in, '=': actions.in, '-': actions.out, '0': actions.all, Home: () => choose(view.lane, 0),
    End: () => choose(view.lane, Infinity), PageUp: actions.left, PageDown: actions.right,
    ArrowLeft: () => choose(view.lane, view.event - 1), ArrowRight: () => choose(view.lane, view.event + 1),
    ArrowUp: () => view.lane > 0 && choose(view.lane - 1, nearest(view.lane - 1, middle())),
    ArrowDown: () => view.lane + 1 < view.lanes.length && choose(view.lane + 1, nearest(view.lane + 1, middle())),
  };
  canvas.addEventListener('keydown', event => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll('.timeline button'))
    button.addEventListener('click', actions[button.dataset.do]);
  const timeAt = event => {
    const x = event.clientX - canvas.getBoundingClientRect().left;
    return view.from + Math.max(0, x - labelWidth) / width() * (view.to - view.from);
  };
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : .8, timeAt(event));
  }, {passive: false});
  let held = null;
  canvas.addEventListener('pointerdown', event => {
    held = {x: event.clientX, from: view.from};
    canvas.setPointerCapture(event.pointerId);
    const lane = Math.floor((event.clientY - canvas.getBoundingClientRect().top - axisHeight) / laneHeight);
    if (lane >= 0 && lane < view.lanes.length) choose(lane, nearest(lane, timeAt(event)));
  });
  canvas.addEventListener('pointermove', event => {
    if (held && Math.abs(event.clientX - held.x) > 3)
      move(held.from - (event.clientX - held.x) / width() * (view.to - view.from), view.to - view.from);
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, () => { held = null; });
  select.addEventListener('change', () => open(Number(select.value)));
  dark.addEventListener('change', draw);
  addEventListener('resize', draw);
  if (leftOut) put(document.querySelector('.timeline'), 'p', `${leftOut.toLocaleString('en')} later events are left out.`);
  if (select.options.length) open(Number(select.value));
}

// ---- Counters -----------------------------------------------------------------------------------

function showCounters() {
  const at = document.getElementById('counters-tables');
  for (const kernel of read('counters').kernels) {
    const kinds = Object.entries(kernel.instructions).filter(([, count]) => count.warps);
    putTable(at, 'instructions', ['kind', 'of warps', 'of threads'], kinds.map(([name, count]) => [name, count.warps, count.threads])).className = 'facts';
    const sums = Object.entries(kernel).filter(([, value]) => typeof value === 'number' && value);
    putTable(at, 'sums', null, sums.map(([name, value]) => [name.replaceAll('_', ' '), value])).className = 'facts';
    const sites = kernel.sites.map(site => [
      site.instruction, toPlace(site.line, site.source), site.accesses, site.wavefronts, site.ideal_wavefronts, site.sectors, site.ideal_sectors]);
    if (sites.length)
      putTable(document.getElementById('sites-table'), 'Accesses to memory, by instruction: turns of shared memory and sectors of global memory, beside the fewest that their bytes need',
               ['instruction', 'where', 'by warps', 'turns', 'the fewest', 'sectors', 'the fewest'], sites);
  }
}

// ---- The way of an element ----------------------------------------------------------------------

function showFollowed() {
  const {events} = read('followed'), first = events[0];
  const own = events.filter(e => String(e.cta) === String(first.cta));
  const words = {copied: 'copied to shared memory', read: 'read there', loaded: 'loaded by a thread, from global memory'};
  putTable(document.getElementById('followed-table'), null, ['what', 'by', 'where', 'byte of shared memory', 'and'],
           own.map(e => [
             words[e.what], `warp ${e.warp}${e.lane === undefined ? '' : `, lane ${e.lane}`}: ${e.form}`, toPlace(e.line, e.source),
             e.to ?? e.at ?? '',
             e.box ? `of the box at (${e.box.join(', ')})` : e.starts ? `operands begin at bytes ${e.starts.map(at => at < 0 ? '(not in shared memory)' : at).join(' and ')}` : '']));
}

showTimeline();
showCounters();
if (document.getElementById('followed') && read('followed').events.length) showFollowed();
