// Times in the reader's time zone, and forms that begin with it. Without this script, times are in UTC and say so.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const written = new Intl.DateTimeFormat(document.documentElement.lang, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

function localise(root) {
  for (const time of root.querySelectorAll("time[data-clock]")) {
    time.title = time.textContent;
    time.textContent = written.format(new Date(time.dateTime));
    time.removeAttribute("data-clock");
  }
}

localise(document);
// Live parts of pages arrive with times in UTC.
new MutationObserver((changes) => {
  for (const change of changes)
    for (const node of change.addedNodes) if (node.querySelectorAll) localise(node.parentNode);
}).observe(document.getElementById("main"), { childList: true, subtree: true });
for (const field of document.querySelectorAll("input[data-zone]"))
  if (field.value === "UTC" && zone) field.value = zone;
