// Search in a static build: the palette's answers from an index that the browser loads in
// parts, with the first search. Without a server the engine is MiniSearch.

const MAX_RESULTS = 50;
const SNIPPET = 180;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const BREAK = /[\n\r\p{Z}\p{P}\p{S}]+/u;

// Returns the words of a text. Chinese, Japanese and Korean have no blanks between them.
function splitWords(text) {
  return text.split(BREAK).flatMap((word) => {
    if (!CJK.test(word) || !Intl.Segmenter) return word;
    return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(word)].map(({ segment }) => segment);
  });
}

function normalizeWord(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase() || null;
}

// Returns a name to compare with a query: `Rate limits` equals `rate limit`.
function normalizeName(text) {
  return splitWords(text).map(normalizeWord).filter(Boolean).map((word) => word.replace(/(?<=..)s$/, "")).join(" ");
}

class StaticIndex {
  constructor() {
    this.sections = [];
  }

  // Loads everything; a failure is repeated with the next search.
  load() {
    this.loading ??= this.loadAll().catch((error) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  async loadAll() {
    const { index, engine } = document.body.dataset;
    const [{ sources, parts }] = await Promise.all([fetchJson(index), loadScript(engine)]);
    const loaded = await Promise.all(parts.map(fetchJson));
    this.sources = sources;
    this.sections = [];
    const read = document.querySelector(".find input[name=read]")?.value;
    this.read = loaded.flat().find((page) => page.address === read);
    this.engine = new MiniSearch({
      fields: ["title", "heading", "names", "text"],
      tokenize: splitWords,
      processTerm: normalizeWord,
    });
    // In steps, so that the page answers to keys meanwhile.
    for (const pages of loaded) await this.engine.addAllAsync(pages.flatMap((page) => this.addPage(page)));
  }

  addPage(page) {
    const sections = page.sections.length ? page.sections : [["", "", ""]];
    return sections.map(([heading, anchor, text], number) => {
      const id = this.sections.push({ page, heading, anchor, text }) - 1;
      return { id, title: page.title, heading, names: number ? "" : page.names, text };
    });
  }

  // Returns whether a page is of another edition than the one that is read.
  isSecondary({ edition, source, secondary }) {
    return this.read?.source === source ? edition !== this.read.edition : secondary;
  }

  // Returns results without those of another edition of a page that stands before them.
  dropRepetitions(results) {
    const pages = results.map(({ section }) => section.page);
    const defaults = new Set(pages.filter((page) => this.isSecondary(page) && !page.edition).map(({ name }) => name));
    const seen = new Set();
    return results.filter((_, at) => {
      const { name, edition } = pages[at];
      const isBehind = name && (seen.has(name) || (edition && defaults.has(name)));
      if (isBehind && this.isSecondary(pages[at])) return false;
      return seen.add(name);
    });
  }

  search(query, source) {
    const name = normalizeName(query);
    const best = new Map();
    const hits = this.engine.search(query, {
      boost: { title: 3, heading: 2, names: 2 },
      prefix: (term) => term.length > 1,
      // As edits: two exchanged letters are two.
      fuzzy: (term) => (term.length > 6 ? 2 : term.length > 3 && 1),
      weights: { prefix: 0.5, fuzzy: 0.3 },
      boostDocument: (id) => (this.isSecondary(this.sections[id].page) ? 0.5 : 1),
      filter: ({ id }) => !source || this.sections[id].page.source === source,
    });
    for (const { id, score, match } of hits) {
      const section = this.sections[id];
      const { page } = section;
      // A title that equals the query comes first, then a heading.
      const names = [section.heading, page.title].map((text) => name && normalizeName(text) === name);
      const level = this.isSecondary(page) ? 0 : names.lastIndexOf(true) + 1;
      const known = best.get(page);
      if (!known || level > known.level) best.set(page, { section, level, match, score: known?.score ?? score });
    }
    const sorted = [...best.values()].sort((a, b) => b.level - a.level || b.score - a.score);
    const ranked = this.dropRepetitions(sorted);
    const found = ranked.slice(0, MAX_RESULTS).map(({ section, match }) => describeHit(section, Object.keys(match)));
    const unfiltered = source ? query : "";
    return { found, total: ranked.length, sources: this.sources, corrected: "", suggestion: "", unfiltered };
  }
}

function describeHit({ page, heading, anchor, text }, words) {
  return {
    title: page.title,
    address: anchor ? `${page.address}#${anchor}` : page.address,
    group: page.group,
    heading: heading === page.title ? "" : heading,
    snippet: makeSnippet(text || page.names, new Set(words)),
    edition: page.edition,
  };
}

// Returns the parts of the text around the first match: every second one is a match.
function makeSnippet(text, words) {
  const pieces = text.replace(/\s+/g, " ").split(/([\p{L}\p{N}\p{M}]+)/u);
  const isMatch = (piece) => splitWords(piece).some((word) => words.has(normalizeWord(word)));
  const first = pieces.findIndex((piece, at) => at % 2 && isMatch(piece));
  let start = Math.max(first, 0);
  for (let before = 0; start > 0 && before < SNIPPET / 3; start--) before += pieces[start].length;
  if (start > 0 && start % 2 === 0) start++;
  const parts = [start > 0 ? "… " : ""];
  let length = 0;
  for (let at = start; at < pieces.length && length < SNIPPET; at++) {
    if (at % 2 && isMatch(pieces[at])) parts.push(pieces[at], "");
    else parts[parts.length - 1] += pieces[at];
    length += pieces[at].length;
  }
  if (length >= SNIPPET) parts[parts.length - 1] += " …";
  return parts;
}

async function fetchJson(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(response.statusText);
  return response.json();
}

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
    document.head.append(script);
  });
}

const staticIndex = new StaticIndex();

// Returns the answer to a query as the server would; the first one waits for the index.
async function askIndex(query, { source }) {
  await staticIndex.load();
  return staticIndex.search(query, source);
}
