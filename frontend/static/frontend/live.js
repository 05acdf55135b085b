// What htmx's polling lacks: rest while the page is hidden, and the ETag, so that an unchanged answer is an empty 304.
const tags = new WeakMap();

document.addEventListener("htmx:before:request", (event) => {
  const { ctx } = event.detail;
  if (document.hidden) return event.preventDefault();
  const tag = tags.get(ctx.sourceElement) ?? ctx.sourceElement.dataset.etag;
  if (tag) ctx.request.headers["If-None-Match"] = tag;
});

document.addEventListener("htmx:after:request", (event) => {
  const { ctx } = event.detail;
  const tag = ctx.response.status === 200 && ctx.response.headers.get("ETag");
  if (tag) tags.set(ctx.sourceElement, tag);
});

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.querySelectorAll("[hx-trigger]").forEach((element) => htmx.trigger(element, "every"));
});
