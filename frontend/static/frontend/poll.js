// The one way in which pages ask for what has changed: by the ETag of what they have, only while they are seen, and less
// often after each failure.
const LONGEST_MS = 30_000;

/** Calls `ask` every so many ms until it returns false. When it throws, the next wait is twice as long. */
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
      // The site or the network is away, or refuses.
      wait = Math.min(2 * Math.max(this.wait, this.every), LONGEST_MS);
    }
    // Whoever has stopped or started it meanwhile has decided how it goes on.
    if (turn !== this.turn) return;
    if (more) this.start(wait);
    else this.stop();
  }
}

/** The answer, or null if it is the one with this ETag. Throws when there is none, or a refusal. */
export async function changed(address, etag) {
  const answer = await fetch(address, { headers: etag ? { "If-None-Match": etag } : {}, cache: "no-store" });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}
