// A replay document and a turn's number in, the board of that turn out: frontend/board.py in the browser, with the
// same markup, character for character (the browser tests compare them). Knows no rules.
const CELL = 100;
const RIM = 34;

/** The board after `turn` turns: Frame in board.py, but with the stones in an array, -1 where there is none. */
export function frameAt(replay, turn) {
  const { size } = replay.board;
  const frame = { turn, stones: new Int8Array(size * size).fill(-1), placed: [], changed: [], ghosts: new Map(), ringed: [], markedOn: 0 };
  const before = replay.turns.slice(0, Math.max(0, turn - 1));
  for (const { ops } of [{ ops: replay.initial }, ...before]) {
    for (const [cell, seat] of ops) frame.stones[cell] = seat ?? -1;
  }
  if (turn > 0) apply(frame, replay.turns[turn - 1].ops);
  frame.markedOn = replay.turns.slice(0, turn).findLastIndex(({ marked }) => marked) + 1;
  if (frame.markedOn) frame.ringed = replay.turns[frame.markedOn - 1].marked;
  const { cells } = replay.result;
  if (turn > 0 && turn === replay.turns.length && cells.length) frame.ringed = cells;
  return frame;
}

function apply(frame, ops) {
  for (const [cell, seat] of ops) {
    const before = frame.stones[cell];
    frame.stones[cell] = seat ?? -1;
    if (seat === null) {
      frame.placed = frame.placed.filter((other) => other !== cell);
      if (before >= 0) frame.ghosts.set(cell, before);
      continue;
    }
    frame.ghosts.delete(cell);
    if (before < 0) frame.placed.push(cell);
    else if (!frame.placed.includes(cell)) frame.changed.push(cell);
  }
}

/** The board as text: text() in board.py. */
export function asText({ size, columns }, { stones }) {
  const letters = `   ${[...columns].join(" ")}`;
  const lines = [];
  for (let row = size - 1; row >= 0; row--) {
    const cells = Array.from(columns, (_, column) => ".XO"[stones[row * size + column] + 1]);
    lines.push(`${String(row + 1).padStart(2)} ${cells.join(" ")} ${row + 1}`);
  }
  return [letters, ...lines, letters].join("\n");
}

/** What is to be counted in this position: caption() in board.py. */
export function caption(replay, frame) {
  const { size, rings } = replay.board;
  if (rings) {
    const counts = Array.from({ length: Math.floor((size + 1) / 2) }, () => [0, 0]);
    frame.stones.forEach((seat, cell) => {
      const [row, column] = [Math.floor(cell / size), cell % size];
      if (seat >= 0) counts[Math.min(row, column, size - 1 - row, size - 1 - column)][seat]++;
    });
    return `Stones on each ring, edge first: ${counts.map((pair) => pair.join("–")).join(", ")}`;
  }
  if (frame.markedOn) return `The mark: a ${replay.turns[frame.markedOn - 1].note}, made on turn ${frame.markedOn}`;
  return "";
}

/** `<g class="stones">` on the page, changed stone by stone: layer() in board.py. */
export class Layer {
  constructor(element, size) {
    this.size = size;
    this.left = RIM + Math.floor((Math.max(32, 3 * size + 5) * 3) / 2);
    [this.under, this.men, this.over] = element.children;
    this.stones = new Int8Array(size * size).fill(-1);
    this.elements = new Array(size * size).fill(null);
    for (const use of [...this.men.children]) {
      const cell = this.cellAt(Number(use.getAttribute("x")), Number(use.getAttribute("y")));
      this.elements[cell] = use;
      this.stones[cell] = Number(use.getAttribute("href").slice(-1));
    }
  }

  draw(replay, frame) {
    frame.stones.forEach((seat, cell) => {
      if (seat !== this.stones[cell]) this.put(cell, seat);
    });
    set(this.under, [...frame.placed, ...frame.changed, ...frame.ghosts.keys()].map((cell) => this.last(cell)).join(""));
    set(this.over, this.above(replay, frame));
  }

  put(cell, seat) {
    this.stones[cell] = seat;
    let use = this.elements[cell];
    if (seat < 0) {
      use.remove();
      this.elements[cell] = null;
      return;
    }
    if (!use) {
      use = document.createElementNS("http://www.w3.org/2000/svg", "use");
      use.setAttribute("href", "");
      const [x, y] = this.at(cell);
      use.setAttribute("x", x);
      use.setAttribute("y", y);
      // The markup is in the order of the cells.
      let next = cell + 1;
      while (next < this.elements.length && !this.elements[next]) next++;
      this.men.insertBefore(use, this.elements[next] ?? null);
      this.elements[cell] = use;
    }
    use.setAttribute("href", `#stone${seat}`);
  }

  at(cell) {
    return [this.left + (cell % this.size) * CELL + CELL / 2, RIM + (this.size - 1 - Math.floor(cell / this.size)) * CELL + CELL / 2];
  }

  cellAt(x, y) {
    const row = this.size - 1 - Math.floor((y - RIM) / CELL);
    return row * this.size + Math.floor((x - this.left) / CELL);
  }

  last(cell) {
    const [x, y] = this.at(cell);
    return `<rect class="last" x="${x - 47}" y="${y - 47}" width="94" height="94" rx="14"></rect>`;
  }

  above(replay, frame) {
    const dot = (cell) => {
      const [x, y] = this.at(cell);
      return `<circle class="dot on${frame.stones[cell]}" cx="${x}" cy="${y}" r="11"></circle>`;
    };
    const ghosts = [...frame.ghosts].map(([cell, seat]) => {
      const [x, y] = this.at(cell);
      return `<use href="#ghost${seat}" x="${x}" y="${y}"></use>`;
    });
    const rings = frame.ringed.map((cell) => {
      const [x, y] = this.at(cell);
      return `<circle class="win" cx="${x}" cy="${y}" r="45"></circle>`;
    });
    const placed = frame.placed.map((cell, index) => {
      const [x, y] = this.at(cell);
      if (frame.placed.length === 1) return dot(cell);
      return `<text class="number on${frame.stones[cell]}" x="${x}" y="${y + 14}">${index + 1}</text>`;
    });
    return [...ghosts, this.trace(replay, frame), ...rings, ...placed, ...frame.changed.map(dot)].join("");
  }

  trace({ result }, { ringed, markedOn }) {
    let [cells, end] = [ringed, ""];
    if (!(ringed.length > 1 && ringed === result.cells && result.reason === "connection")) {
      if (!markedOn) return "";
      [cells, end] = [[ringed[0], ringed[1], ringed[3], ringed[2]], "Z"];
    }
    return `<path class="trace" d="M${cells.map((cell) => this.at(cell).join(" ")).join("L")}${end}"></path>`;
  }
}

/** Parsing markup costs more than comparing it. */
function set(group, markup) {
  if (group.drawn === markup) return;
  group.innerHTML = group.drawn = markup;
}
