// The replay viewer. The server draws the board of one turn; this script shows the others, and follows live games
// (data-feed).
import { Layer, asText, caption, filled, frameAt } from "./board.js";
import { Poll, changed } from "./poll.js";

const SPEEDS = { 0.5: 1600, 1: 800, 2: 400, 4: 200 };
const FEED_MS = 2000;
const SECONDS = { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false };

export class ReplayViewer extends HTMLElement {
  connectedCallback() {
    this.replay = JSON.parse(this.querySelector("#replay").textContent);
    this.turn = Number(this.dataset.now);
    // The reader hides results, and has not yet seen the last turn.
    this.hides = "hides" in this.dataset;
    // Not every page has all parts: an embedded board has no list.
    this.find = (name) => this.querySelector(`[data-${name}]`);
    this.layer = new Layer(this.querySelector(".stones"), this.replay.board.size);
    this.svg = this.querySelector("svg.board");
    this.slider = this.find("slider");
    this.list = this.find("list");
    this.playing = null;
    this.bars = [...this.querySelectorAll("[data-bar]")];
    this.links = [...this.querySelectorAll(".turns a[data-turn]")];
    this.now = this.marked();
    this.scroll();
    this.listen();
    if ("autoplay" in this.dataset && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      if (this.dataset.autoplay) this.go(Number(this.dataset.autoplay));
      this.play();
    }
    if (this.dataset.feed) {
      this.feed = new Poll(() => this.follow(), FEED_MS);
      this.feed.start(0);
    }
  }

  get last() {
    return this.replay.turns.length;
  }

  listen() {
    this.slider?.addEventListener("input", () => this.step(`=${this.slider.value}`));
    this.slider?.form.addEventListener("submit", (event) => event.preventDefault());
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("keydown", (event) => this.pressed(event));
    for (const name of ["strip", "lead"]) this.find(name)?.addEventListener("click", (event) => this.pointed(event));
    addEventListener("pagehide", () => this.stop());
  }

  disconnectedCallback() {
    this.stop();
    this.feed?.stop();
  }

  clicked(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const control = event.target.closest("[data-turn], [data-step], [data-play], [data-copy]");
    if (!control) return;
    event.preventDefault();
    if ("play" in control.dataset) this.toggle();
    else if ("copy" in control.dataset) this.copy(control);
    else if (control.dataset.step === "last") this.step(`=${this.last}`);
    else this.step(control.dataset.step ?? control.getAttribute("href").replace("?turn", ""));
  }

  /** Goes to the turn at this place of a graph. */
  pointed(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const box = event.currentTarget.getBoundingClientRect();
    // A fault has a place of its own after the last turn.
    const slots = this.last + event.currentTarget.querySelectorAll(".broke").length;
    this.step(`=${1 + Math.floor(((event.clientX - box.left) / box.width) * slots)}`);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = {
      ArrowLeft: "-1",
      ArrowRight: "+1",
      ArrowUp: "-1",
      ArrowDown: "+1",
      PageUp: "-10",
      PageDown: "+10",
      Home: "=0",
      End: `=${this.last}`,
    };
    if (event.target.closest("select, textarea, input:not([type=range])")) return;
    if (event.key in steps) this.step(steps[event.key]);
    // Space must still press buttons and open details.
    else if (event.key === " " && !event.target.closest("button, a, summary")) this.toggle();
    else return;
    event.preventDefault();
  }

  /** Steps by "+1" or "-10", or to "=7". A manual step stops playback. */
  step(step) {
    this.stop();
    const number = Number(step.slice(1));
    this.go(step[0] === "=" ? number : this.turn + (step[0] === "-" ? -number : number));
  }

  go(turn) {
    this.turn = Math.max(0, Math.min(turn, this.last));
    const frame = frameAt(this.replay, this.turn);
    this.layer.draw(this.replay, frame);
    this.say("text", asText(this.replay.board, frame));
    this.say("caption", caption(this.replay, frame));
    const judged = this.replay.turns[this.turn - 1] ?? this.replay;
    this.say("verdict", judged.verdict ?? "");
    this.find("chance")?.style.setProperty("--c", judged.chance);
    this.say("count", this.hides ? `${this.turn}` : `${this.turn} / ${this.last}`);
    if (this.slider) this.slider.value = this.turn;
    const ply = this.find("ply");
    if (ply) ply.value = this.turn;
    for (const picture of this.querySelectorAll("[data-picture]")) picture.search = `?turn=${this.turn}`;
    this.describe();
    this.mark(frame);
    // The page of the last turn has the result.
    if (this.hides && this.turn === this.last) return location.replace(this.address());
    // Another page than the game's own keeps its address.
    if ("guest" in this.dataset) return;
    // Delayed, because browsers refuse frequent URL changes, as from a dragged slider.
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => history.replaceState(null, "", this.address()), 150);
  }

  say(name, text) {
    const element = this.find(name);
    if (element && element.textContent !== text) element.textContent = text;
  }

  address() {
    const address = new URL(location);
    address.searchParams.set("turn", this.turn);
    return address;
  }

  /** The elements that stand for this turn; the link is the first. */
  marked() {
    return [this.links, this.bars].map((each) => each[this.turn - 1]);
  }

  mark() {
    for (const part of this.now) part?.classList.remove("now");
    this.now[0]?.removeAttribute("aria-current");
    this.now = this.marked();
    for (const part of this.now) part?.classList.add("now");
    this.now[0]?.setAttribute("aria-current", "true");
    this.querySelector(".lead .now")?.setAttribute("x", this.turn - 1);
    // After painting, because reading the link's position forces a layout.
    cancelAnimationFrame(this.scrolling);
    this.scrolling = requestAnimationFrame(() => this.scroll());
  }

  /** Scrolls the list, but never the page. */
  scroll() {
    const link = this.links[this.turn - 1];
    if (!link || !this.list) return;
    // Not offsetTop: rows with content-visibility are their links' offset parents.
    const [seen, box] = [link.getBoundingClientRect(), this.list.getBoundingClientRect()];
    if (seen.top < box.top || seen.bottom > box.bottom) this.list.scrollTop += seen.top - box.top - box.height / 2;
  }

  describe() {
    const turn = this.replay.turns[this.turn - 1];
    const { words } = this.replay;
    const values = turn && {
      turn: this.turn,
      last: this.last,
      name: this.dataset[`name${turn.seat}`],
      played: turn.text,
    };
    const said = turn ? filled(words.turn, values) : words.start;
    this.svg.setAttribute("aria-label", said);
    this.slider?.setAttribute("aria-valuetext", said);
    // Silent during playback: a screen reader would never stop talking.
    if (this.playing === null) this.say("said", said);
  }

  toggle() {
    if (this.playing === null) this.play();
    else this.stop();
  }

  play() {
    if (this.turn === this.last) this.go(0);
    this.playing = setTimeout(
      () => {
        this.go(this.turn + 1);
        if (this.turn < this.last) this.play();
        else this.stop();
      },
      SPEEDS[this.find("speed")?.value ?? 1],
    );
    this.showPlaying();
  }

  stop() {
    clearTimeout(this.playing);
    this.playing = null;
    this.showPlaying();
  }

  showPlaying() {
    const button = this.find("play");
    button?.classList.toggle("playing", this.playing !== null);
    button?.setAttribute("aria-label", this.replay.words[this.playing === null ? "play" : "pause"]);
  }

  /** Copies the text of the element whose ID is in data-copy, or else the address of this turn. */
  async copy(button) {
    const label = button.querySelector("[data-copied]");
    const code = document.getElementById(button.dataset.copy);
    label.dataset.copied ||= label.textContent;
    try {
      await navigator.clipboard.writeText(code?.textContent ?? this.address());
      label.textContent = this.replay.words.copied;
    } catch {
      // Pages without TLS have no clipboard access; the address bar shows the same link.
      if (code) getSelection().selectAllChildren(code);
      else label.textContent = this.replay.words.not_copied;
    }
    setTimeout(() => (label.textContent = label.dataset.copied), 2000);
  }

  /** Fetches new turns. Returns whether there may be more. */
  async follow() {
    const address = `${this.dataset.feed}?attempt=${this.dataset.attempt}&since=${this.last}`;
    const answer = await changed(address, this.asked === address && this.etag);
    if (answer) {
      this.asked = address;
      this.etag = answer.headers.get("ETag");
      this.hear(await answer.json());
    }
    return !this.ended;
  }

  hear(news) {
    if (news.game) {
      this.ended = true;
      // Keep an earlier turn in view.
      location.replace(news.game + (this.turn < this.last ? `?turn=${this.turn}` : news.shown));
      return;
    }
    this.ended = news.ended;
    this.say("state", news.state);
    const follows = this.turn === this.last;
    if (news.since < this.last) this.forget(news.since);
    this.dataset.attempt = news.attempt;
    if (!news.turns.length && this.turn <= this.last) return;
    for (const turn of news.turns) this.add(turn);
    this.weigh();
    const lead = this.find("lead");
    if (lead) lead.innerHTML = news.lead;
    const views = this.find("views");
    if (views) views.innerHTML = news.views;
    if (this.slider) this.slider.max = this.last;
    if (this.playing === null) this.go(follows ? this.last : this.turn);
    else this.say("count", `${this.turn} / ${this.last}`);
  }

  /** Drops the turns of an earlier attempt: the match was restarted. */
  forget(turns) {
    this.replay.turns.length = turns;
    for (const part of [...this.bars.splice(turns), ...this.links.splice(turns)]) part.remove();
    for (const row of this.list.querySelectorAll("li")) if (!row.querySelector("a")) row.remove();
  }

  add(turn) {
    this.replay.turns.push(turn);
    const copy = this.find("pattern").content.cloneNode(true);
    const [bar, row] = [copy.querySelector(`i.b${turn.seat}`), copy.querySelector("li")];
    const link = row.querySelectorAll("a")[turn.seat];
    bar.dataset.bar = link.dataset.turn = this.last;
    link.setAttribute("href", `?turn=${this.last}`);
    link.querySelector("span").textContent =
      turn.text.replaceAll(",", " ") + (turn.note && turn.note !== turn.text ? ` ${turn.note}` : "");
    link.querySelector("small").textContent =
      turn.seconds === undefined ? "" : `${turn.seconds.toLocaleString(document.documentElement.lang, SECONDS)}\u202fs`;
    this.find("strip").append(bar);
    this.bars.push(bar);
    this.links.push(link);
    const rows = this.list.querySelectorAll("li");
    const lastRow = rows[rows.length - 1];
    // The second seat's turn goes next to the first's; a seat that moves twice starts a new row.
    if (turn.seat === 1 && lastRow && lastRow.children[2]?.matches("span"))
      return lastRow.children[2].replaceWith(link);
    row.querySelectorAll("a")[1 - turn.seat].replaceWith(document.createElement("span"));
    row.querySelector(".no").textContent = rows.length + 1;
    this.list.append(row);
  }

  /** Sets the heights of the bars, as shares of the longest turn. */
  weigh() {
    const seconds = this.replay.turns.map((turn) => turn.seconds ?? 0);
    const longest = Math.max(...seconds, 0) || 1;
    this.bars.forEach((bar, index) => bar.style.setProperty("--t", (seconds[index] / longest).toFixed(3)));
  }
}

customElements.define("replay-viewer", ReplayViewer);
