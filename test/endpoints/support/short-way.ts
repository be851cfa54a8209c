import { createServer } from 'node:http';
import { createBridgeApp } from '../../../src/http/app.ts';
import { revokeToken } from '../../../src/domain/tokens/revoke-token.ts';
import type { System } from '../../support/bridge/system.ts';
import { portOf } from '../../support/servers/free-port.ts';

/** Serves the bridge of a system once more, so that its calls may take the short way: without a line of the log for each. */
export async function serveShortWay({ bridge }: System, rateLimitPerMinute = 0) {
  const { context } = bridge;
  const { answer } = createBridgeApp({ context, rateLimitPerMinute, trustProxy: [], logRequests: 'errors' });
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, stop: () => void server.close() };
}

/** Revokes the only token of a system. */
export async function revokeOnlyToken({ bridge: { context } }: System): Promise<void> {
  const active = context.store.durable.selectFrom('mappings').select('id').where('state', '=', 'active');
  const { id: mappingId } = await active.executeTakeFirstOrThrow();
  await revokeToken(context, { mappingId, actor: 'test', reason: 'test', requestId: null });
}
