// Live reload in development: shows saved changes and problems in open pages.
function startFollowing() {
  const { events } = document.body.dataset;
  if (!events) return;
  // Before other scripts change it, so that a change saved during loading is shown, too.
  let shown = document.body.outerHTML;
  async function update(event) {
    showProblems(JSON.parse(event.data).problems);
    // Without a response the server is restarting, or this page is being left.
    const page = await fetchPage().catch(() => null);
    if (!page || page.body.outerHTML === shown) return;
    shown = page.body.outerHTML;
    const before = listDetails();
    showPage(page);
    const after = listDetails();
    // What the reader opened stays open, unless the change was to these parts.
    if (before.length !== after.length) return;
    for (const [number, { open }] of before.entries()) after[number].open = open;
  }
  // Not earlier: `fetchPage` is in a script after this one.
  document.addEventListener("DOMContentLoaded", () =>
    new EventSource(events).addEventListener("message", update),
  );
}

function listDetails() {
  return [...document.querySelectorAll(".frame details")];
}

function showProblems(problems) {
  document.getElementById("KB-problems")?.remove();
  if (!problems.length) return;
  const box = document.createElement("aside");
  box.id = "KB-problems";
  box.setAttribute("aria-label", "Problems");
  const list = document.createElement("ul");
  for (const { place, code, message } of problems.slice(0, 5)) {
    const item = document.createElement("li");
    const where = document.createElement("code");
    where.textContent = place;
    item.append(where, ` ${code} ${message}`);
    list.append(item);
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Close";
  button.addEventListener("click", () => box.remove());
  box.append(button, list);
  if (problems.length > 5) box.append(`and ${problems.length - 5} more`);
  document.body.append(box);
}

startFollowing();
