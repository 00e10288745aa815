// One TypeScript SDK client: connects, asks for everything, and hears of changes.
//
// node client.mjs FOLDER KIND ADDRESS: FOLDER holds node_modules, KIND is a key of
// KINDS. Writes a line "ready" when it waits for the changes that the test then makes,
// and at the end one JSON object of what it saw.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const BOUND = 15_000; // Milliseconds that any one wait may take.
const IDENTITY = { name: 'tests', version: '1' };
const WATCHED = 'kb://article/agent-loop';
const MODERN = '2026-07-28';

const [folder, kind, address] = process.argv.slice(2);
const load = createRequire(join(resolve(folder), 'package.json'));

/** Each kind: the generation of the SDK, its options, and how it is told of changes. */
const KINDS = {
  'v1-http': { generation: 'v1', told: 'session' },
  'v1-sse': { generation: 'v1', told: 'session', sse: true },
  'v2-default': { generation: 'v2', told: 'session' },
  'v2-auto': {
    generation: 'v2', told: 'options', options: { versionNegotiation: { mode: 'auto' } },
  },
  'v2-pinned': {
    generation: 'v2',
    told: 'listen',
    options: { versionNegotiation: { mode: { pin: MODERN } } },
  },
};

/** The classes of one generation of the SDK. */
function parts(generation) {
  if (generation === 'v2') return load('@modelcontextprotocol/client');
  const sdk = '@modelcontextprotocol/sdk';
  return {
    ...load(`${sdk}/client/index.js`),
    ...load(`${sdk}/client/streamableHttp.js`),
    ...load(`${sdk}/client/sse.js`),
    ...load(`${sdk}/types.js`),
  };
}

/** A promise that fails when the bound is over, and says what it waited for. */
function bounded(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain: ${what}`)), BOUND);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** fetch, and a promise of the status of the first GET: the stream of a session. */
function watchedFetch() {
  let opened;
  const stream = new Promise((resolve_) => { opened = resolve_; });
  const fetch_ = async (url, init) => {
    const response = await fetch(url, init);
    if ((init?.method ?? 'GET') === 'GET') opened(response.status);
    return response;
  };
  return { fetch_, stream };
}

/** Promises of what is told, one of each sort, and all of it in a list. */
class Ear {
  heard = [];
  #waiting = new Map();

  constructor(...sorts) {
    for (const sort of sorts) {
      const entry = {};
      entry.promise = new Promise((resolve_) => { entry.resolve = resolve_; });
      this.#waiting.set(sort, entry);
    }
  }

  hear(sort, value) {
    this.heard.push(sort);
    this.#waiting.get(sort)?.resolve(value);
  }

  wait(sort) {
    return bounded(this.#waiting.get(sort).promise, sort);
  }
}

const names = (items) => items.map((item) => item.name);
const uris = (items) => items.map((item) => item.uri);

/** The message of what a promise fails with, and its code. */
async function failure(promise) {
  const error = await promise.then(() => null, (reason) => reason);
  return error && { code: error.code, message: error.message };
}

/** Ask for everything that is offered. */
async function ask(client) {
  const call = (name, args) => client.callTool({ name, arguments: args });
  const seen = {};
  seen.server = client.getServerVersion();
  seen.tools = names((await client.listTools()).tools);
  const listed = await call('list_articles', {});
  seen.articles = listed.structuredContent.articles.map((article) => article.slug);
  seen.article = (await call('get_article', { slug: 'agent-loop' })).structuredContent;
  const missing = await call('get_article', { slug: 'known-draft' });
  seen.missing = { isError: missing.isError, content: missing.content };
  const found = await call('search_articles', { query: 'AGENT' });
  seen.found = found.structuredContent.articles.map((result) => result.slug);
  seen.types = found.content.map((item) => item.type);
  seen.resources = uris((await client.listResources()).resources);
  const { resourceTemplates } = await client.listResourceTemplates();
  seen.templates = resourceTemplates.map((template) => template.uriTemplate);
  seen.read = (await client.readResource({ uri: 'kb://article/fence' })).contents;
  seen.notRead = await failure(
    client.readResource({ uri: 'kb://article/known-draft' }),
  );
  seen.prompts = names((await client.listPrompts()).prompts);
  const filled = await client.getPrompt({
    name: 'apply_pattern', arguments: { slug: 'fence', task: 'Mend the gate' },
  });
  seen.filled = filled.messages.map((message) => ({
    role: message.role, type: message.content.type, uri: message.content.resource?.uri,
  }));
  const completed = await client.complete({
    ref: { type: 'ref/resource', uri: 'kb://article/{slug}' },
    argument: { name: 'slug', value: 'a' },
  });
  seen.completed = completed.completion.values;
  return seen;
}

/** Handlers in the client's options: the SDK lists anew and hands over the list. */
function handlers(ear) {
  const handler = (sort, list) => ({
    debounceMs: 0,
    onChanged: (error, items) => ear.hear(sort, error ? String(error) : list(items)),
  });
  return {
    tools: handler('tools', names),
    prompts: handler('prompts', names),
    resources: handler('resources', uris),
  };
}

/** Handlers of notifications: the client asks again by itself. */
function listen(client, ear) {
  const on = (sort, method, again) => client.setNotificationHandler(
    `notifications/${method}`, async () => ear.hear(sort, await again()),
  );
  on('tools', 'tools/list_changed', async () => names((await client.listTools()).tools));
  on('prompts', 'prompts/list_changed',
    async () => names((await client.listPrompts()).prompts));
  on('resources', 'resources/list_changed',
    async () => uris((await client.listResources()).resources));
  return client.listen({
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: [WATCHED],
  });
}

/** Connect as the kind says, ask, wait for the changes, close; return what was seen. */
async function run({ generation, told, sse, options }) {
  const sdk = parts(generation);
  const ear = new Ear('tools', 'prompts', 'resources', 'updated');
  const listChanged = told === 'listen' ? {} : { listChanged: handlers(ear) };
  const client = new sdk.Client(IDENTITY, { ...options, ...listChanged });
  const errors = [];
  client.onerror = (error) => errors.push(String(error));
  const { fetch_, stream } = watchedFetch();
  const Transport = sse ? sdk.SSEClientTransport : sdk.StreamableHTTPClientTransport;
  const transport = new Transport(new URL(address), { fetch: fetch_ });
  await bounded(client.connect(transport), 'connect');
  const seen = await bounded(ask(client), 'answers');
  seen.version = client.getNegotiatedProtocolVersion?.() ?? transport._protocolVersion;

  const update = ({ params }) => ear.hear('updated', params.uri);
  const method = 'notifications/resources/updated';
  const { ResourceUpdatedNotificationSchema: schema } = sdk;
  client.setNotificationHandler(generation === 'v1' ? schema : method, update);
  if (told === 'session') {
    seen.stream = await bounded(stream, 'the stream of the session');
    await client.subscribeResource({ uri: WATCHED });
  } else if (told === 'listen') {
    seen.honored = (await bounded(listen(client, ear), 'listen')).honoredFilter;
  } else {
    seen.honored = client.autoOpenedSubscription.honoredFilter;
  }
  process.stdout.write('ready\n');
  seen.changed = {};
  for (const sort of ['tools', 'prompts', 'resources']) {
    seen.changed[sort] = await ear.wait(sort);
  }
  if (told !== 'options') {
    seen.changed.updated = await ear.wait('updated');
    const { contents } = await client.readResource({ uri: WATCHED });
    seen.changed.text = contents[0].text.split('\n').slice(0, 3);
  }
  seen.heard = ear.heard.sort();
  seen.errors = [...errors]; // Before the close, which breaks its own streams off.
  await bounded(client.close(), 'close');
  return seen;
}

const seen = await run(KINDS[kind]);
process.stdout.write(`${JSON.stringify(seen)}\n`);
