// Pagefind as a peer: searches an index as its script does in a browser.
//
// `node pagefind_search.mjs FOLDER` reads {queries, count} from stdin and prints the
// addresses of the first pages of each query as JSON. Files of the index are read from
// the folder instead of a web server.

import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const BASE = "http://pagefind.invalid/";

const folder = resolve(process.argv[2]);
const parts = [];
for await (const part of process.stdin) parts.push(part);
const { queries, count } = JSON.parse(Buffer.concat(parts).toString());

globalThis.fetch = async (address) => {
  const { pathname } = new URL(address, BASE);
  return new Response(await readFile(join(folder, decodeURI(pathname))));
};

const pagefind = await import(pathToFileURL(join(folder, "pagefind.js")));
await pagefind.options({ basePath: BASE, baseUrl: "/" });
await pagefind.init();
const found = [];
for (const query of queries) {
  const { results } = await pagefind.search(query);
  const pages = await Promise.all(results.slice(0, count).map((one) => one.data()));
  found.push(pages.map((page) => page.raw_url ?? page.url));
}
console.log(JSON.stringify(found));
