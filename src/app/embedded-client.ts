import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config, UpstreamConfig } from '../config/config.ts';
import { createPrivateFile } from '../shared/private-file.ts';

const clientFile = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** The bridge's client at the embedded new API, made once and kept in `VAR_DIR/modern-client.json`. */
function readOrCreateClient(path: string): z.infer<typeof clientFile> {
  if (!existsSync(path)) {
    const client = { clientId: 'grantbridge', clientSecret: randomBytes(32).toString('base64url') };
    createPrivateFile(path, `${JSON.stringify(client, null, 2)}\n`);
  }
  return clientFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/**
 * The address of the embedded new API: its own port on the host of the public address. The embedded new API listens on
 * loopback alone and speaks plain HTTP, even where the bridge speaks HTTPS.
 */
export function embeddedOrigin({
  publicUrl,
  embedded,
}: Pick<Config, 'publicUrl'> & { embedded: Pick<Config['embedded'], 'port'> }): string {
  return `http://${new URL(publicUrl).hostname}:${embedded.port}`;
}

/** The new API that the settings name, or the embedded new API with the bridge as its client. */
export function upstreamFor(config: Config): UpstreamConfig {
  if (config.upstream) return config.upstream;
  const origin = embeddedOrigin(config);
  return {
    authUrl: origin,
    apiUrl: origin,
    ...readOrCreateClient(join(config.varDir, 'modern-client.json')),
  };
}
