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
  let asked = 0;
  // Of the first look-up both families are asked for, twice.
  const late = () => ((asked += 1) > 4 ? ['93.184.215.14'] : undefined);
  names = await startNameServer({
    'inside.example': ['10.0.0.5'],
    'silent.example': () => undefined,
    'late.example': late,
  });
  await migrateDatabase({});
});
afterAll(async () => {
  process.env = before;
  await names.close();
  rmSync(varDir, { recursive: true, force: true });
});

const UNKNOWN = /^the name of the address cannot be looked up(?!.*WEBHOOK_ALLOW_NETWORKS)/;
const INSIDE = /^the address does not lead to .* WEBHOOK_ALLOW_NETWORKS allows networks inside$/;
const NO_ANSWER = /^the name servers .* gave no answer (?!.*WEBHOOK_ALLOW_NETWORKS).* Give the command again/;

test.each([
  ['a name that nobody knows', 'https://nobody.example/hooks', UNKNOWN],
  ['a name that leads inside', 'https://inside.example/hooks', INSIDE],
  ['a name for which no server answers', 'https://silent.example/hooks', NO_ANSWER],
  ['a name for which the first look-up got no answer', 'https://late.example/hooks', NO_ANSWER],
  ['an address inside', 'https://10.0.0.5/hooks', INSIDE],
])('%s is told for what it is', async (_what, url, words) => {
  await expect(addWebhookCommand({}, [url])).rejects.toThrow(words);
});
