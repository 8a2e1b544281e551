'use strict';

// The page's expression, edited: the calculator itself, compiled to WebAssembly, makes the steps anew.

const field = document.getElementById('expression'), steps = document.getElementById('steps');
const wrong = document.getElementById('wrong');
const options = ['bits', 'tile', 'compact', 'cute'].map(id => document.getElementById(id));

// What the module would write to a terminal goes nowhere.
const silence = {fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0};

function textIn(memory, at) {
  const bytes = new Uint8Array(memory.buffer, at);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

// A copy of a text in the module's memory.
function put(module, text) {
  const bytes = new TextEncoder().encode(text + '\0'), at = module.room(bytes.length);
  new Uint8Array(module.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

function workOut(module) {
  const [bits, tile, compact, cute] = options;
  const expression = put(module, field.value), shape = put(module, tile.value);
  const column = module.work_out(expression, shape, Number(bits.value), compact.checked, cute.checked);
  const said = textIn(module.memory, module.answer());
  module.leave(expression);
  module.leave(shape);
  wrong.hidden = column === 0;
  steps.classList.toggle('old', column !== 0);
  if (column === 0) {
    steps.innerHTML = said;
    document.title = field.value;
    document.querySelector('h1').textContent = field.value;
  } else {
    wrong.textContent = `${field.value}\n${' '.repeat(column - 1)}^\n${said}`;
  }
}

// Up and down change the integer that the cursor is at.
function stepNumber(key) {
  const by = {ArrowUp: 1, ArrowDown: -1}[key.key], at = field.selectionStart;
  const found = by && [...field.value.matchAll(/\d+/g)].find(n => n.index <= at && at <= n.index + n[0].length);
  if (!found) return false;
  const number = String(Math.max(0, Number(found[0]) + by));
  field.setRangeText(number, found.index, found.index + found[0].length, 'end');
  key.preventDefault();
  return true;
}

async function start() {
  const bytes = Uint8Array.from(atob(document.getElementById('module').textContent), c => c.charCodeAt(0));
  const {instance} = await WebAssembly.instantiate(bytes, {wasi_snapshot_preview1: silence});
  const again = () => workOut(instance.exports);
  let later = 0;
  const soon = () => {
    clearTimeout(later);
    later = setTimeout(again, 100);
  };
  document.getElementById('edit').hidden = false;
  document.getElementById('edit').addEventListener('submit', event => event.preventDefault());
  document.getElementById('edit').addEventListener('input', soon);
  field.addEventListener('keydown', key => {
    if (stepNumber(key)) again();
  });
}

start();
