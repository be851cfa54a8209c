// `node fill.mjs TOKENS` with the settings of a bridge in the environment: fills its database with connected tokens whose
// answers are fresh, and writes the tokens, one a line, to `tokens.txt` in VAR_DIR. The rows are written through the
// bridge's own store and keys, without asking the bridge.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../dist/config/config.js';
import { openContext } from '../../dist/app/open-context.js';
import { channelsOf, ROWS_AT_ONCE, tokenOf } from './rows.mjs';

const TOKENS = Number(process.argv[2] ?? 1000);
const APPS = 50;
const DAY = 86_400_000;
const hex = (text) => createHash('sha256').update(text).digest('hex').slice(0, 24);

const config = readConfig();
const opened = await openContext(config, config.upstream);
const { store, vault, clock } = opened.context;
const now = clock.now();

const appRows = Array.from({ length: APPS }, (_, app) => ({
  client_id: hex(`app ${app}`),
  name: `App ${app}`,
  source: 'imported',
  created_at: now,
}));

function grantRow(index, { clientId, accountId }) {
  return {
    id: hex(`grant ${index}`),
    client_id: clientId,
    account_id: accountId,
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    scope: 'account:read',
    access_expires_at: now + DAY,
    refresh_at: now + DAY,
    created_at: now,
    updated_at: now,
    rotated_at: now,
  };
}

function mappingRow(index, { clientId, accountId }) {
  const token = tokenOf(index);
  return {
    id: hex(`mapping ${index}`),
    token_digest: vault.digest(token),
    hint_first: token.slice(2, 6),
    hint_last: token.slice(-4),
    client_id: clientId,
    account_id: accountId,
    grant_id: hex(`grant ${index}`),
    state: 'active',
    source: 'issued',
    created_at: now,
    updated_at: now,
  };
}

/** Everything that stands behind one token. */
function rowsOf(index) {
  const clientId = appRows[index % APPS].client_id;
  const accountId = hex(`account ${index}`);
  const channels = channelsOf(index);
  const account = { id: accountId, email: `p${index}@example.org`, name: `Person ${index}`, timezone: 'UTC' };
  const reading = {
    account: {
      ...account,
      createdAt: '2020-01-01T00:00:00.000Z',
      organizations: [{ id: hex(`org ${index}`) }],
    },
    channels,
  };
  const ids = [['account', accountId], ...channels.map(({ id }) => ['profile', id])];
  return {
    account: {
      account_id: accountId,
      name: account.name,
      email: account.email,
      timezone: 'UTC',
      updated_at: now,
    },
    grant: grantRow(index, { clientId, accountId }),
    mapping: mappingRow(index, { clientId, accountId }),
    answer: {
      grant_id: hex(`grant ${index}`),
      body: JSON.stringify(reading),
      organization_ids: JSON.stringify([hex(`org ${index}`)]),
      fetched_at: now,
    },
    told: ids.map(([kind, id]) => ({ client_id: clientId, kind, modern_id: id, told_id: id, told_at: now })),
  };
}

await store.durable.insertInto('apps').values(appRows).execute();
for (let from = 0; from < TOKENS; from += ROWS_AT_ONCE) {
  const size = Math.min(ROWS_AT_ONCE, TOKENS - from);
  const rows = Array.from({ length: size }, (_, offset) => rowsOf(from + offset));
  await store.transaction(async (tx) => {
    await tx
      .insertInto('accounts')
      .values(rows.map(({ account }) => account))
      .execute();
    await tx
      .insertInto('grants')
      .values(rows.map(({ grant }) => grant))
      .execute();
    await tx
      .insertInto('mappings')
      .values(rows.map(({ mapping }) => mapping))
      .execute();
    await tx
      .insertInto('told_ids')
      .values(rows.flatMap(({ told }) => told))
      .execute();
  });
  await store.volatile
    .insertInto('answers')
    .values(rows.map(({ answer }) => answer))
    .execute();
}
const tokens = Array.from({ length: TOKENS }, (_, index) => tokenOf(index));
writeFileSync(join(process.env.VAR_DIR, 'tokens.txt'), tokens.join('\n'));
await opened.close();
