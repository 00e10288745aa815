// Development: what was saved is shown where it is read.
function startFollowing() {
  const { events } = document.body.dataset;
  if (!events) return;
  let shown = null;
  new EventSource(events).addEventListener("message", async (event) => {
    const { number, problems } = JSON.parse(event.data);
    showProblems(problems);
    const isNew = shown !== null && number !== shown;
    shown = number;
    if (!isNew) return;
    const answer = await fetch(location.href, { cache: "no-store", headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.title = page.title;
    document.querySelector(".frame").replaceWith(page.querySelector(".frame"));
    document.querySelector(".bar .sections").replaceWith(page.querySelector(".bar .sections"));
    document.dispatchEvent(new Event("kb-content"));
  });
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
  box.append(list);
  if (problems.length > 5) box.append(`and ${problems.length - 5} more`);
  document.body.append(box);
}

startFollowing();
