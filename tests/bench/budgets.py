"""Measure page weight, time to first view on a slow phone, and the time of turn changes, and compare with the budgets.

    .venv/bin/python tests/bench/budgets.py [--strict] [--only NAME] [--runs 3] [--presses 40]

`manage.py web` serves a site with real games, its static files hashed and compressed, to Debian's Chromium.
Each first view has a cold cache, a processor slowed down four times, and the network of DevTools' preset
"Slow 4G": 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. DevTools throttles requests rather than packets: it
uses nine tenths of the throughput and 3.75 times the latency, 562.5 ms for each request before its first byte comes.
A page whose text waits for a second file is therefore seen after 1.1 s at best.

Bytes are those received over the network, response headers included, of everything requested until a second after
`load`; inline scripts and styles also count as script or style, compressed separately. LCP and CLS are reported by the
browser; the board counts as painted when the first frame with it is done. The lowest numbers of several views count. A
turn's time is that of the main thread: from the key press to the end of its handlers, and from the start of the next
frame to its commit; it excludes the wait for the display's tick in between and the drawing of pixels by other threads.
"""

import gzip
import os
import statistics
import sys
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
# Playwright runs an event loop in this thread, where Django would refuse to use the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.common import options_of
from tests.site_on_show import CHROMIUM, FLAGS, Shown, begin_game, site_on_show

KB = 1024
SLOW_4G = {"offline": False, "latency": 150 * 3.75, "downloadThroughput": 1.6e6 / 8 * 0.9,
           "uploadThroughput": 750e3 / 8 * 0.9}
SLOWER = 4
WIDTHS = (390, 1280)
BUDGETS = {"JS": 25.0, "CSS": 10.0, "all": 100.0, "LCP": 1000.0, "board": 1000.0, "CLS": 0.05}
TURN_MS = 16.0
# Requests for each page before measuring, as on a site that has been up for a while with its two processes.
WARMED = 4
OBSERVE = """(() => {
    const seen = window.seen = {lcp: 0, cls: 0, board: 0};
    new PerformanceObserver(list => { for (const entry of list.getEntries()) seen.lcp = entry.startTime; })
        .observe({type: 'largest-contentful-paint', buffered: true});
    new PerformanceObserver(list => { for (const entry of list.getEntries())
        if (!entry.hadRecentInput) seen.cls += entry.value; }).observe({type: 'layout-shift', buffered: true});
    const done = new MessageChannel();
    done.port1.onmessage = () => { seen.board = performance.now(); };
    const look = () => document.querySelector('svg.board') ? done.port2.postMessage(0) : requestAnimationFrame(look);
    requestAnimationFrame(look);
})()"""
WRITTEN = "kind => [...document.querySelectorAll(kind)].map(element => element.textContent).join('')"
# A frame's callbacks run first in it; a message that they post is handled after it.
PRESSES = """(() => {
    window.presses = [];
    const done = new MessageChannel();
    let times;
    done.port1.onmessage = () => { presses.push(times.handled - times.pressed + performance.now() - times.frame); };
    addEventListener('keydown', () => {
        times = {pressed: performance.now()};
        requestAnimationFrame(() => { times.frame = performance.now(); done.port2.postMessage(0); });
    }, true);
    addEventListener('keydown', () => { times.handled = performance.now(); });
})()"""


@dataclass
class Measured:
    """Numbers of a page that have a budget, by the names of BUDGETS: KB, ms, and a bare number for CLS."""

    numbers: dict[str, float] = field(default_factory=dict)

    def over(self) -> list[str]:
        return [name for name, number in self.numbers.items() if number > BUDGETS[name]]


def main() -> int:
    options = options_of(
        __doc__, strict=(False, "fail if a number is over its budget"), port=(8765, "port of the site"),
        only=("", "only pages and games whose name contains this"), presses=(40, "turns to step through in each game"),
        runs=(3, "first views per page; the lowest times count"))
    print(__doc__.partition("\n\n")[2].partition("\n\n")[2])
    with site_on_show(options.port) as shown, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        over = first_views(browser, shown, options.only, options.runs)
        over += turns(browser, shown, options.only, options.presses)
        browser.close()
    print(f"\n{over} over their budgets" if over else "\nall within their budgets")
    return 1 if over and options.strict else 0


# --- first views ----------------------------------------------------------------------------------------------------


def first_views(browser: Browser, shown: Shown, only: str, runs: int) -> int:
    """Print each page's numbers, with a star if over the budget; return how many are over."""
    pages = shown.pages | {f"game {slug}": path for slug, path in shown.largest.items()}
    pages["playing"] = begin_game(browser, shown)
    for path in pages.values():
        for _ in range(WARMED):
            urllib.request.urlopen(shown.address + path).read()  # noqa: S310 - our own site
    print(f"first views, load average {os.getloadavg()[0]:.1f}; the budgets, then the numbers with their ratios")
    print(f"{'':22} {'width':>5}" + "".join(f" {name + ' ' + unit(name):>16}" for name in BUDGETS))
    print(f"{'budget':28}" + "".join(f" {written(name, limit):>16}" for name, limit in BUDGETS.items()))
    over = 0
    for name, path in sorted(pages.items()):
        for width in WIDTHS if only in name else ():
            found = best_of(first_view(browser, shown, path, width) for _ in range(runs))
            over += len(found.over())
            print(f"{name:22} {width:5}" + "".join(f" {cell(key, found.numbers.get(key)):>16}" for key in BUDGETS),
                  flush=True)
    return over


def unit(name: str) -> str:
    return {"LCP": "ms", "board": "ms", "CLS": ""}.get(name, "KB")


def written(name: str, number: float) -> str:
    return f"{number:.3f}" if name == "CLS" else f"{number:.0f}" if unit(name) == "ms" else f"{number:.1f}"


def cell(name: str, number: float | None) -> str:
    if number is None:
        return "–"
    share = number / BUDGETS[name]
    return f"{written(name, number)} {share:5.2f}{'*' if share > 1 else ' '}"


def best_of(views: Iterable[Measured]) -> Measured:
    """Return the lowest of each number, since other work on the machine can only add to it."""
    each = [view.numbers for view in views]
    return Measured({name: min(numbers[name] for numbers in each if name in numbers) for name in each[0]})


def first_view(browser: Browser, shown: Shown, path: str, width: int) -> Measured:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme="light",
                                  storage_state=shown.visitor)
    page = context.new_page()
    wire = NetworkMonitor(page)
    page.add_init_script(OBSERVE)
    wire.send("Network.emulateNetworkConditions", **SLOW_4G)
    wire.send("Emulation.setCPUThrottlingRate", rate=SLOWER)
    page.goto(shown.address + path, wait_until="load", timeout=60_000)
    page.wait_for_timeout(1000)
    seen = page.evaluate("seen")
    scripts, styles = (page.evaluate(WRITTEN, kind) for kind in ("script:not([src]):not([type*=json])", "style"))
    context.close()
    numbers = {
        "JS": wire.bytes_of("Script") / KB + squeezed(scripts),
        "CSS": wire.bytes_of("Stylesheet") / KB + squeezed(styles),
        "all": wire.bytes_of() / KB, "LCP": seen["lcp"], "CLS": seen["cls"]}
    return Measured(numbers | ({"board": seen["board"]} if seen["board"] else {}))


def squeezed(text: str) -> float:
    return len(gzip.compress(text.encode(), 6)) / KB if text else 0.0


class NetworkMonitor:
    """DevTools' data about a page: bytes received over the network, by kind, and processor time."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._kinds: dict[str, str] = {}
        self._sizes: dict[str, float] = {}
        self._session.on("Network.responseReceived", self._received)
        self._session.on("Network.loadingFinished", self._finished)
        self.send("Network.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._session.send(method, parameters)
        return answer

    def cpu_ms(self) -> float:
        """Return the processor time of the page's main thread; requires `Performance.enable`."""
        metrics = {metric["name"]: metric["value"] for metric in self.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"]) * 1000

    def bytes_of(self, kind: str | None = None) -> float:
        return sum(size for number, size in self._sizes.items() if kind in (None, self._kinds.get(number)))

    def _received(self, event: dict[str, Any]) -> None:
        self._kinds[event["requestId"]] = event["type"]

    def _finished(self, event: dict[str, Any]) -> None:
        self._sizes[event["requestId"]] = event["encodedDataLength"]


# --- turns ----------------------------------------------------------------------------------------------------------


def turns(browser: Browser, shown: Shown, only: str, presses: int) -> int:
    """Print the time of turns and jumps on each ruleset's largest board; return how many p95 are over the budget."""
    print(f"\nturn changes, load average {os.getloadavg()[0]:.1f}; ms at p50 and p95, the budget is {TURN_MS:.0f}, "
          "ratio of p95 to it; CPU ms on average")
    over = 0
    for slug, path in shown.largest.items():
        for slower in (1, SLOWER) if only in f"game {slug}" else ():
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(PRESSES)
            page.goto(f"{shown.address}{path}?turn=0", wait_until="networkidle")
            page.locator(".pane").focus()
            wire = NetworkMonitor(page)
            wire.send("Performance.enable", timeDomain="threadTicks")
            wire.send("Emulation.setCPUThrottlingRate", rate=slower)
            for what, keys in (("a turn", ["ArrowRight"] * presses), ("ten turns", ["PageDown", "PageUp"] * 5),
                               ("all turns", ["End", "Home"] * 5)):
                began = wire.cpu_ms()
                times = sorted(press(page, keys))
                cpu = (wire.cpu_ms() - began) / len(times)
                p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
                over += p95 > TURN_MS
                print(f"{slug:16} CPU ÷{slower} {what:10} {p50:7.1f} {p95:7.1f} {p95 / TURN_MS:6.2f}"
                      f"{'*' if p95 > TURN_MS else ' '} {cpu:7.1f}", flush=True)
            page.close()
    return over


def press(page: Page, keys: Iterable[str]) -> list[float]:
    """Return the milliseconds of each key press, one after the other."""
    page.evaluate("presses.length = 0")
    for count, key in enumerate(keys, start=1):
        page.keyboard.press(key)
        page.evaluate("""count => new Promise(done => {
            const look = () => presses.length < count ? setTimeout(look, 10) : done();
            look();
        })""", count)
    times: list[float] = page.evaluate("presses")
    return times


if __name__ == "__main__":
    raise SystemExit(main())
