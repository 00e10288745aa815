// One TypeScript SDK client that gets a token by OAuth, and calls a tool with it.
//
// node client.mjs FOLDER GENERATION ADDRESS: FOLDER holds node_modules. Writes the address
// at which the user would agree, reads the parameters with which the user comes back (a line
// of JSON), and at the end writes one line of JSON: the articles and the token, or the error.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const REDIRECT = 'https://client.example/callback';
const MAX_ATTEMPTS = 3; // Each ends in a new token, or in a call.

const [folder, generation, address] = process.argv.slice(2);
const load = createRequire(join(resolve(folder), 'package.json'));
const write = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** The classes of one generation of the SDK. */
function parts() {
  if (generation === 'v2') return load('@modelcontextprotocol/client');
  const sdk = '@modelcontextprotocol/sdk/client';
  return {
    ...load(`${sdk}/index.js`),
    ...load(`${sdk}/streamableHttp.js`),
    ...load(`${sdk}/auth.js`),
  };
}

/** What an application keeps for the SDK: registration, verifier, discovery, tokens. */
class Store {
  redirectUrl = REDIRECT;
  clientMetadata = {
    client_name: 'tests',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };

  clientInformation() { return this.information; }
  saveClientInformation(information) { this.information = information; }
  tokens() { return this.saved; }
  saveTokens(tokens) { this.saved = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  discoveryState() { return this.discovered; }
  saveDiscoveryState(state) { this.discovered = state; }
  redirectToAuthorization(url) { write({ authorize: url.href }); }
}

/** Connect, agreeing as often as the server asks for it; list the articles. */
async function run() {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = parts();
  const store = new Store();
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const client = new Client({ name: 'tests', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(address), {
      authProvider: store,
    });
    try {
      await client.connect(transport);
      const listed = await client.callTool({ name: 'list_articles', arguments: {} });
      const token = store.tokens().access_token;
      await client.close();
      return { listed: listed.content[0].text, token };
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
      const { code, iss } = JSON.parse((await lines.next()).value);
      await transport.finishAuth(code, iss);
    }
  }
  return { error: 'no token was accepted', token: store.tokens().access_token };
}

write(await run().catch((error) => ({ error: String(error) })));
process.exit(0);
