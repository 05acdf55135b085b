// Polls the parts of a page that the server redraws: elements with data-live (the URL) and data-every (in seconds).
// An answer may contain further elements, which replace those with their ids.
import { Poll, changed } from "./poll.js";

for (const part of document.querySelectorAll("[data-live]")) {
  const poll = new Poll(async () => {
    const answer = await changed(part.dataset.live, `"${part.dataset.etag}"`);
    if (answer) {
      const drawn = document.createElement("template");
      drawn.innerHTML = await answer.text();
      const [first, ...others] = drawn.content.children;
      update(part, first);
      for (const other of others) update(document.getElementById(other.id), other);
      poll.every = 1000 * part.dataset.every;
    }
    return "live" in part.dataset;
  }, 1000 * part.dataset.every);
  poll.start();
}

/** Turns a node into a copy of another one. Elements that stay keep their focus and scroll position. */
function update(old, drawn) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== drawn.nodeValue) old.nodeValue = drawn.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!drawn.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of drawn.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  updateChildren(old, drawn);
}

/** Matches children by their ids, or by the first id inside them; others by position. */
function updateChildren(old, drawn) {
  const there = new Map([...old.children].map((child) => [key(child), child]));
  const wanted = new Set([...drawn.children].map(key));
  const stays = (child) => key(child) && wanted.has(key(child));
  let at = old.firstChild;
  const drop = () => {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  };
  for (const child of [...drawn.childNodes]) {
    const same = key(child) && there.get(key(child));
    // Removed elements are dropped first, so that the others need not move.
    while (same && at && at !== same && !stays(at)) drop();
    const match = same || (at && !stays(at) ? at : null);
    if (match?.nodeName !== child.nodeName) {
      old.insertBefore(child, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else if (old.moveBefore) old.moveBefore(match, at);
    else old.insertBefore(match, at);
    update(match, child);
  }
  while (at) drop();
}

function key(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.id || node.querySelector("[id]")?.id : undefined;
}
