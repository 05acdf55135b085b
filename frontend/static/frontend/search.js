// The key "/" goes to the search box of the header, or to the search page if the box is hidden.
const box = document.getElementById("site-search");

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing || event.defaultPrevented) return;
  event.preventDefault();
  if (box.offsetParent) box.select();
  else location.assign(box.form.action);
});
