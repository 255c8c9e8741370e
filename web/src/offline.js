// Keeps the files of one version of the page, so that it opens without a network. Another version has another cache.

const CACHE = "serval-VERSION";
const FILES = [/* FILES */];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => names.filter((name) => name.startsWith("serval-") && name !== CACHE));
  event.waitUntil(old.then((names) => Promise.all(names.map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  // What has a hash in its name never changes; the page itself is asked for first.
  const isPage = event.request.mode === "navigate";
  const kept = () => caches.match(isPage ? "./" : event.request);
  event.respondWith(isPage ? fetch(event.request).catch(kept) : kept().then((found) => found ?? fetch(event.request)));
});
