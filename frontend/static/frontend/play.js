// A game against a bot, or a question to one, drawn by the server. Links and forms work without this script. With it,
// they update the page in place, keys move the cursor, the clock runs, and answers appear automatically.
import { Poll } from "./poll.js";

const CELL = 100;
const RIM = 34;
const LOOK_MS = 1000;
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };

class PlayTable extends HTMLElement {
  connectedCallback() {
    this.asked = 0;
    this.at = null;
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("submit", (event) => this.submitted(event));
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.hover(event));
    this.poll = new Poll(() => this.look(), LOOK_MS);
    this.ready();
    this.watch();
  }

  disconnectedCallback() {
    this.poll.stop();
    clearInterval(this.ticking);
  }

  /** Sets up keys and clock after each redraw. */
  ready() {
    // The game is over if there is no table: replay.js takes over.
    this.table = this.querySelector(".table");
    this.hovered = null;
    const pane = this.querySelector(".pane");
    if (!this.table) return clearInterval(this.ticking);
    // Focusable, so that it keeps the focus while the bot thinks.
    pane.tabIndex = -1;
    if ("keys" in pane.dataset) {
      pane.tabIndex = 0;
      pane.setAttribute("role", "application");
      pane.setAttribute("aria-label", this.dataset.keys);
      for (const target of pane.querySelectorAll(".target")) target.tabIndex = -1;
      // The line under the board shows them sooner than the browser's tooltip, which would cover cells.
      for (const title of pane.querySelectorAll("title")) {
        title.parentNode.dataset.said = title.textContent;
        title.remove();
      }
      if (this.at !== null) this.point();
    }
    this.run();
  }

  get waits() {
    return this.lost || (this.table && "wait" in this.table.dataset);
  }

  watch() {
    if (this.waits) this.poll.start();
    else this.poll.stop();
  }

  /** Polls once. Returns whether to continue. */
  async look() {
    const { stones } = this.table.dataset;
    const address = this.dataset.src + (stones ? `?stones=${stones}` : "");
    await this.show(address, { headers: { "If-None-Match": this.lost ? "" : (this.etag ?? "") } });
    return this.waits;
  }

  /** Carries out an action of the user. Polling stops until it is done. */
  async act(address, options) {
    this.poll.stop();
    const number = this.asked + 1;
    // If the site or the network is down, the page stays unchanged, and asks for the game until there is an answer.
    await this.show(address, options).catch(() => {});
    if (number === this.asked) this.watch();
  }

  /** Fetches and shows the game. Only the newest response counts. Throws on errors of the network and the server. */
  async show(address, options = {}) {
    const number = ++this.asked;
    let answer, text;
    try {
      answer = await fetch(address, {
        ...options,
        cache: "no-store",
        headers: { "X-Part": "1", ...options.headers },
      });
      text = await answer.text();
      if (answer.status > 499) throw new Error(`${address}: ${answer.status}`);
    } catch (error) {
      if (number === this.asked) this.lose(true);
      throw error;
    }
    if (number !== this.asked) return;
    this.lose(false);
    if (answer.status === 304) return;
    if (!answer.ok && answer.status !== 409) throw new Error(`${address}: ${answer.status}`);
    const focused = this.contains(document.activeElement);
    this.etag = answer.headers.get("ETag");
    this.innerHTML = text;
    this.ready();
    if (focused) this.querySelector(".pane").focus({ preventScroll: true });
  }

  /** Says that the connection is lost, or no longer. */
  lose(lost) {
    this.lost = lost;
    const line = this.querySelector("[data-lost]");
    if (line) line.hidden = !lost;
  }

  async clicked(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("a[href^='?stones=']");
    if (!link) return this.tap(event);
    event.preventDefault();
    if (link.dataset.cell) this.at = Number(link.dataset.cell);
    await this.act(this.dataset.src + link.getAttribute("href"));
    // If a stone completes the turn, play it at once.
    if (link.dataset.cell && this.table && "complete" in this.table.dataset && !this.lost) this.play();
  }

  async submitted(event) {
    // A rematch is another page.
    if (!this.table) return;
    event.preventDefault();
    // Ignore a second click while the first is being sent.
    if (this.posting) return;
    const { target: form, submitter } = event;
    this.posting = true;
    await this.act(form.action, { method: "POST", body: new FormData(form, submitter) });
    this.posting = false;
  }

  play() {
    const form = this.querySelector("form[data-play]");
    if (form) form.requestSubmit(form.querySelector("button"));
  }

  pressed(event) {
    if (!event.target.closest(".pane[data-keys]") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) this.move(...STEPS[event.key]);
    else if (event.key === "Enter") this.press(`.target[data-cell="${this.at}"]`);
    else if (event.key === "Backspace") this.press("[data-undo]");
    else if (event.key === " " || event.key.toLowerCase() === "e") this.play();
    else return;
    event.preventDefault();
  }

  press(selector) {
    this.querySelector(selector)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }

  move(north, east) {
    const size = Number(this.table.dataset.size);
    const [row, column] =
      this.at === null ? [size >> 1, size >> 1] : [Math.floor(this.at / size) + north, (this.at % size) + east];
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    this.at = row * size + column;
    this.point();
  }

  /** The cell at the pointer, or null. */
  cellAt({ target, clientX, clientY }) {
    const svg = target.closest?.(".pane[data-keys] svg.board");
    if (!svg) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const { size, origin } = this.table.dataset;
    const [row, column] = [size - 1 - Math.floor((y - RIM) / CELL), Math.floor((x - origin) / CELL)];
    return row < 0 || column < 0 || row >= size || column >= size ? null : row * size + column;
  }

  /** A cell that is not a link says why. */
  tap(event) {
    const cell = this.cellAt(event);
    if (cell === null) return;
    this.at = cell;
    this.point();
  }

  hover(event) {
    const cell = this.cellAt(event);
    if (cell === null || cell === this.hovered) return;
    this.hovered = cell;
    this.describe(cell);
  }

  /** Draws the cursor, and describes its cell. */
  point() {
    const { size, origin } = this.table.dataset;
    const [row, column] = [Math.floor(this.at / size), this.at % size];
    const svg = this.querySelector("svg.board");
    svg.querySelector(".cursor")?.remove();
    svg.insertAdjacentHTML(
      "beforeend",
      `<rect class="cursor" x="${+origin + column * CELL + 5}" y="${RIM + (size - 1 - row) * CELL + 5}" width="90" height="90" rx="12"></rect>`,
    );
    this.describe(this.at);
  }

  /** Says what a stone on the cell does, or why it is closed. */
  describe(cell) {
    const { size, cells, colours } = this.table.dataset;
    const stone = cells[cell];
    const here = stone === "0" ? this.dataset.empty : colours.split("/")[stone - 1];
    const said = this.querySelector(`.pane [data-cell="${cell}"]`)?.dataset.said;
    const name = `${"abcdefghjklmnopqrst"[cell % size]}${Math.floor(cell / size) + 1}`;
    this.querySelector("[data-cursor]").textContent = `${name}: ${here}${said ? `. ${said}` : ""}`;
  }

  run() {
    clearInterval(this.ticking);
    const clock = this.querySelector("[data-clock]");
    if (!clock) return;
    const end = performance.now() + clock.dataset.clock * 1000;
    this.ticking = setInterval(() => {
      const left = Math.max(0, Math.floor((end - performance.now()) / 1000));
      clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      if (left > 0) return;
      // Time is up: wait for the server's verdict.
      clearInterval(this.ticking);
      this.table.dataset.wait = "";
      this.watch();
    }, 250);
  }
}

customElements.define("play-table", PlayTable);
