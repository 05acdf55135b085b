// The director: shows one game after another at a pace that can be followed. The server chooses the game; this script
// keeps a game on the stage until its last turn was shown, and shows no result before that.
import { Poll } from "./poll.js";
import { ReplayViewer } from "./replay.js";

const NEWS_MS = 3000;
// Between turns, between a turn and its appearance (so that they do not come in bursts), and at the end of a game.
const PACE_MS = 800;
const DELAY_MS = 4000;
const END_MS = 6000;
// A game that continues stays on the stage for at least this time.
const LEAST_MS = 15_000;
const CLOCK_MS = 100;

/** A game on the stage. Tells the director about each turn ("turn") and about the end of the last one ("over"). */
class DirectedGame extends ReplayViewer {
  connectedCallback() {
    super.connectedCallback();
    this.since = Date.now();
    this.over = !this.dataset.feed;
    this.ending = this.dataset.ending;
    this.dated = [];
    this.date();
    this.show(this.turn);
    this.clock = setInterval(() => this.paused || this.finished || this.tick(), CLOCK_MS);
  }

  // The keys and the address belong to the director.
  listen() {}

  address() {
    return location;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    clearInterval(this.clock);
  }

  get finished() {
    return this.over && this.turn === this.last;
  }

  /** The seconds since the shown turn was played, or null for a finished game. */
  get lag() {
    if (!this.dataset.feed || !this.turn) return null;
    return Math.max(0, Math.round((this.shownAt - this.dated[this.turn - 1]) / 1000));
  }

  /** Estimates when the new turns were played: the last one now, the others before it. */
  date() {
    let at = Date.now();
    const known = this.dated.length;
    for (let turn = this.last - 1; turn >= known; turn--) {
      this.dated[turn] = at;
      at -= 1000 * (this.replay.turns[turn].seconds ?? 0);
    }
  }

  hear(news) {
    if (news.game) {
      this.ended = true;
      this.fetchEnd();
      return;
    }
    this.ended = news.ended;
    if (news.since < this.last) this.replay.turns.length = this.dated.length = news.since;
    this.dataset.attempt = news.attempt;
    this.replay.turns.push(...news.turns);
    this.date();
    if (news.ending || news.over || news.ended) {
      this.over = true;
      this.ending = news.ending;
      this.replay.result = news.result;
    }
    if (this.turn > this.last) this.show(this.last);
    this.schedule();
  }

  /** The game is stored: the rest of its turns and its result come from its replay. */
  async fetchEnd() {
    const stored = (await stageOf(this.dataset.stage)).querySelector("directed-game");
    const replay = JSON.parse(stored.querySelector("#replay").textContent);
    this.replay.turns = replay.turns;
    this.replay.result = replay.result;
    this.date();
    this.ending = stored.dataset.ending;
    this.over = true;
    this.schedule();
  }

  show(turn) {
    this.go(turn);
    this.shownAt = Date.now();
    this.tick();
    this.dispatchEvent(new CustomEvent("turn", { bubbles: true }));
    this.schedule();
  }

  /** Plans the next turn, or the end. */
  schedule() {
    clearTimeout(this.timer);
    if (this.finished) this.querySelector("[data-table]").hidden = false;
    if (this.paused) return;
    if (this.finished) {
      this.timer = setTimeout(() => this.dispatchEvent(new CustomEvent("over", { bubbles: true })), END_MS);
      this.dispatchEvent(new CustomEvent("turn", { bubbles: true }));
      return;
    }
    if (this.turn >= this.last) return;
    const due = Math.max(this.shownAt + PACE_MS, this.dataset.feed ? this.dated[this.turn] + DELAY_MS : 0);
    this.timer = setTimeout(() => this.show(this.turn + 1), Math.max(0, due - Date.now()));
  }

  pause(paused) {
    this.paused = paused;
    this.shownAt = Date.now();
    this.schedule();
  }

  /** Sets both clocks to the times after the shown turn; the time of the player to move runs. */
  tick() {
    const [base, increment] = [Number(this.dataset.base), Number(this.dataset.increment)];
    const turns = this.replay.turns.slice(0, this.turn);
    const next = this.replay.turns[this.turn];
    // Turns are shown more slowly than fast bots play, so the time stops where the turn was played.
    const thought = Math.min((Date.now() - this.shownAt) / 1000, next?.seconds ?? (next ? 0 : Infinity));
    for (const seat of [0, 1]) {
      const used = turns.filter((turn) => turn.seat === seat && turn.seconds !== undefined).map((turn) => turn.seconds);
      const sum = used.reduce((all, seconds) => all + seconds, 0);
      const isDue = this.turn > 0 && !this.finished && turns.at(-1).seat !== seat;
      const running = isDue ? thought : 0;
      const left = base ? Math.max(0, base + increment * used.length - sum - running) : running || (used.at(-1) ?? 0);
      this.querySelector(`[data-clock="${seat}"]`).textContent = seconds(left);
      this.querySelector(`[data-side="${seat}"]`).classList.toggle("due", isDue);
    }
  }
}

function seconds(number) {
  if (number >= 60) return `${Math.floor(number / 60)}:${String(Math.floor(number % 60)).padStart(2, "0")}`;
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${number.toLocaleString(document.documentElement.lang, digits)}\u202fs`;
}

async function stageOf(address) {
  const answer = await fetch(address, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const drawn = document.createElement("template");
  drawn.innerHTML = await answer.text();
  return drawn.content;
}

class DirectorView extends HTMLElement {
  connectedCallback() {
    this.stage = this.querySelector("[data-stage]");
    this.keys = this.querySelector("dialog");
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.paused = this.still;
    this.addEventListener("turn", () => this.describe());
    this.addEventListener("over", () => {
      this.game.done = true;
      // After a failure, the next poll tries again.
      this.advance().catch(() => {});
    });
    this.addEventListener("click", ({ target }) => this.act(target.closest("[data-do]")?.dataset.do));
    document.addEventListener("keydown", (event) => this.pressed(event));
    this.showPaused();
    new Poll(() => this.ask(), NEWS_MS).start(0);
  }

  get game() {
    return this.stage.querySelector("directed-game");
  }

  async ask() {
    const answer = await fetch(this.dataset.news, { cache: "no-store" });
    if (!answer.ok) throw new Error(`news: ${answer.status}`);
    this.news = await answer.json();
    const { games, choice } = this.news;
    if (!this.game || this.game.done) await this.advance();
    else if (this.mayLeave(games, choice)) await this.put(this.entry(choice));
    this.list();
    this.describe();
    return true;
  }

  /** Whether a tenser game may replace this one, which continues. The server has waited for a while. */
  mayLeave(games, choice) {
    const { key } = this.game.dataset;
    const runs = games.some((game) => game.key === key);
    return choice && choice !== key && runs && !this.pinned && !this.paused && Date.now() - this.game.since > LEAST_MS;
  }

  entry(key) {
    return this.news.games.find((game) => game.key === key);
  }

  /** Goes on to the director's choice; without running games, to the next finished one. */
  async advance() {
    if (!this.news) return;
    const { games, choice } = this.news;
    this.pinned = false;
    const chosen = choice && choice !== this.game?.dataset.key ? this.entry(choice) : undefined;
    await this.put(chosen ?? this.following(games));
  }

  following(games) {
    const at = games.findIndex((game) => game.key === this.game?.dataset.key);
    return games[(at + 1) % games.length];
  }

  async put(entry) {
    if (!entry) {
      this.say("status", this.dataset.waiting);
      this.stage.replaceChildren();
      return;
    }
    const game = (await stageOf(entry.stage)).querySelector("directed-game");
    game.dataset.stage = entry.stage;
    game.paused = this.paused;
    this.stage.replaceChildren(game);
    this.say("reason", entry.reason);
    this.list();
    this.describe();
  }

  describe() {
    const { game } = this;
    if (!game) return;
    const entry = this.entry(game.dataset.key);
    if (entry) this.say("reason", entry.reason);
    if (game.finished) return this.say("status", game.ending || this.dataset.over);
    const paused = this.paused ? [this.still ? this.dataset.still : this.dataset.paused] : [];
    const lag = game.lag === null ? this.dataset.replay : this.dataset.lag.replace("{seconds}", game.lag);
    this.say("status", [...paused, game.dataset.feed && !game.turn ? "" : lag].join(" "));
  }

  say(name, text) {
    const element = this.querySelector(`[data-${name}]`);
    if (element.textContent !== text) element.textContent = text;
  }

  /** Upsets and next games. A result of the match on the stage waits until the match has been shown. */
  list() {
    const { game } = this;
    const known = this.news.upsets.filter(({ match }) => !game || game.finished || `${match}` !== game.dataset.match);
    this.fill(
      "upsets",
      known.map(({ text, address }) =>
        Object.assign(document.createElement("a"), { textContent: text, href: address }),
      ),
    );
    this.fill("next", this.news.next);
  }

  fill(name, lines) {
    const list = this.querySelector(`[data-${name}]`);
    list.hidden = !lines.length;
    const items = lines.map((line) => {
      const item = document.createElement("li");
      item.append(line);
      return item;
    });
    list.querySelector("ul").replaceChildren(...items);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    // A button in the closed list of keys has the focus until the next frame.
    if (event.key === " " && event.target.closest("button, a, summary")?.checkVisibility()) return;
    const acts = { " ": "pause", n: "next", ArrowLeft: "back", ArrowRight: "forward", f: "full", "?": "keys" };
    if (!(event.key in acts) || (this.keys.open && event.key !== "?")) return;
    event.preventDefault();
    this.act(acts[event.key]);
  }

  act(name) {
    if (name === "pause") this.pause(!this.paused);
    else if (name === "next") this.skip().catch(() => {});
    else if (name === "back" || name === "forward") this.step(name === "back" ? -1 : 1);
    else if (name === "full") this.toggleFullScreen();
    else if (name === "keys" && this.keys.open) this.keys.close();
    else if (name === "keys") this.keys.showModal();
  }

  pause(paused) {
    this.paused = paused;
    this.still = false;
    this.game?.pause(paused);
    this.showPaused();
    this.describe();
  }

  showPaused() {
    this.querySelector('[data-do="pause"]').setAttribute("aria-pressed", this.paused);
  }

  step(by) {
    if (!this.paused) this.pause(true);
    this.game?.show(this.game.turn + by);
  }

  /** The viewer's own choice stays until its end. */
  async skip() {
    if (!this.news) return;
    await this.put(this.following(this.news.games));
    this.pinned = true;
  }

  toggleFullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.requestFullscreen().catch(() => {});
  }
}

customElements.define("directed-game", DirectedGame);
customElements.define("director-view", DirectorView);
