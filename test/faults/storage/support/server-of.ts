import type { Server } from 'node:http';

/** The HTTP server of a bridge in this process, among its open handles: the bridge itself does not show it. */
export function serverOf(url: string): Server {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles: () => object[] };
  const servers = handles().filter((handle): handle is Server => 'requestTimeout' in handle);
  const found = servers.find((server) => {
    const address = server.address();
    return typeof address === 'object' && String(address?.port) === new URL(url).port;
  });
  if (!found) throw new Error('no server listens on the port of the bridge');
  return found;
}
