import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bridges, startBridges } from '../../races/bridges.ts';
import { certificateFor } from '../../support/servers/certificates.ts';
import type { DatabaseKind } from '../../store/support/stores.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Two processes on one database, and a receiver on this machine whose certificate they trust. */
export interface ReceivingBridges {
  receiver: Receiver;
  bridges: Bridges;
  stop(): Promise<void>;
}

export async function startReceivingBridges(database: DatabaseKind): Promise<ReceivingBridges> {
  const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const authorityFile = join(folder, 'authority.pem');
  const certified = certificateFor(['127.0.0.1']);
  writeFileSync(authorityFile, (await certified).authority);
  const receiver = await startReceiver({ certified });
  const env = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32', NODE_EXTRA_CA_CERTS: authorityFile };
  const bridges = await startBridges({ count: 2, database, env });
  return {
    receiver,
    bridges,
    async stop() {
      await bridges.stop();
      await receiver.close();
      rmSync(folder, { recursive: true });
    },
  };
}
