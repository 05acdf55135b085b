// The button that sends news to this browser: it asks for permission, subscribes, and posts the subscription's keys.
const form = document.querySelector("[data-push]");
const status = form.querySelector("[role=status]");
const button = form.querySelector("button");

function bytes(text) {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (sign) => sign.charCodeAt(0));
}

function text(buffer) {
  const raw = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function subscription() {
  await navigator.serviceWorker.register("/sw.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: bytes(form.dataset.push) };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    // The browser may be subscribed with an earlier key of the site.
    const old = await pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return pushManager.subscribe(options);
  }
}

async function start(event) {
  event.preventDefault();
  button.disabled = true;
  try {
    if ((await Notification.requestPermission()) !== "granted") {
      status.textContent = form.dataset.denied;
      return;
    }
    const made = await subscription();
    form.elements.endpoint.value = made.endpoint;
    form.elements.p256dh.value = text(made.getKey("p256dh"));
    form.elements.auth.value = text(made.getKey("auth"));
    form.submit();
  } catch {
    status.textContent = form.dataset.failed;
  } finally {
    button.disabled = false;
  }
}

if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  form.addEventListener("submit", start);
} else {
  button.disabled = true;
  status.textContent = form.dataset.unsupported;
}
