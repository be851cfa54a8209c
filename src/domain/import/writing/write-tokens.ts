import { changeMapping } from '../../../store/import/import-changes.ts';
import { addRows } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { NewMapping } from '../../../store/tables/tables.ts';
import { attachPairs } from '../../tokens/attach-tokens.ts';
import { recordEvents } from '../../history/record-event.ts';
import type { ImportedToken } from './judge-token.ts';
import { nameAccounts } from './name-accounts.ts';
import type { ImportContext } from '../outcomes.ts';

/** Writes the additions and changes of a batch of tokens. Two imports at once write in the same order. */

type NewToken = ImportedToken & { added: object };

const isNew = (token: ImportedToken): token is NewToken => token.added !== undefined;

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function mappingOf(token: NewToken, now: number): NewMapping {
  const { id, clientId, accountId, email, legacyId, lastUsedAt, added } = token;
  const { digest, row } = added;
  return {
    id,
    token_digest: digest,
    hint_first: row.hint?.first ?? null,
    hint_last: row.hint?.last ?? null,
    client_id: clientId,
    account_id: accountId,
    account_email: email,
    legacy_account_id: accountId === null ? legacyId : null,
    state: 'unmapped',
    source: 'imported',
    created_at: row.createdAt ?? now,
    updated_at: now,
    last_used_at: lastUsedAt,
  };
}

async function changeTokens(
  run: ImportContext,
  tx: Database,
  changed: readonly ImportedToken[],
): Promise<void> {
  const now = run.context.clock.now();
  for (const { id, changes } of changed) {
    await changeMapping(tx, id, {
      now,
      ...(changes.clientId !== undefined && { client_id: changes.clientId }),
      ...(typeof changes.accountId === 'string' && { account_id: changes.accountId }),
      ...(changes.email !== undefined && { account_email: changes.email }),
      ...(typeof changes.legacyId === 'string' && { legacy_account_id: changes.legacyId }),
      ...(typeof changes.lastUsedAt === 'number' && { last_used_at: changes.lastUsedAt }),
      ...(changes.isProven && { app_proven: 1 }),
    });
  }
}

/** The changes of a token, in words for the history. */
function changeInWords({
  clientId,
  accountId,
  email,
  legacyId,
  lastUsedAt,
  isProven,
}: ImportedToken['changes']): string {
  const parts = [
    clientId === undefined && !isProven ? [] : ['app'],
    accountId === undefined ? [] : ['account'],
    email === undefined ? [] : ['e-mail'],
    legacyId === undefined ? [] : ['old account id'],
    lastUsedAt === undefined ? [] : ['last use'],
  ];
  return `import: ${parts.flat().join(', ')}`;
}

/** Attaches waiting tokens to the grant of their app and account, if there is a grant (`tokens/attach-tokens.ts`). */
async function adopt(
  { context, origin }: ImportContext,
  tx: Database,
  tokens: readonly ImportedToken[],
): Promise<void> {
  const pairs = tokens.flatMap(({ state, clientId, accountId }) =>
    state === 'unmapped' && accountId !== null ? [{ clientId, accountId }] : [],
  );
  await attachPairs(context, tx, { pairs, origin });
}

/** Writes the tokens, with an entry in the history for each token. */
export async function writeTokens(
  run: ImportContext,
  tx: Database,
  tokens: readonly ImportedToken[],
): Promise<void> {
  const added = tokens.filter(isNew).toSorted((a, b) => compare(a.added.digest, b.added.digest));
  const changed = tokens
    .filter((token) => token.added === undefined && Object.keys(token.changes).length > 0)
    .toSorted((a, b) => compare(a.id, b.id));
  const { context, origin } = run;
  const now = context.clock.now();
  const accounts = [...added, ...changed].map(({ accountId }) => accountId);
  await nameAccounts(run, tx, { ids: accounts, reason: 'the account of an imported token' });
  const rows = added.map((token) => mappingOf(token, now));
  await addRows(tx, { table: 'mappings', column: 'id' }, rows);
  await changeTokens(run, tx, changed);
  const entryOf = ({ id, clientId, accountId }: ImportedToken, action: string, reason: string) => {
    return { at: now, ...origin, action, reason, clientId, accountId, mappingId: id };
  };
  await recordEvents(context, tx, [
    ...added.map((token) => entryOf(token, 'token_imported', 'import')),
    ...changed.map((token) => entryOf(token, 'token_changed', changeInWords(token.changes))),
  ]);
  await adopt(run, tx, [...added, ...changed]);
}
