// Enhancements of every page: theme, copy buttons, current section. Pages work without
// scripts, too.

const root = document.documentElement;
// The texts of the site by their English words; none on English pages.
const texts = JSON.parse(document.body.dataset.texts ?? "{}");

// Returns a text in the language of the page, with values in place of their names.
function translate(text, values = {}) {
  return (texts[text] ?? text).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage may be forbidden: then it holds for this page.
  }
}

function startTheme() {
  const button = document.getElementById("KB-theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  button.addEventListener("click", () => {
    const shown = root.dataset.theme ?? (system.matches ? "dark" : "light");
    root.dataset.theme = shown === "dark" ? "light" : "dark";
    remember("kb-theme", root.dataset.theme);
  });
}

async function copy(text, notify) {
  try {
    await navigator.clipboard.writeText(text);
    notify(translate("Copied"));
  } catch {
    notify(translate("Your browser blocked copying"));
  }
}

function startCode() {
  for (const code of document.querySelectorAll(".body pre")) {
    const header = code.parentElement.querySelector(":scope > figcaption");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = translate("Copy");
    button.setAttribute("aria-label", translate("Copy code"));
    button.addEventListener("click", () =>
      copy(code.textContent, (message) => {
        button.textContent = message;
        setTimeout(() => (button.textContent = translate("Copy")), 1600);
      }),
    );
    if (header) {
      header.append(button);
      continue;
    }
    const frame = document.createElement("div");
    frame.className = "code-frame";
    code.replaceWith(frame);
    frame.append(code, button);
  }
}

function startActions() {
  for (const actions of document.querySelectorAll(".actions")) {
    const status = actions.querySelector(".status");
    const notify = (text) => {
      status.textContent = text;
      setTimeout(() => (status.textContent = ""), 2400);
    };
    for (const button of actions.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", async () => {
        const response = await fetch(button.dataset.copy);
        if (response.ok) await copy(await response.text(), notify);
        else notify(translate("The page could not be loaded"));
      });
    }
    const question = translate("Read {address} and answer questions about it.", {
      address: location.href.split("#")[0],
    });
    for (const link of actions.querySelectorAll("[data-ask]")) {
      link.href = link.dataset.ask + encodeURIComponent(question);
    }
  }
}

let reading = null;

function startContents() {
  reading?.abort();
  reading = new AbortController();
  const links = new Map();
  for (const link of document.querySelectorAll(".toc a")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }
  if (!links.size) return;
  const follow = () => {
    let current = null;
    for (const heading of links.keys()) {
      if (heading.getBoundingClientRect().top > innerHeight * 0.3) break;
      current = heading;
    }
    for (const [heading, link] of links) {
      if (heading === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    scrollList(document.querySelector(".toc"), links.get(current) ?? links.values().next().value);
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), {
    passive: true,
    signal: reading.signal,
  });
  follow();
}

// Scrolls the list of sections to the current one.
function startSections() {
  const sections = document.querySelector(".sections");
  const current = sections.querySelector("[aria-current]");
  if (!current) return;
  const [inner, outer] = [current, sections].map((each) => each.getBoundingClientRect());
  sections.scrollLeft += (inner.left + inner.right - outer.left - outer.right) / 2;
}

// Scrolls a list alone, so that an entry that is not in sight is in its middle.
function scrollList(list, entry) {
  const [inner, outer] = [entry, list].map((each) => each.getBoundingClientRect());
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
  list.scrollTop += (inner.top + inner.bottom - outer.top - outer.bottom) / 2;
}

// Scrolls the sidebar to the current page.
function startSidebar() {
  const side = document.querySelector(".side");
  const current = side?.querySelector("[aria-current]");
  if (current) scrollList(side, current);
}

// A chosen entry folds the table of contents where it is above the text.
function startFolds() {
  const fold = document.querySelector(".toc .fold");
  if (!CSS.supports("selector(::details-content)")) {
    const isWide = matchMedia("(min-width: 60.01rem)").matches;
    for (const each of document.querySelectorAll(".fold")) each.open = isWide;
  }
  fold?.addEventListener("click", (event) => {
    if (event.target.closest("a")) fold.open = false;
  });
}

// Enhances a page's content; called again when the content was replaced.
function startContent() {
  startCode();
  startActions();
  startContents();
  startSections();
  startSidebar();
  startFolds();
}

// Selectors of the parts that may differ between two states of a page.
const PARTS = [".frame", ".bar .sections"];

// Returns the current page once its text is rendered, or after the last try.
async function fetchPage(tries = 20) {
  const response = await fetch(location.href, { cache: "no-store", headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (!("awaited" in page.body.dataset) || tries < 2) return page;
  await new Promise((resolve) => setTimeout(resolve, 900));
  return fetchPage(tries - 1);
}

function showPage(page) {
  document.title = page.title;
  for (const part of PARTS) document.querySelector(part).replaceWith(page.querySelector(part));
  delete document.body.dataset.awaited;
  document.dispatchEvent(new Event("kb-content"));
}

// The link to the top is shown to readers who scroll back.
function startScrolling() {
  let before = scrollY;
  const compare = () => {
    if (scrollY !== before) document.body.classList.toggle("scrolling-up", scrollY < before);
    before = scrollY;
  };
  addEventListener("scroll", compare, { passive: true });
}

// Loads the tools for an agent in the browser, where the browser offers them to agents.
function loadTools() {
  if (!document.modelContext) return;
  const script = document.createElement("script");
  script.src = document.body.dataset.tools;
  document.head.append(script);
}

// Of tabs, one stays open: the mouse cannot close it, nor can keys.
document.addEventListener("click", (event) => {
  const tab = event.target.closest(".tabs > details > summary")?.parentElement;
  if (tab?.open) event.preventDefault();
});
document.addEventListener("kb-content", startContent);
loadTools();
startTheme();
startScrolling();
startContent();
if ("awaited" in document.body.dataset) {
  const showAwaited = (page) => {
    showPage(page);
    // What the address names was not in the page when the browser looked for it.
    if (location.hash && !scrollY) location.replace(location.hash);
  };
  // Without a response the page stays as it is.
  fetchPage().then(showAwaited, () => {});
}
