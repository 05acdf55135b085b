// What htmx's polling lacks: rest while the page is hidden, and the ETag, so that an unchanged answer is an empty 304.
document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  if (document.hidden) event.preventDefault();
  ctx.request.headers["If-None-Match"] = `"${ctx.sourceElement.dataset.etag}"`;
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  for (const element of document.querySelectorAll("[hx-trigger]")) htmx.trigger(element, "every");
});
