// The official TypeScript SDK v2: one JSON answer a request, wire of 2026-07-28.
//
// node typescript.mjs FOLDER KIND ROOT PORT: FOLDER holds node_modules, KIND is
// "server" (McpServer) or "lowlevel" (Server), ROOT the articles.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const LIMIT = 50;
const [folder, kind, root, port] = process.argv.slice(2);
const load = createRequire(join(folder, 'package.json'));
const sdk = load('@modelcontextprotocol/server');
const { toNodeHandler } = load('@modelcontextprotocol/node');
const yaml = load('js-yaml');

const articles = [];
for (const category of readdirSync(root)) {
  for (const file of readdirSync(join(root, category))) {
    const text = readFileSync(join(root, category, file), 'utf8');
    const end = text.indexOf('---\n', 4);
    const fields = yaml.load(text.slice(4, end));
    const lastUpdated = fields.lastUpdated.toISOString().slice(0, 10);
    const slug = file.slice(0, -3);
    articles.push({ slug, category, ...fields, lastUpdated, content: text.slice(end + 4) });
  }
}
const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
articles.sort((one, other) => compare(other.lastUpdated, one.lastUpdated)
  || compare(one.slug, other.slug));
const whole = new Map(articles.map((article) => [article.slug, article]));
const rows = articles.map(({ content, ...row }) => row);

function search(query) {
  const folded = query.toLowerCase();
  const hits = [];
  for (const [position, row] of rows.entries()) {
    const score = 3 * row.title.toLowerCase().includes(folded)
      + 2 * row.tags.some((tag) => tag.toLowerCase().includes(folded))
      + row.description.toLowerCase().includes(folded);
    if (score) hits.push([score, position]);
  }
  hits.sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  return hits.map(([, position]) => rows[position]);
}

const string = { type: 'string' };
const limit = { type: 'integer' };
const TOOLS = {
  list_articles: {
    description: 'List the articles of this knowledge base with their metadata, newest first.',
    inputSchema: { type: 'object', properties: { category: string, limit } },
    call: ({ category, limit: most = LIMIT }) => (
      category ? rows.filter((row) => row.category === category) : rows).slice(0, most),
  },
  get_article: {
    description: 'Get one article with its full Markdown text by its slug.',
    inputSchema: { type: 'object', properties: { slug: string }, required: ['slug'] },
    call: ({ slug }) => whole.get(slug),
  },
  search_articles: {
    description: 'Search by keyword in titles, tags and descriptions, best match first.',
    inputSchema: {
      type: 'object', properties: { query: string, limit }, required: ['query'],
    },
    call: ({ query, limit: most = LIMIT }) => search(query).slice(0, most),
  },
};
const IDENTITY = { name: 'bench', version: '1' };
const answer = (tool, args) => (
  { content: [{ type: 'text', text: JSON.stringify(TOOLS[tool].call(args ?? {})) }] });

const SCHEMAS = Object.fromEntries(Object.entries(TOOLS).map(
  ([name, { inputSchema }]) => [name, sdk.fromJsonSchema(inputSchema)],
));

const FACTORIES = {
  server() {
    const server = new sdk.McpServer(IDENTITY);
    for (const [name, { description }] of Object.entries(TOOLS)) {
      const options = { description, inputSchema: SCHEMAS[name] };
      server.registerTool(name, options, (args) => answer(name, args));
    }
    return server;
  },
  lowlevel() {
    const server = new sdk.Server(IDENTITY, { capabilities: { tools: {} } });
    const tools = Object.entries(TOOLS).map(
      ([name, { description, inputSchema }]) => ({ name, description, inputSchema }),
    );
    server.setRequestHandler('tools/list', () => ({ tools }));
    server.setRequestHandler('tools/call', ({ params }) => (
      answer(params.name, params.arguments)));
    return server;
  },
};

const handler = sdk.createMcpHandler(FACTORIES[kind], { responseMode: 'json' });
createServer(toNodeHandler(handler)).listen(Number(port), '127.0.0.1');
