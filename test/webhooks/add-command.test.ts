import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../src/cli/commands/database/migrate.ts';
import { addWebhookCommand } from '../../src/cli/commands/webhooks.ts';
import { commandSettings } from '../domain/support/command-settings.ts';
import { type NameServer, startNameServer } from './support/name-server.ts';

/** What the operator is told of an address that `webhooks add` does not take. */

const before = process.env;
const varDir = mkdtempSync(join(tmpdir(), 'add-webhook-'));
let names: NameServer;

beforeAll(async () => {
  process.env = commandSettings(varDir);
  names = await startNameServer({ 'inside.example': ['10.0.0.5'] });
  await migrateDatabase({});
});
afterAll(async () => {
  process.env = before;
  await names.close();
  rmSync(varDir, { recursive: true, force: true });
});

const UNKNOWN = /^the name of the address cannot be looked up(?!.*WEBHOOK_ALLOW_NETWORKS)/;
const INSIDE = /^the address does not lead to .* WEBHOOK_ALLOW_NETWORKS allows networks inside$/;

test.each([
  ['a name that nobody knows', 'https://nobody.example/hooks', UNKNOWN],
  ['a name that leads inside', 'https://inside.example/hooks', INSIDE],
  ['an address inside', 'https://10.0.0.5/hooks', INSIDE],
])('%s is told for what it is', async (_what, url, words) => {
  await expect(addWebhookCommand({}, [url])).rejects.toThrow(words);
});
