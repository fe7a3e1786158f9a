// The body of a function that names what cannot be reached by scrolling, or is cut off, in the page.
const faults = [];
const shown = (it) => it.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !it.closest(".unseen, .skip");
const name = (it) => `${it.tagName.toLowerCase()}#${it.id}.${it.className} "${it.textContent.trim().slice(0, 20)}"`;
const wide = document.scrollingElement.scrollWidth;
if (Math.max(wide, innerWidth) > screen.width) faults.push(`the page is ${wide} wide`);
for (const part of document.querySelectorAll("#stage, [role=tabpanel], #shelf, button, .plate, label.button, h2, dialog")) {
  if (shown(part) && part.scrollWidth > part.clientWidth + 1) faults.push(`${name(part)}: ${part.scrollWidth} in ${part.clientWidth}`);
}
const hides = (value) => value === "hidden" || value === "clip";
const controls = "button, input, select, textarea, summary, #board, #status, #area-title, .plate";
for (const control of (document.querySelector("dialog:modal") ?? document).querySelectorAll(controls)) {
  // Of the list of areas the ends stand for all.
  if (!shown(control) || control.matches("li:not(:first-child, :last-child) > .area")) continue;
  control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const box = control.getBoundingClientRect();
  const fits = box.height <= innerHeight;
  if (box.left < -0.5 || box.right > innerWidth + 0.5) faults.push(`${name(control)} is cut off at a side`);
  if (fits && (box.top < -0.5 || box.bottom > innerHeight + 0.5)) faults.push(`${name(control)} is cut off above or below`);
  if (!box.width || !box.height) continue;
  const at = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2);
  if (!at || !(control.contains(at) || at.contains(control))) faults.push(`${name(control)} lies under ${at && name(at)}`);
  // What a script has scrolled there a user could not have.
  for (let around = control.parentElement; around; around = around.parentElement) {
    const style = getComputedStyle(around);
    const moved = (hides(style.overflowY) && around.scrollTop > 0) || (hides(style.overflowX) && around.scrollLeft > 0);
    if (moved) faults.push(`${name(control)} is cut off by ${name(around)}`);
  }
}
return [...new Set(faults)];
