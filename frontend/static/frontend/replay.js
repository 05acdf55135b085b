// The replay viewer. The server drew the board of one turn; this draws every other, from the same document and with
// the same markup as frontend/board.py (the browser tests compare them, character for character).
const CELL = 100;
const RIM = 34;
const SPEEDS = { 0.5: 1600, 1: 800, 2: 400, 4: 200 };

/** The board after `turn` turns: Frame in board.py. */
function frameAt(replay, turn) {
  const frame = { stones: new Map(), placed: [], changed: [], ghosts: new Map(), ringed: [] };
  apply(frame, replay.initial);
  for (const { ops, marked } of replay.turns.slice(0, turn)) {
    frame.placed = [];
    frame.changed = [];
    frame.ghosts = new Map();
    frame.ringed = marked ?? [];
    apply(frame, ops);
  }
  if (turn === 0) frame.placed = [];
  if (turn === replay.turns.length && replay.result.cells.length) frame.ringed = replay.result.cells;
  return frame;
}

function apply(frame, ops) {
  for (const [cell, seat] of ops) {
    const before = frame.stones.get(cell);
    frame.stones.delete(cell);
    if (seat === null) {
      frame.placed = frame.placed.filter((other) => other !== cell);
      if (before !== undefined) frame.ghosts.set(cell, before);
      continue;
    }
    frame.stones.set(cell, seat);
    frame.ghosts.delete(cell);
    if (before === undefined) frame.placed.push(cell);
    else if (!frame.placed.includes(cell)) frame.changed.push(cell);
  }
}

/** The inside of the layer of stones: layer() in board.py. */
function layer(size, frame) {
  const left = RIM + Math.floor((Math.max(32, 3 * size + 5) * 3) / 2);
  const at = (cell) => [
    left + (cell % size) * CELL + CELL / 2,
    RIM + (size - 1 - Math.floor(cell / size)) * CELL + CELL / 2,
  ];
  const dot = (cell) => {
    const [x, y] = at(cell);
    return `<circle class="dot on${frame.stones.get(cell)}" cx="${x}" cy="${y}" r="11"></circle>`;
  };
  const parts = [];
  for (const cell of [...frame.placed, ...frame.changed, ...frame.ghosts.keys()]) {
    const [x, y] = at(cell);
    parts.push(`<rect class="last" x="${x - 47}" y="${y - 47}" width="94" height="94" rx="14"></rect>`);
  }
  for (const [cell, seat] of [...frame.stones].sort(([a], [b]) => a - b)) {
    const [x, y] = at(cell);
    parts.push(`<use href="#stone${seat}" x="${x}" y="${y}"></use>`);
  }
  for (const [cell, seat] of frame.ghosts) {
    const [x, y] = at(cell);
    parts.push(`<use href="#ghost${seat}" x="${x}" y="${y}"></use>`);
  }
  for (const cell of frame.ringed) {
    const [x, y] = at(cell);
    parts.push(`<circle class="win" cx="${x}" cy="${y}" r="45"></circle>`);
  }
  frame.placed.forEach((cell, index) => {
    const [x, y] = at(cell);
    const seat = frame.stones.get(cell);
    parts.push(
      frame.placed.length === 1
        ? dot(cell)
        : `<text class="number on${seat}" x="${x}" y="${y + 14}">${index + 1}</text>`,
    );
  });
  return [...parts, ...frame.changed.map(dot)].join("");
}

class ReplayViewer extends HTMLElement {
  connectedCallback() {
    this.replay = JSON.parse(this.querySelector("#replay").textContent);
    this.last = this.replay.turns.length;
    this.turn = Number(this.dataset.now);
    this.find = (name) => this.querySelector(`[data-${name}]`);
    this.stones = this.querySelector(".stones");
    this.slider = this.find("slider");
    this.playing = null;
    const now = this.querySelector("a.now");
    if (now) this.mark(now, true);
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.slider.form.addEventListener("submit", (event) => event.preventDefault());
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.find("strip").addEventListener("click", (event) => {
      const box = this.find("strip").getBoundingClientRect();
      this.go(1 + Math.floor(((event.clientX - box.left) / box.width) * this.last));
    });
    addEventListener("pagehide", () => this.stop());
  }

  disconnectedCallback() {
    this.stop();
  }

  clicked(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const control = event.target.closest("[data-turn], [data-step], [data-play], [data-copy]");
    if (!control) return;
    event.preventDefault();
    if ("play" in control.dataset) this.playing === null ? this.play() : this.stop();
    else if ("copy" in control.dataset) this.copy();
    else this.step(control.dataset.step ?? `=${control.dataset.turn}`);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = {
      ArrowLeft: "-1", ArrowRight: "+1", ArrowUp: "-1", ArrowDown: "+1",
      PageUp: "-10", PageDown: "+10", Home: "=0", End: `=${this.last}`,
    };
    if (event.target.closest("select")) return;
    if (event.key in steps) this.step(steps[event.key]);
    // Space still presses the buttons and opens the folds.
    else if (event.key === " " && !event.target.closest("button, a, summary")) this.playing === null ? this.play() : this.stop();
    else return;
    event.preventDefault();
  }

  /** "+1", "-10" or "=7". A step by hand ends playing. */
  step(step) {
    this.stop();
    const number = Number(step.slice(1));
    this.go(step[0] === "=" ? number : this.turn + (step[0] === "-" ? -number : number));
  }

  go(turn) {
    this.turn = Math.max(0, Math.min(turn, this.last));
    const frame = frameAt(this.replay, this.turn);
    this.stones.innerHTML = layer(this.replay.board.size, frame);
    this.find("text").textContent = this.asText(frame);
    this.slider.value = this.turn;
    this.find("picture").search = `?turn=${this.turn}`;
    this.find("count").textContent = `${this.turn} / ${this.last}`;
    this.describe();
    for (const shown of this.querySelectorAll(".now")) this.mark(shown, false);
    for (const named of this.querySelectorAll(`[data-turn="${this.turn}"], [data-bar="${this.turn}"]`)) this.mark(named, true);
    // Browsers refuse addresses that change too often, as under a dragged slider.
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => history.replaceState(null, "", this.address()), 150);
  }

  address() {
    const address = new URL(location);
    address.searchParams.set("turn", this.turn);
    return address;
  }

  mark(element, on) {
    element.classList.toggle("now", on);
    if (!element.matches("a")) return;
    if (!on) return element.removeAttribute("aria-current");
    element.setAttribute("aria-current", "true");
    // Only the list scrolls, never the page.
    const list = this.find("list");
    const top = element.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (top < 0 || top > list.clientHeight - element.offsetHeight) {
      list.scrollTop += top - list.clientHeight / 2;
    }
  }

  describe() {
    const turn = this.replay.turns[this.turn - 1];
    const said = turn ? `Turn ${this.turn} of ${this.last}: ${this.dataset[`name${turn.seat}`]} ${turn.text}` : "Start of the game";
    this.querySelector("svg.board").setAttribute("aria-label", said);
    this.slider.setAttribute("aria-valuetext", said);
    // A game that plays by itself would never stop talking.
    if (this.playing === null) this.find("said").textContent = said;
  }

  /** The board as text: text() in board.py. */
  asText(frame) {
    const { size, columns } = this.replay.board;
    const letters = `   ${[...columns].join(" ")}`;
    const lines = [];
    for (let row = size - 1; row >= 0; row--) {
      const cells = Array.from(columns, (_, column) => ".XO"[(frame.stones.get(row * size + column) ?? -1) + 1]);
      lines.push(`${String(row + 1).padStart(2)} ${cells.join(" ")} ${row + 1}`);
    }
    return [letters, ...lines, letters].join("\n");
  }

  play() {
    if (this.turn === this.last) this.go(0);
    const wait = SPEEDS[this.find("speed").value];
    this.playing = setTimeout(() => {
      this.go(this.turn + 1);
      if (this.turn < this.last) this.play();
      else this.stop();
    }, wait);
    this.showPlaying();
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = null;
    this.showPlaying();
  }

  showPlaying() {
    const button = this.find("play");
    button.classList.toggle("playing", this.playing !== null);
    button.setAttribute("aria-label", this.playing === null ? "Play" : "Pause");
  }

  async copy() {
    const label = this.find("copied");
    try {
      await navigator.clipboard.writeText(this.address());
      label.textContent = "Copied";
    } catch {
      // Pages without TLS have no clipboard: the address bar shows the same link.
      label.textContent = "See address bar";
    }
    setTimeout(() => (label.textContent = "Copy link"), 2000);
  }
}

customElements.define("replay-viewer", ReplayViewer);
