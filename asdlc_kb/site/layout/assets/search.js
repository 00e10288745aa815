// The search palette: results while typing, usable by keyboard alone.

const RECENT = "kb-searches";
const MAX_RECENT = 5;
const HELP =
  'Also: "a phrase" · -without · title:word · category: · source: · version: · language: · updated:>2026-01';

// Recent searches; they stay in this browser.
function loadRecent() {
  try {
    const queries = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return queries.filter((query) => typeof query === "string").slice(0, MAX_RECENT);
  } catch {
    return [];
  }
}

function saveRecent(query) {
  const queries = [query, ...loadRecent().filter((other) => other !== query)];
  try {
    localStorage.setItem(RECENT, JSON.stringify(queries.slice(0, MAX_RECENT)));
  } catch {
    // Storage may be forbidden: then there are no recent searches.
  }
}

class Palette {
  constructor(dialog) {
    this.dialog = dialog;
    this.input = dialog.querySelector("input");
    this.list = dialog.querySelector("[role=listbox]");
    this.status = dialog.querySelector("[role=status]");
    this.options = [];
    this.at = -1;
    this.requestNumber = 0;
    const help = document.createElement("p");
    help.className = "palette-help";
    help.textContent = HELP;
    dialog.append(help);
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
    const number = ++this.requestNumber;
    const query = this.input.value.trim();
    if (!query) return this.showRecent();
    // Recent searches are not results of the typed query.
    if (this.options.some((option) => !option.dataset.address)) this.show({ found: [] }, "");
    const { search } = document.body.dataset;
    let answer;
    try {
      const got = await fetch(`${search}?q=${encodeURIComponent(query)}`);
      answer = got.ok ? await got.json() : null;
    } catch {
      answer = null;
    }
    // A later request may have been answered already.
    if (number !== this.requestNumber) return;
    this.show(answer ?? { found: [] }, answer ? query : "");
    if (!answer) this.status.textContent = "Search is unavailable. Try again.";
  }

  showRecent() {
    const found = loadRecent().map((title) => ({ title, group: "Recent searches", snippet: "" }));
    this.show({ found }, "");
    this.status.textContent = "";
  }

  go(option) {
    const { address } = option.dataset;
    if (address) {
      saveRecent(this.input.value.trim());
      location.assign(address);
    } else {
      this.input.value = option.textContent;
      this.input.focus();
      this.ask();
    }
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
    this.status.textContent = query ? this.describe(answer) : "";
  }

  describe(answer) {
    const parts = [answer.corrected];
    if (!answer.found.length) parts.push("No results.");
    else parts.push(`${answer.total} ${answer.total === 1 ? "result" : "results"} · Enter to open · Shift+Enter for all`);
    if (answer.suggestion) parts.push(`Did you mean ${answer.suggestion}?`);
    return parts.filter(Boolean).join(" ");
  }

  option(found) {
    const option = document.createElement("li");
    option.setAttribute("role", "option");
    option.id = `KB-hit-${this.options.length}`;
    if (found.address) option.dataset.address = found.address;
    const title = document.createElement("strong");
    title.textContent = found.heading ? `${found.title} › ${found.heading}` : found.title;
    if (found.edition) title.textContent += ` · ${found.edition}`;
    const text = document.createElement("span");
    for (const [number, part] of found.snippet.split("**").entries()) {
      const piece = number % 2 ? document.createElement("mark") : new Text();
      piece.textContent = part;
      text.append(piece);
    }
    option.append(title);
    if (found.snippet) option.append(text);
    option.addEventListener("click", () => this.go(option));
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
      if (chosen && !event.shiftKey) this.go(chosen);
      else if (query) {
        saveRecent(query);
        location.assign(`${document.body.dataset.results}?q=${encodeURIComponent(query)}`);
      }
    }
  }
}

function startSearch() {
  const palette = new Palette(document.getElementById("KB-palette"));
  addEventListener("keydown", (event) => {
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
    const command = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (command || slash) {
      event.preventDefault();
      palette.open();
    }
  });
  const field = document.getElementById("KB-find");
  field.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    palette.open(field.value);
  });
}

startSearch();
