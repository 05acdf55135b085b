// Draws the board after a given turn of a replay document, like frontend/drawing/board.py and with the same markup,
// character for character (the browser tests compare them). It knows no rules.
const CELL = 100;
const RIM = 34;

/** The board after `turn` turns: Frame in board.py, but with the stones in an array, -1 for an empty cell. */
export function frameAt(replay, turn) {
  const { size } = replay.board;
  const frame = {
    turn,
    stones: new Int8Array(size * size).fill(-1),
    placed: [],
    changed: [],
    ghosts: new Map(),
    ringed: [],
    markedOn: 0,
  };
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

/** Fills the placeholders of a sentence from the server. */
export function filled(sentence, values) {
  return sentence.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}

/** The caption of this position: caption() in board.py. */
export function caption(replay, frame) {
  const measured = replay.turns[frame.turn - 1]?.caption;
  if (measured) return measured;
  if (frame.markedOn) {
    const { note, marked } = replay.turns[frame.markedOn - 1];
    const won = frame.turn === replay.turns.length && `${marked}` === `${replay.result.cells}`;
    return filled(won ? replay.words.winning : replay.words.leading, { note, turn: frame.markedOn });
  }
  return "";
}

/** The content of `<g class="stones">`: layer() in board.py. */
export class Layer {
  constructor(element, size) {
    this.size = size;
    this.left = RIM + Math.floor((Math.max(32, 3 * size + 5) * 3) / 2);
    [this.under, this.men, this.over] = element.children;
  }

  draw(replay, frame) {
    set(
      this.under,
      [...frame.placed, ...frame.changed, ...frame.ghosts.keys()].map((cell) => this.last(cell)).join(""),
    );
    this.squares(frame.stones).forEach((path, seat) => {
      const man = this.men.children[seat];
      if (man.getAttribute("d") !== path) man.setAttribute("d", path);
    });
    set(this.over, this.above(replay, frame));
  }

  /** A path per seat: the squares of its stones, filled with the stone pattern. _men() in board.py. */
  squares(stones) {
    const paths = ["", ""];
    stones.forEach((seat, cell) => {
      if (seat < 0) return;
      const [row, column] = [Math.floor(cell / this.size), cell % this.size];
      paths[seat] += `M${column * CELL} ${(this.size - 1 - row) * CELL}h${CELL}v${CELL}h-${CELL}z`;
    });
    return paths;
  }

  at(cell) {
    return [
      this.left + (cell % this.size) * CELL + CELL / 2,
      RIM + (this.size - 1 - Math.floor(cell / this.size)) * CELL + CELL / 2,
    ];
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
    // In an analysis, the turn that the judge would have played.
    const best = (replay.turns[frame.turn - 1]?.best ?? []).map((cell) => {
      const [x, y] = this.at(cell);
      return `<circle class="best" cx="${x}" cy="${y}" r="38"></circle>`;
    });
    return [...ghosts, this.trace(replay, frame), ...rings, ...placed, ...frame.changed.map(dot), ...best].join("");
  }

  trace({ result }, { ringed, markedOn }) {
    let [cells, end] = [ringed, ""];
    if (!(ringed.length > 1 && ringed === result.cells && result.reason === "connection")) {
      if (!markedOn || ringed.length !== 4) return "";
      [cells, end] = [[ringed[0], ringed[1], ringed[3], ringed[2]], "Z"];
    }
    return `<path class="trace" d="M${cells.map((cell) => this.at(cell).join(" ")).join("L")}${end}"></path>`;
  }
}

/** Sets the markup only if it changed: parsing costs more than comparing. */
function set(group, markup) {
  if (group.drawn === markup) return;
  group.innerHTML = group.drawn = markup;
}
