// A starter bot for Node: plays random legal turns in all five rulesets. Start your work at `choose`.
"use strict";

// A turn is a list of cells in the order in which they are written, or one of the two codes below.
// A board is a list with one entry per cell, row by row from a1: cell = row * size + column.
const PASS = -1, SWAP = -2;
const EMPTY = "";
const STONE = ["first", "second"]; // seat 0 (moves first) and seat 1
const COLUMNS = "abcdefghjklmnopqrst";
const FIRST_COLOUR = {
  "scware": "white", "ooscg-w": "red", "squ": "red", "square-grid-hex": "black", "squaresquared": "black",
};

class Game {
  ruleset = "squ";
  size = 8;
  board = [];
  history = new Set(); // all boards so far, for SquareSquared
  secondsLeft = Infinity; // left on your clock

  clear() {
    this.board = Array(this.size ** 2).fill(EMPTY);
    this.history = new Set([this.board.join()]);
  }

  play(turn, seat) {
    this.board = this.after(turn, seat);
    this.history.add(this.board.join());
  }

  /** Returns the board after a legal turn. */
  after(turn, seat) {
    if (turn[0] === SWAP) return this.board.map((stone) => (stone ? STONE[1] : EMPTY));
    const next = [...this.board];
    if (turn[0] >= 0) this.place(next, turn[0], seat);
    for (const bonus of turn.slice(1)) next[bonus] = STONE[seat];
    return next;
  }

  /** Places a turn's first stone and removes captured stones. Returns the number of removed crosscut stones. */
  place(on, cell, seat) {
    const removed = this.ruleset === "ooscg-w" ? this.crosscutEnemies(on, cell, seat) : new Set();
    on[cell] = STONE[seat];
    for (const enemy of removed) on[enemy] = EMPTY;
    if (this.ruleset === "squaresquared") {
      for (const near of this.beside(cell)) if (on[near] === STONE[1 - seat]) this.removeWithoutLiberty(on, near);
      this.removeWithoutLiberty(on, cell);
    }
    return removed.size;
  }

  around(cell, steps) {
    const row = Math.floor(cell / this.size), column = cell % this.size;
    return steps.map(([up, right]) => [row + up, column + right])
      .filter(([r, c]) => r >= 0 && r < this.size && c >= 0 && c < this.size)
      .map(([r, c]) => r * this.size + c);
  }

  beside(cell) {
    return this.around(cell, [[0, 1], [1, 0], [0, -1], [-1, 0]]);
  }

  diagonal(cell) {
    return this.around(cell, [[1, 1], [1, -1], [-1, -1], [-1, 1]]);
  }

  /** Returns the orthogonally connected group of a stone. */
  group(on, stone) {
    const members = new Set([stone]);
    // Iterating over a set also visits elements added during the iteration.
    for (const cell of members) {
      for (const near of this.beside(cell)) if (on[near] === on[stone]) members.add(near);
    }
    return members;
  }

  removeWithoutLiberty(on, stone) {
    const members = [...this.group(on, stone)];
    if (members.some((cell) => this.beside(cell).some((near) => on[near] === EMPTY))) return;
    for (const cell of members) on[cell] = EMPTY;
  }

  /** Returns the enemy stones of the crosscuts that the seat's stone on this cell would form. */
  crosscutEnemies(on, cell, seat) {
    const enemies = new Set();
    for (const corner of this.diagonal(cell)) {
      // The two other cells of the 2×2 square between the cell and its corner.
      const one = cell - (cell % this.size) + (corner % this.size), other = cell + corner - one;
      if (on[corner] === STONE[seat] && on[one] === STONE[1 - seat] && on[other] === STONE[1 - seat]) {
        enemies.add(one).add(other);
      }
    }
    return enemies;
  }

  /** Returns legal turns in random order: not all of them, but always at least one. */
  candidates(seat) {
    const empty = shuffled([...this.board.keys()].filter((cell) => this.board[cell] === EMPTY));
    const turns = [];
    if (this.ruleset === "squ") { // two discs, but only one on the empty board and on the last cell
      const discs = empty.length === 1 || empty.length === this.board.length ? 1 : 2;
      for (let i = 0; i + discs <= empty.length; i += discs) turns.push(empty.slice(i, i + discs));
      return turns;
    }
    for (const cell of empty) {
      const turn = [cell];
      if (this.ruleset === "scware" && !this.scwareTurn(turn, seat)) continue;
      if (this.ruleset === "squaresquared" && !this.worthPlaying(turn, seat)) continue;
      if (this.ruleset === "ooscg-w") this.addBonusStones(turn, seat);
      turns.push(turn);
    }
    if (this.ruleset === "square-grid-hex" && seat === 1 && empty.length + 1 === this.board.length) turns.push([SWAP]);
    return turns.length ? turns : [[PASS]];
  }

  /** SquareSquared: rejects repeated boards, and turns in the bot's own eyes, with which a game would never end. */
  worthPlaying(turn, seat) {
    if (this.beside(turn[0]).every((near) => this.board[near] === STONE[seat])) return false;
    return !this.history.has(this.after(turn, seat).join());
  }

  /** OOSCG-W: adds as many bonus stones as stones were removed, or as many as fit. */
  addBonusStones(turn, seat) {
    const on = [...this.board];
    let owed = this.place(on, turn[0], seat);
    while (!this.fit(on, turn, 0, owed, seat)) owed--;
  }

  /** Adds `count` stones on cells from `from` on without forming a crosscut, if possible. */
  fit(on, turn, from, count, seat) {
    if (count === 0) return true;
    for (let cell = from; cell < on.length; cell++) {
      if (on[cell] !== EMPTY || this.crosscutEnemies(on, cell, seat).size) continue;
      on[cell] = STONE[seat];
      turn.push(cell);
      if (this.fit(on, turn, cell + 1, count - 1, seat)) return true;
      on[cell] = EMPTY;
      turn.pop();
    }
    return false;
  }

  /** Scware: completes the first stone to a legal turn, by starting or by growing, if possible. */
  scwareTurn(turn, seat) {
    const on = [...this.board];
    on[turn[0]] = STONE[seat];
    if (this.grows(turn[0], [], seat)) return this.finishGrowth(on, turn, seat);
    return this.diagonal(turn[0]).every((corner) => on[corner] !== STONE[seat]);
  }

  /** Returns whether a stone here grows groups, none of which the turn has already grown. */
  grows(cell, turn, seat) {
    const old = this.beside(cell).filter((near) => this.board[near] === STONE[seat]);
    const groups = old.map((stone) => this.group(this.board, stone));
    const grown = (group) => turn.some((stone) => this.beside(stone).some((near) => group.has(near)));
    return groups.length > 0 && !groups.some(grown);
  }

  /** Adds growing stones until all diagonal neighbours are connected. Only a stone next to a new one helps. */
  finishGrowth(on, turn, seat) {
    for (const stone of [...turn]) {
      const mine = this.group(on, stone);
      if (this.diagonal(stone).every((corner) => on[corner] !== STONE[seat] || mine.has(corner))) continue;
      for (const cell of turn.filter((joined) => mine.has(joined)).flatMap((joined) => this.beside(joined))) {
        if (on[cell] !== EMPTY || !this.grows(cell, turn, seat)) continue;
        on[cell] = STONE[seat];
        turn.push(cell);
        if (this.finishGrowth(on, turn, seat)) return true;
        on[cell] = EMPTY;
        turn.pop();
      }
      return false;
    }
    return true;
  }

  parse(text) {
    if (text === "pass" || text === "swap") return [text === "pass" ? PASS : SWAP];
    return text.split(",").map((name) => (Number(name.slice(1)) - 1) * this.size + COLUMNS.indexOf(name[0]));
  }

  format(turn) {
    if (turn[0] < 0) return turn[0] === PASS ? "pass" : "swap";
    return turn.map((cell) => COLUMNS[cell % this.size] + (Math.floor(cell / this.size) + 1)).join();
  }
}

function shuffled(cells) {
  for (let i = cells.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [cells[i], cells[j]] = [cells[j], cells[i]];
  }
  return cells;
}

// ===== Choose your turn here. `game.after(turn, seat)` returns the board after a turn. =====
function choose(game, seat) {
  return game.candidates(seat)[0];
}

const game = new Game();
const seatOf = (colour) => (colour === FIRST_COLOUR[game.ruleset] ? 0 : 1);

const COMMANDS = {
  protocol_version: () => "2",
  name: () => "Starter in JavaScript",
  version: () => "1",
  list_commands: () => Object.keys(COMMANDS).join("\n"),
  set_ruleset: (slug) => { game.ruleset = slug; },
  boardsize: (size) => { game.size = Number(size); game.clear(); },
  clear_board: () => game.clear(),
  time_left: (colour, seconds) => { game.secondsLeft = Number(seconds); },
  play: (colour, turn) => game.play(game.parse(turn), seatOf(colour)),
  genmove: (colour) => {
    const turn = choose(game, seatOf(colour));
    game.play(turn, seatOf(colour));
    // The second line is optional: what the bot thinks, such as "view win 0.62 depth 7".
    return `${game.format(turn)}\nview nodes 1`;
  },
  quit: () => process.exit(0),
};

require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, ...words] = line.trim().split(/\s+/);
  const known = Object.hasOwn(COMMANDS, command);
  process.stdout.write(known ? `= ${COMMANDS[command](...words) ?? ""}\n\n` : "? unknown command\n\n");
});
