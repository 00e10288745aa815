// An OpenID provider (npm oidc-provider) on loopback, in which one user agrees to
// everything without being asked.
//
// node provider.mjs FOLDER: FOLDER holds node_modules. Each line of stdin is a JSON object
// of settings that replaces the former one; each is answered with a line, the issuer.
//   keys      private JWKs; new tokens are signed with the first
//   audience  the `aud` of access tokens; by default the resource that is asked for
//   granted   the scopes of the resource that the user grants
//   shift     seconds by which the provider's clock differs
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const USER = 'ada';
const SCOPES = 'kb:read kb:search';
const LIFETIME = 300; // Seconds of an access token.
const DAY = 86_400; // Seconds of all else: more than any shift of the clock.

const folder = resolve(process.argv[2]);
const { resolve: find } = createRequire(join(folder, 'package.json'));
const { default: Provider } = await import(pathToFileURL(find('oidc-provider')));

const now = Date.now.bind(Date);
let provider;

/** The registrations, codes and grants, which outlive each provider. */
class Adapter {
  static records = new Map();

  constructor(model) { this.model = model; }
  key(id) { return `${this.model}:${id}`; }
  async find(id) { return Adapter.records.get(this.key(id)); }
  async upsert(id, payload) { Adapter.records.set(this.key(id), payload); }
  async destroy(id) { Adapter.records.delete(this.key(id)); }
  async consume(id) { (await this.find(id)).consumed = Math.floor(Date.now() / 1000); }

  async findByUid(uid) {
    const found = [...Adapter.records].find(
      ([key, payload]) => key.startsWith(`${this.model}:`) && payload.uid === uid,
    );
    return found?.[1];
  }
}

/** A provider of an issuer by settings. */
function open(issuer, { keys, audience, granted }) {
  const opened = new Provider(issuer, {
    adapter: Adapter,
    jwks: { keys },
    cookies: { keys: ['of the tests'] },
    scopes: ['openid', ...SCOPES.split(' ')],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: {
      AccessToken: LIFETIME, Grant: DAY, IdToken: DAY, Interaction: DAY, Session: DAY,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES,
          audience: audience ?? resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: LIFETIME,
          jwt: { sign: { alg: keys[0].alg, kid: keys[0].kid } },
        }),
      },
    },
  });
  opened.granted = granted;
  return opened;
}

/** Log the user in and grant what the settings say, reject other scopes. */
async function consent(request, response) {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: USER, clientId: params.client_id });
  grant.addOIDCScope(`openid ${SCOPES}`); // What is in tokens is the resource's.
  for (const scope of SCOPES.split(' ')) {
    const decide = provider.granted.includes(scope) ? 'add' : 'reject';
    grant[`${decide}ResourceScope`](params.resource, scope);
  }
  const grantId = await grant.save();
  const result = { login: { accountId: USER, remember: false }, consent: { grantId } };
  await provider.interactionFinished(request, response, result);
}

const server = createServer((request, response) => {
  if (!request.url.startsWith('/interaction/')) {
    provider.callback()(request, response);
    return;
  }
  consent(request, response).catch((error) => {
    response.writeHead(500).end(String(error));
  });
});

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const settings = JSON.parse(line);
    Date.now = () => now() + (settings.shift ?? 0) * 1000;
    provider = open(issuer, settings);
    process.stdout.write(`${issuer}\n`);
  });
  lines.on('close', () => process.exit(0));
});
