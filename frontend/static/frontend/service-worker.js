// The service worker: it shows push messages, and a page when there is no network. It caches nothing but that page.
const CACHE = "offline";
const OFFLINE = "/offline/";

self.addEventListener("install", (event) => {
  const page = new Request(OFFLINE, { cache: "reload" });
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.add(page))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([self.registration.navigationPreload?.enable(), self.clients.claim()]));
});

async function answer(event) {
  try {
    return (await event.preloadResponse) || (await fetch(event.request));
  } catch (error) {
    const page = await caches.match(OFFLINE, { ignoreVary: true });
    if (page) return page;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate" && event.request.method === "GET") event.respondWith(answer(event));
});

self.addEventListener("push", (event) => {
  const { title, body, link, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: link, icon: "/icons/any-192.png" }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const address = new URL(event.notification.data, self.location.origin);
  // The message comes from this site, but a link to another one must never be opened.
  if (address.origin === self.location.origin) event.waitUntil(self.clients.openWindow(address.href));
});
