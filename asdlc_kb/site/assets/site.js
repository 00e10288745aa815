// What pages do beyond reading: theme, copying, the search palette. Everything works
// without it, too.

const root = document.documentElement;

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage may be forbidden: then it holds for this page.
  }
}

function startTheme() {
  const button = document.getElementById("kb-theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = root.dataset.theme ?? (system.matches ? "dark" : "light");
    root.dataset.theme = shown === "dark" ? "light" : "dark";
    remember("kb-theme", root.dataset.theme);
  });
}

async function copy(text, tell) {
  try {
    await navigator.clipboard.writeText(text);
    tell("Copied");
  } catch {
    tell("Copying is not allowed here");
  }
}

function startCode() {
  for (const code of document.querySelectorAll(".body pre")) {
    const frame = document.createElement("div");
    frame.className = "code-frame";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", () =>
      copy(code.textContent, (said) => {
        button.textContent = said;
        setTimeout(() => (button.textContent = "Copy"), 1600);
      }),
    );
    code.replaceWith(frame);
    frame.append(code, button);
  }
}

function startActions() {
  for (const actions of document.querySelectorAll(".actions")) {
    const said = actions.querySelector(".said");
    const tell = (text) => {
      said.textContent = text;
      setTimeout(() => (said.textContent = ""), 2400);
    };
    for (const button of actions.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        const answer = await fetch(button.dataset.copy);
        if (answer.ok) await copy(await answer.text(), tell);
        else tell("It could not be read");
      });
    }
    const here = location.href.split("#")[0];
    for (const link of actions.querySelectorAll("[data-ask]")) {
      link.hidden = false;
      link.href = link.dataset.ask + encodeURIComponent(`Read ${here} and answer questions about it.`);
    }
  }
}

function startContents() {
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
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
  follow();
}

// Where not every section has room, the one that is read is in view.
function startSections() {
  const sections = document.querySelector(".sections");
  const current = sections.querySelector("[aria-current]");
  if (!current) return;
  const middle = current.offsetLeft - sections.offsetLeft + current.offsetWidth / 2;
  sections.scrollLeft = middle - sections.clientWidth / 2;
}

function startSidebar() {
  const fold = document.querySelector(".side-fold");
  if (!fold) return;
  const narrow = matchMedia("(max-width: 60rem)");
  const adapt = () => (fold.open = !narrow.matches);
  narrow.addEventListener("change", adapt);
  adapt();
  fold.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

function startMap() {
  const wheel = document.querySelector(".wheel");
  if (!wheel) return;
  const nodes = new Map([...wheel.querySelectorAll(".node")].map((n) => [n.dataset.key, n]));
  const edges = [...wheel.querySelectorAll(".edge")];
  const choose = (key) => {
    wheel.classList.toggle("choosing", key !== null);
    for (const node of nodes.values()) node.classList.toggle("chosen", node.dataset.key === key);
    for (const edge of edges) {
      const { from, to } = edge.dataset;
      const isChosen = from === key || to === key;
      edge.classList.toggle("chosen", isChosen);
      if (isChosen) for (const end of [from, to]) nodes.get(end)?.classList.add("chosen");
    }
  };
  for (const [key, node] of nodes) {
    for (const event of ["pointerenter", "focus"]) node.addEventListener(event, () => choose(key));
    for (const event of ["pointerleave", "blur"]) node.addEventListener(event, () => choose(null));
  }
}

function fillAddress() {
  for (const part of document.querySelectorAll("[data-example]")) {
    const { example } = part.dataset;
    if (!example) continue;
    const base = new URL(document.querySelector(".brand").href).href.replace(/\/$/, "");
    for (const code of part.querySelectorAll("code")) {
      code.textContent = code.textContent.replaceAll(example, base);
    }
  }
}

function startTabs() {
  for (const tabs of document.querySelectorAll(".tabs")) {
    const panels = [...tabs.children];
    const list = document.createElement("div");
    list.className = "tablist";
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", "Clients");
    const buttons = panels.map((panel) => {
      const button = document.createElement("button");
      button.type = "button";
      button.id = `kb-tab-${panel.id}`;
      button.textContent = panel.getAttribute("aria-label");
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", button.id);
      panel.removeAttribute("aria-label");
      return button;
    });
    const choose = (at, focus) => {
      for (const [number, button] of buttons.entries()) {
        button.setAttribute("aria-selected", String(number === at));
        button.tabIndex = number === at ? 0 : -1;
        panels[number].hidden = number !== at;
      }
      if (focus) buttons[at].focus();
    };
    for (const [number, button] of buttons.entries()) {
      button.addEventListener("click", () => {
        choose(number);
        history.replaceState(null, "", `#${panels[number].id}`);
      });
      button.addEventListener("keydown", (event) => {
        const last = buttons.length - 1;
        const to = {
          ArrowRight: number === last ? 0 : number + 1,
          ArrowLeft: number === 0 ? last : number - 1,
          Home: 0,
          End: last,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        choose(to, true);
      });
    }
    list.append(...buttons);
    tabs.prepend(list);
    const named = panels.findIndex((panel) => `#${panel.id}` === location.hash);
    choose(Math.max(named, 0));
  }
}

function startTrial() {
  const trial = document.querySelector(".trial");
  if (!trial) return;
  const { endpoint } = trial.dataset;
  const list = trial.querySelector("ol");
  const prefix = "io.modelcontextprotocol";
  const version = "2026-07-28";
  const ask = async (method, params, name) => {
    const meta = {
      [`${prefix}/protocolVersion`]: version,
      [`${prefix}/clientCapabilities`]: {},
      [`${prefix}/clientInfo`]: { name: "connect-page", version: "1" },
    };
    const headers = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": version,
      "Mcp-Method": method,
    };
    if (name) headers["Mcp-Name"] = name;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
    const answer = await fetch(endpoint, { method: "POST", headers, body });
    const told = await answer.json();
    if (told.error) throw new Error(told.error.message ?? JSON.stringify(told.error));
    return told.result;
  };
  const show = (title, told, failed = false) => {
    const item = document.createElement("li");
    const words = document.createElement("strong");
    words.textContent = title;
    const text = document.createElement("pre");
    text.tabIndex = 0;
    text.className = failed ? "code failed" : "code";
    text.textContent = typeof told === "string" ? told : JSON.stringify(told, null, 2);
    const frame = document.createElement("div");
    frame.className = "body";
    frame.append(text);
    item.append(words, frame);
    list.append(item);
  };
  trial.hidden = false;
  trial.querySelector("button").addEventListener("click", async () => {
    list.replaceChildren();
    try {
      const found = await ask("server/discover", {});
      show("It is there", { serverInfo: found.serverInfo ?? found._meta, capabilities: found.capabilities });
      const { tools } = await ask("tools/list", {});
      show(`It has ${tools.length} tools`, tools.map((tool) => `${tool.name}: ${tool.title}`).join("\n"));
      const tool = tools.find((each) => /^(list_articles|list_doc_pages|list_rules)$/.test(each.name));
      if (!tool) return;
      const wish = tool.name === "list_rules" ? {} : { limit: 2 };
      const result = await ask("tools/call", { name: tool.name, arguments: wish }, tool.name);
      show(`It answers ${tool.name}`, result.structuredContent ?? result.content);
    } catch (error) {
      show("It does not answer", String(error.message ?? error), true);
    }
  });
}

class Palette {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector("input");
    this.list = dialog.querySelector("[role=listbox]");
    this.told = dialog.querySelector("[role=status]");
    this.options = [];
    this.at = -1;
    this.asked = 0;
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.press(event));
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.querySelector("form").addEventListener("submit", (event) => {
      if (event.submitter?.value !== "cancel") event.preventDefault();
    });
  }

  open(text = "") {
    if (this.dialog.open) return;
    this.dialog.showModal();
    this.input.value = text;
    this.input.select();
    this.ask();
  }

  async ask() {
    const number = ++this.asked;
    const query = this.input.value.trim();
    if (!query) return this.show({ found: [] }, "");
    const { search } = document.body.dataset;
    let answer;
    try {
      const got = await fetch(`${search}?q=${encodeURIComponent(query)}`);
      answer = got.ok ? await got.json() : null;
    } catch {
      answer = null;
    }
    // A later answer may have come already.
    if (number !== this.asked) return;
    this.show(answer ?? { found: [] }, answer ? query : "");
    if (!answer) this.told.textContent = "Search does not answer right now.";
  }

  show(answer, query) {
    this.list.replaceChildren();
    this.options = [];
    let group = null;
    for (const found of answer.found) {
      if (found.group !== group) {
        group = found.group;
        const title = document.createElement("li");
        title.setAttribute("role", "presentation");
        title.textContent = group;
        this.list.append(title);
      }
      this.list.append(this.option(found));
    }
    this.select(this.options.length ? 0 : -1);
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    this.told.textContent = query ? this.sum(answer) : "";
  }

  sum(answer) {
    const said = [answer.corrected];
    if (!answer.found.length) said.push("Nothing found.");
    else said.push(`${answer.total} found. Enter opens, Shift and Enter shows all.`);
    if (answer.suggestion) said.push(`Did you mean ${answer.suggestion}?`);
    return said.filter(Boolean).join(" ");
  }

  option(found) {
    const option = document.createElement("li");
    option.setAttribute("role", "option");
    option.id = `kb-hit-${this.options.length}`;
    option.dataset.address = found.address;
    const title = document.createElement("strong");
    title.textContent = found.heading ? `${found.title} › ${found.heading}` : found.title;
    const text = document.createElement("span");
    for (const [number, part] of found.snippet.split("**").entries()) {
      const piece = number % 2 ? document.createElement("mark") : new Text();
      piece.textContent = part;
      text.append(piece);
    }
    option.append(title, text);
    option.addEventListener("click", () => location.assign(found.address));
    this.options.push(option);
    return option;
  }

  select(at) {
    this.at = at;
    for (const [number, option] of this.options.entries()) {
      option.setAttribute("aria-selected", String(number === at));
    }
    const chosen = this.options[at];
    if (chosen) {
      this.input.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    } else {
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  press(event) {
    const count = this.options.length;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves && count) {
      event.preventDefault();
      this.select((this.at + moves[event.key] + count) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const query = this.input.value.trim();
      const chosen = this.options[this.at];
      if (chosen && !event.shiftKey) location.assign(chosen.dataset.address);
      else if (query) location.assign(`${document.body.dataset.results}?q=${encodeURIComponent(query)}`);
    }
  }
}

function startSearch() {
  const palette = new Palette(document.getElementById("kb-palette"));
  addEventListener("keydown", (event) => {
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
    const command = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (command || slash) {
      event.preventDefault();
      palette.open();
    }
  });
  const field = document.getElementById("kb-find");
  field.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    palette.open(field.value);
  });
}

// What a page's own content needs; again when it was changed in place.
function startContent() {
  fillAddress();
  startTabs();
  startTrial();
  startCode();
  startActions();
  startContents();
  startSections();
  startSidebar();
  startMap();
}

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
    startContent();
  });
}

function showProblems(problems) {
  document.getElementById("kb-problems")?.remove();
  if (!problems.length) return;
  const box = document.createElement("aside");
  box.id = "kb-problems";
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

startTheme();
startContent();
startFollowing();
startSearch();
