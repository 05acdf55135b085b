// Polling for all pages: conditional by ETag, only while the page is visible, and backing off after failures.
const LONGEST_MS = 30_000;

/** Calls `ask` every `every` ms until it returns false. If it throws, the wait doubles. */
export class Poll {
  constructor(ask, every) {
    this.ask = ask;
    this.every = every;
    this.turn = 0;
    document.addEventListener("visibilitychange", () => document.hidden || !this.on || this.look());
  }

  start(wait = this.every) {
    this.stop();
    this.on = true;
    this.wait = wait;
    this.timer = setTimeout(() => this.look(), wait);
  }

  stop() {
    this.on = false;
    this.turn++;
    clearTimeout(this.timer);
  }

  async look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    const turn = ++this.turn;
    let wait = this.every;
    let more = true;
    try {
      more = await this.ask();
    } catch {
      // The site or the network is down, or the server refused.
      wait = Math.min(2 * Math.max(this.wait, this.every), LONGEST_MS);
    }
    // Polling was stopped or restarted in the meantime.
    if (turn !== this.turn) return;
    if (more) this.start(wait);
    else this.stop();
  }
}

/** The response, or null if it still has this ETag. Throws on errors of the network and the server. */
export async function changed(address, etag) {
  const answer = await fetch(address, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}
