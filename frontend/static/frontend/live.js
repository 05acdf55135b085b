// What htmx's polling lacks: rest while the page is hidden, and the ETag, so that an unchanged answer is an empty 304.
// A part that cannot be had now stays as it is, and is asked for again: htmx would put the error in its place.
htmx.config.noSwap.push("4xx", "5xx");

document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  if (document.hidden) event.preventDefault();
  ctx.request.headers["If-None-Match"] = `"${ctx.sourceElement.dataset.etag}"`;
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("[hx-trigger]")) htmx.trigger(element, "every");
});
