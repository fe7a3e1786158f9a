// The body of a function that chooses `file` in the window for one's own area, opens it, and returns what
// the page shows then. `isReady` says whether an area is on the desk.
const one = (selector) => document.querySelector(selector);
const until = async (what, holds) => {
  const end = Date.now() + 60_000;
  for (;;) {
    // A condition that reads a missing element throws; it is tried again.
    try { if (holds()) return; } catch { /* The element is not there yet. */ }
    if (Date.now() > end) throw new Error(`${what} does not come; the page says ${one("#status")?.textContent}`);
    await new Promise((next) => setTimeout(next, 5));
  }
};

for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
outwit.areas.ownName = null;
outwit.area.key = "";
one("#own-open").click();
const chosen = new DataTransfer();
chosen.items.add(new File([Uint8Array.from(file.bytes)], file.name));
one("#own-file").files = chosen.files;
one("#own-file").dispatchEvent(new Event("change"));
await until("the file's text", () => outwit.areas.ownName !== null);
one("#own-game").value = file.game;
one("#own-form button.strong").click();

if (file.isRefused) {
  await until("a reason", () => one("#own-problem").textContent !== "");
  return { isOpen: one("#own").open };
}
const told = {};
if (file.level) {
  await until("a list of levels", () => one("#levels").open);
  told.levels = [...document.querySelectorAll("#levels-list li")].map((it) => ({
    isGood: it.querySelector("button") !== null,
    title: it.querySelector("span").textContent,
    about: it.querySelector("small").textContent,
  }));
  one(`#levels-list li:nth-child(${file.level}) button`).click();
}
await until("an area", () => outwit.area.key !== "" && isReady());
told.title = one("#area-title").textContent;
told.game = outwit.area.game;
if (file.plan) {
  outwit.check(file.plan);
  outwit.checking.submit(false);
  await until("a verdict", () => /alid: /.test(one("#status").textContent));
  told.verdict = one("#status").textContent;
  outwit.choose("play");
  one("#status").textContent = "";
}
return told;
