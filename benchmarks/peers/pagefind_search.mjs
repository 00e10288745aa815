// Pagefind as a peer: searches an index as its script does in a browser.
//
// `node pagefind_search.mjs FOLDER` reads {queries, count} from stdin and prints the
// addresses of the first pages of each query as JSON.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const parts = [];
for await (const part of process.stdin) parts.push(part);
const { queries, count } = JSON.parse(Buffer.concat(parts).toString());

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  try {
    response.end(await readFile(join(folder, normalize(decodeURI(pathname)))));
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}/`;

const pagefind = await import(pathToFileURL(join(folder, "pagefind.js")));
await pagefind.options({ basePath: base, baseUrl: "/" });
await pagefind.init();
const found = [];
for (const query of queries) {
  const { results } = await pagefind.search(query);
  const pages = await Promise.all(results.slice(0, count).map((one) => one.data()));
  found.push(pages.map((page) => page.raw_url ?? page.url));
}
console.log(JSON.stringify(found));
process.exit(0);
