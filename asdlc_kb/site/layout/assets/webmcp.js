// Tools for an agent in the browser: WebMCP, draft of 20 October 2026. Loaded only where
// the browser has the API.

const ANNOTATIONS = { readOnlyHint: true, untrustedContentHint: true };

const SEARCH = {
  name: "search",
  title: "Search this site",
  description:
    "Searches all pages of this site. Returns titles, addresses and matching passages, best first. Read a page with get_page_markdown.",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string", description: "Words or a question" } },
    required: ["query"],
  },
  annotations: ANNOTATIONS,
  async execute({ query }) {
    const response = await request(`${document.body.dataset.search}?q=${encodeURIComponent(query)}`);
    const { found, total, corrected, suggestion } = await response.json();
    const results = found.map(({ title, heading, address, snippet }) => ({
      title,
      heading,
      address: new URL(address, location.href).href,
      passage: snippet.join("**"),
    }));
    return { results, total, corrected, suggestion };
  },
};

const PAGE = {
  name: "get_page_markdown",
  title: "Read this page as Markdown",
  description: "Returns the text of the open page as Markdown.",
  inputSchema: { type: "object", properties: {} },
  annotations: ANNOTATIONS,
  async execute({ address }) {
    const alternate = document.querySelector("link[rel=alternate][type='text/markdown']");
    const page = new URL(address || (alternate?.href ?? location.href), location.href);
    if (page.origin !== location.origin) throw new Error(`${page.href} is not a page of this site`);
    const response = await request(page.href, { Accept: "text/markdown" });
    const type = response.headers.get("Content-Type") ?? "";
    if (!type.startsWith("text/markdown")) throw new Error(`${page.href} has no Markdown`);
    return response.text();
  },
};

// Returns the response to a request; throws what the agent is to know of a failure.
async function request(address, headers = {}) {
  const response = await fetch(address, { headers });
  const wait = response.headers.get("Retry-After");
  if (response.status === 429) throw new Error(`Too many requests: try again in ${wait} s`);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  return response;
}

function startTools() {
  const tools = [PAGE];
  // A static build has no search of the server, and does not choose by Accept.
  if (document.body.dataset.search) {
    PAGE.description = "Returns the text of a page of this site as Markdown; by default of the open page.";
    PAGE.inputSchema.properties.address = {
      type: "string",
      description: "Address of another page of this site, as in search results",
    };
    tools.push(SEARCH);
  }
  for (const tool of tools) {
    // A site that embeds this one may forbid tools.
    document.modelContext.registerTool(tool).catch(() => {});
  }
}

startTools();
