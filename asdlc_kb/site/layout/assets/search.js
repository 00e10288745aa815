// The search palette: results while typing, usable by keyboard alone.

const RECENT = "kb-searches";
const MAX_RECENT = 5;
const MATCHES = "kb-matches";
const MAX_MATCHES = 500;
// Milliseconds without a key after which the text is searched.
const DELAY = 150;
// Milliseconds after which a search says that it is going on.
const PATIENCE = 400;

// The hidden fields of the search form: the page that is read, if it is of another edition.
const HIDDEN = [...document.querySelectorAll(".find input[type=hidden]")].map(({ name, value }) => [name, value]);

// Returns the operators, and the filters that can narrow a search.
function describeOperators(filters) {
  const names = filters.map((name) => `${name}:`);
  return ['Also: "a phrase"', "-without", "title:word", ...names, "updated:>2026-01"].join(" · ");
}

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

class TooManySearches extends Error {
  constructor(seconds) {
    super();
    this.seconds = seconds;
  }
}

// Returns the server's answer to a query.
async function askServer(query, { source, signal }) {
  const parameters = new URLSearchParams([["q", query], ...HIDDEN]);
  if (source) parameters.set("source", source);
  const response = await fetch(`${document.body.dataset.search}?${parameters}`, { signal });
  if (response.status === 429) throw new TooManySearches(response.headers.get("Retry-After"));
  if (!response.ok) throw new Error(response.statusText);
  return response.json();
}

// Saves the words to mark on the page at an address.
function saveMatches(address, snippets, query) {
  let words = snippets.flatMap((snippet) => snippet.filter((_, number) => number % 2));
  if (!words.length) words = query.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
  words = [...new Set(words.map((word) => word.toLowerCase()))];
  try {
    const { pathname } = new URL(address, location.href);
    sessionStorage.setItem(MATCHES, JSON.stringify({ pathname, words: words.slice(0, 50) }));
  } catch {
    // Storage may be forbidden: then nothing is marked.
  }
}

// Marks the words that were saved for this page. Its elements stay as they are.
function showMatches() {
  if (!globalThis.CSS?.highlights || "awaited" in document.body.dataset) return;
  let saved = null;
  try {
    saved = JSON.parse(sessionStorage.getItem(MATCHES));
    if (saved?.pathname !== location.pathname) return;
    sessionStorage.removeItem(MATCHES);
  } catch {
    return;
  }
  const ranges = [...findWords(document.getElementById("KB-main"), saved.words)];
  CSS.highlights.set("kb-match", new Highlight(...ranges));
}

function* findWords(element, words) {
  if (!words.length) return;
  const escaped = words.sort((a, b) => b.length - a.length).map((word) => {
    const text = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    // Chinese, Japanese and Korean have no blanks between words.
    const hasEdges = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word);
    return hasEdges ? `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])` : text;
  });
  const pattern = new RegExp(escaped.join("|"), "giu");
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = MAX_MATCHES;
  while (texts.nextNode()) {
    for (const match of texts.currentNode.data.matchAll(pattern)) {
      if (left-- < 1) return;
      const range = new Range();
      range.setStart(texts.currentNode, match.index);
      range.setEnd(texts.currentNode, match.index + match[0].length);
      yield range;
    }
  }
}

function describeTotal(count) {
  return count === 1 ? translate("1 result") : translate("{count} results", { count });
}

class Palette {
  constructor(dialog, search) {
    this.dialog = dialog;
    // Returns the answer to a query; aborted once it is not wanted any more.
    this.search = search;
    this.source = "";
    this.input = dialog.querySelector("input");
    this.list = dialog.querySelector("[role=listbox]");
    this.status = dialog.querySelector("[role=status]");
    this.options = [];
    this.at = -1;
    // The query of the results that are shown; null if there are none.
    this.answered = null;
    this.snippets = [];
    this.sources = document.createElement("fieldset");
    this.sources.className = "palette-sources";
    this.sources.hidden = true;
    this.sources.addEventListener("change", (event) => {
      this.source = event.target.value;
      this.ask(0);
    });
    this.sources.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.choose(event.shiftKey);
    });
    dialog.querySelector("form").after(this.sources);
    this.help = document.createElement("p");
    this.help.className = "palette-help";
    this.help.lang = "en";
    this.help.textContent = describeOperators([]);
    // The operators are the server's.
    if (search === askServer) dialog.append(this.help);
    dialog.addEventListener("close", () => this.report());
    addEventListener("pagehide", () => this.report());
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      // With a key held, the browser opens a tab or a window.
      const isHere = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (option) this.go(option, isHere);
    });
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
    this.reported = false;
    this.input.value = text;
    this.input.select();
    this.ask();
  }

  // Reports the last query as a search: the earlier ones were typed on the way to it.
  report() {
    if (this.reported !== false) return;
    this.reported = true;
    const query = this.input.value.trim();
    if (this.search !== askServer || query.length < 2) return;
    const parameters = new URLSearchParams([["q", query], ["submitted", 1], ...HIDDEN]);
    if (this.source) parameters.set("source", this.source);
    const sent = fetch(`${document.body.dataset.search}?${parameters}`, { method: "HEAD", keepalive: true });
    sent.catch(() => {});
  }

  // Searches the text once no key was pressed for a while; the last request is aborted.
  ask(delay = DELAY) {
    this.asking?.abort();
    clearTimeout(this.timer);
    this.answered = null;
    const query = this.input.value.trim();
    if (!query) return this.showRecent();
    // Recent searches are not results of the typed query.
    if (this.options.some((option) => !option.href)) this.show({ found: [] }, "");
    const asking = new AbortController();
    this.asking = asking;
    if (!delay) return this.answer(query, asking.signal);
    this.timer = setTimeout(() => this.answer(query, asking.signal), delay);
  }

  async answer(query, signal) {
    let message = translate("Search is unavailable. Try again.");
    let answer = null;
    const late = setTimeout(() => (this.status.textContent = translate("Searching …")), PATIENCE);
    signal.addEventListener("abort", () => clearTimeout(late));
    try {
      answer = await this.search(query, { source: this.source, signal });
    } catch (error) {
      if (error instanceof TooManySearches) {
        message = translate("Too many searches: try again in {seconds} s", { seconds: error.seconds });
      }
    }
    clearTimeout(late);
    if (signal.aborted) return;
    this.answered = answer && query;
    this.show(answer ?? { found: [] }, answer ? query : "");
    if (answer) {
      this.showSources(answer.sources);
      this.help.textContent = describeOperators(answer.filters ?? []);
    } else this.status.textContent = message;
  }

  // Shows the sources that can be searched alone.
  showSources(sources) {
    const shown = [...this.sources.querySelectorAll("input")].map((input) => input.value);
    const values = sources.length ? ["", ...sources.map((source) => source.name)] : [];
    if (values.join("\n") === shown.join("\n")) return;
    if (!values.includes(this.source)) this.source = "";
    const legend = document.createElement("legend");
    legend.className = "unseen";
    legend.textContent = translate("Sources");
    const choices = [{ name: "", title: translate("All") }, ...sources].map(({ name, title }) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name: "KB-source", value: name, checked: name === this.source });
      label.append(input, title);
      return label;
    });
    this.sources.replaceChildren(legend, ...choices);
    this.sources.hidden = !sources.length;
  }

  showRecent() {
    const found = loadRecent().map((title) => ({ title }));
    this.show({ found, title: found.length ? translate("Recent searches") : "" }, "");
    this.status.textContent = "";
  }

  // Prepares for the page of a result, which the browser opens, or searches a text.
  go(option, isHere) {
    if (option.href) {
      const query = this.input.value.trim();
      saveRecent(query);
      saveMatches(option.href, this.snippets, query);
      if (!isHere) return;
      this.dialog.close();
      // On another page this is called when it is loaded.
      showMatches();
    } else {
      const { unfiltered } = option.dataset;
      this.input.value = unfiltered ?? option.textContent;
      if (unfiltered) this.chooseAll();
      this.input.focus();
      this.ask(0);
    }
  }

  chooseAll() {
    this.source = "";
    const all = this.sources.querySelector("input");
    if (all) all.checked = true;
  }

  // Opens the selected result, or all results. Those of a former text do not count.
  async choose(all) {
    const query = this.input.value.trim();
    if (query && this.answered !== query) {
      await this.ask(0);
      if (this.answered !== query) return;
    }
    const chosen = this.options[this.at];
    if (chosen && !all) chosen.click();
    else if (query && document.body.dataset.results) this.linkAll(query).click();
  }

  // Returns a link to the page of all results.
  linkAll(query) {
    const link = document.createElement("a");
    const parameters = new URLSearchParams([["q", query], ...HIDDEN]);
    if (this.source) parameters.set("source", this.source);
    link.href = `${document.body.dataset.results}?${parameters}`;
    link.addEventListener("click", () => {
      saveRecent(query);
      // The page of all results is a search of its own.
      this.reported = true;
    });
    return link;
  }

  show(answer, query) {
    this.list.replaceChildren();
    this.options = [];
    this.snippets = answer.found.map((found) => found.snippet ?? []);
    if (answer.title) {
      const title = document.createElement("p");
      title.setAttribute("role", "presentation");
      title.textContent = answer.title;
      this.list.append(title);
    }
    const { found } = answer;
    const rows = query && !found.length ? [...this.listOthers(answer)] : found;
    this.list.append(...rows.map((row) => this.option(row)));
    this.select(found.length ? 0 : -1);
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    this.status.replaceChildren(...(query ? this.describe(answer, query) : []));
  }

  // Yields what a search without results offers.
  *listOthers({ unfiltered }) {
    const { list } = document.body.dataset;
    if (unfiltered) yield { title: translate("Search everything"), unfiltered };
    if (list) yield { title: translate("Pages"), address: list };
  }

  describe(answer, query) {
    const parts = [answer.corrected];
    if (!answer.found.length) parts.push(translate("No results. Try other words."));
    else {
      const { results } = document.body.dataset;
      const total = results ? this.linkAll(query) : document.createElement("span");
      total.textContent = describeTotal(answer.total);
      const keys = document.createElement("span");
      keys.className = "keys";
      keys.textContent = `· ${translate("Enter to open")}`;
      if (results) keys.textContent += ` · ${translate("Shift+Enter for all")}`;
      parts.push(total, keys);
    }
    if (answer.suggestion) parts.push(`${translate("Did you mean")}: ${answer.suggestion}`);
    return parts.filter(Boolean).flatMap((part) => [part, " "]);
  }

  option(found) {
    const option = document.createElement(found.address ? "a" : "div");
    option.setAttribute("role", "option");
    option.id = `KB-hit-${this.options.length}`;
    // Arrow keys select it.
    option.tabIndex = -1;
    if (found.address) option.href = found.address;
    if (found.unfiltered) option.dataset.unfiltered = found.unfiltered;
    const title = document.createElement("strong");
    title.textContent = found.heading ? `${found.title} › ${found.heading}` : found.title;
    if (found.edition) title.textContent += ` · ${found.edition}`;
    const text = document.createElement("span");
    // Each is cut at the end of its own direction.
    option.dir = text.dir = "auto";
    for (const [number, part] of (found.snippet ?? []).entries()) {
      const piece = number % 2 ? document.createElement("mark") : new Text();
      piece.textContent = part;
      text.append(piece);
    }
    option.append(title);
    if (found.group) {
      const group = document.createElement("small");
      group.textContent = found.group;
      option.append(" ", group);
    }
    if (text.firstChild) option.append(text);
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
    // Keys of an input method choose its words; Safari reports the last one by its code only.
    if (event.isComposing || event.keyCode === 229) return;
    const count = this.options.length;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves && count) {
      event.preventDefault();
      this.select((this.at + moves[event.key] + count) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.choose(event.shiftKey);
    }
  }
}

function startSearch() {
  // A static build has another script, and no page of all results.
  const search = document.body.dataset.index ? askIndex : askServer;
  const palette = new Palette(document.getElementById("KB-palette"), search);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !palette.dialog.open) globalThis.CSS?.highlights?.delete("kb-match");
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
    const command = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (command || slash) {
      event.preventDefault();
      palette.open();
    }
  });
  const field = document.getElementById("KB-find");
  field.form.hidden = false;
  if (!document.body.dataset.results) {
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      palette.open(field.value);
    });
  }
  // Not earlier than `click`: that of a tap would go to what was opened below the finger.
  field.addEventListener("click", () => palette.open(field.value));
  field.addEventListener("mousedown", (event) => {
    if (!event.button) event.preventDefault();
  });
}

// Links on the page of all results mark the same words.
function startResults() {
  const results = document.querySelector(".hits");
  results?.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const marks = [...results.querySelectorAll("mark")].map((mark) => ["", mark.textContent]);
    if (link) saveMatches(link.href, marks, document.getElementById("KB-again").value);
  });
}

startSearch();
startResults();
document.addEventListener("kb-content", showMatches);
showMatches();
