// A process of its own, because which authorities are trusted is settled when Node starts. Takes every way out of the bridge
// through a proxy, and prints one JSON object: what each way brought.
import { goThrough } from '../../../dist/shared/net/outbound-proxy.js';
import { createAuthorizationServer } from '../../../dist/upstream/authorization-server.js';
import { send } from '../../../dist/upstream/http-client.js';
import { createOldBackend } from '../../../dist/upstream/old-backend.js';

const { proxy, origin } = JSON.parse(process.argv[2]);
goThrough(proxy);

const client = { clientId: 'bridge', clientSecret: undefined };
const server = createAuthorizationServer({ authUrl: origin, client, clock: { now: Date.now } });
const backend = createOldBackend(origin);

const WAYS = {
  refresh: async () => {
    const connection = await server.connect();
    await server.refresh(connection, { refreshToken: 'presented', scope: 'account:read' });
    return 200;
  },
  read: async () => (await send({ method: 'GET', url: `${origin}/read` })).status,
  readAgain: async () => (await send({ method: 'GET', url: `${origin}/read` })).status,
  pass: async () =>
    (await backend.pass({ method: 'GET', target: '/1/x.json', rawHeaders: [], body: Buffer.alloc(0) }))
      .status,
};

const found = {};
for (const [name, go] of Object.entries(WAYS))
  found[name] = await go().catch((error) => `${error.name}: ${error.cause?.message ?? error.message}`);
process.stdout.write(JSON.stringify(found), () => process.exit());
