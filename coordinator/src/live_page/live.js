// Puts fragments of the page that changed in the place of those before.
"use strict";
(() => {
  const main = document.querySelector("main[data-events]");
  const connection = document.getElementById("connection");
  let last = "";

  // What a reader has opened, scrolled to or focused stays so.
  function replace(next) {
    const before = document.getElementById(next.id);
    if (!before) return;
    const scrolled = [...before.querySelectorAll(".scroll")].map(box => box.scrollLeft);
    const opened = [...before.querySelectorAll("details")].map(box => box.open);
    const focused = before.contains(document.activeElement)
      ? [...before.querySelectorAll("a, summary, button, [tabindex]")].indexOf(document.activeElement) : -1;
    before.replaceWith(next);
    next.querySelectorAll(".scroll").forEach((box, index) => { box.scrollLeft = scrolled[index] || 0; });
    next.querySelectorAll("details").forEach((box, index) => { if (index < opened.length) box.open = opened[index]; });
    const target = focused < 0 ? null : next.querySelectorAll("a, summary, button, [tabindex]")[focused];
    if (target) target.focus({ preventScroll: true });
  }

  function listen() {
    const address = new URL(main.dataset.events, location);
    if (last) address.searchParams.set("since", last);
    const source = new EventSource(address);
    source.addEventListener("fragment", event => {
      last = event.lastEventId;
      const template = document.createElement("template");
      template.innerHTML = event.data;
      const next = template.content.firstElementChild;
      if (next) replace(next);
    });
    source.addEventListener("open", () => { connection.textContent = "live"; connection.className = "live"; });
    source.addEventListener("error", () => {
      connection.textContent = "not connected, trying again";
      connection.className = "lost";
      // A browser tries again by itself after a broken connection, but not after an answer that is an error.
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
  }

  listen();
})();
