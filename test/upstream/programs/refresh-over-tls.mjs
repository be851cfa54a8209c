// A process of its own, because which authorities are trusted is settled when Node starts. Prints one JSON object.
import { createAuthorizationServer } from '../../../dist/upstream/authorization-server.js';

const server = createAuthorizationServer({
  authUrl: process.argv[2],
  client: { clientId: 'bridge', clientSecret: undefined },
  clock: { now: Date.now },
});

async function refresh(round) {
  const connection = await server.connect();
  return server.refresh(connection, { refreshToken: `presented${round}`, scope: 'account:read' });
}

try {
  const pairs = [];
  for (let round = 0; round < 5; round += 1) pairs.push(await refresh(round));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  process.stdout.write(JSON.stringify({ refreshed: pairs.length, sockets }));
} catch (error) {
  process.stdout.write(JSON.stringify({ failed: error.name }));
}
