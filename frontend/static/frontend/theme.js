// The theme button: auto → light → dark, remembered in this browser.
const ORDER = ["auto", "light", "dark"];
const root = document.documentElement;
const button = document.querySelector("[data-theme-button]");

function show() {
  const theme = root.dataset.theme || "auto";
  button.title = button.querySelector(".sr").textContent = button.dataset[theme];
}

button.addEventListener("click", () => {
  const next = ORDER[(ORDER.indexOf(root.dataset.theme || "auto") + 1) % ORDER.length];
  root.dataset.theme = next;
  try {
    localStorage.setItem("theme", next);
  } catch {
    // Storage is disabled: the choice lasts for this page only.
  }
  show();
});
show();

// The service worker shows a page when there is no network. It can wait until everything else is loaded.
addEventListener("load", () => navigator.serviceWorker?.register("/sw.js").catch(() => {}));
