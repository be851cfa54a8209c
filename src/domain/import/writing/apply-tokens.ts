import { newOrderedId } from '../../../shared/ids.ts';
import { rowsWith } from '../../../store/import/import-rows.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { Mapping } from '../../../store/tables/tables.ts';
import { moveTokenDigest } from '../../../store/tokens/mappings.ts';
import { emailsFor } from './account-emails.ts';
import { changesOf, type TokenAttribution, type ImportedToken } from './judge-token.ts';
import { movesToActiveKey } from './move-digests.ts';
import { translationOf } from './legacy-accounts.ts';
import type { ImportContext, RowOutcome } from '../outcomes.ts';
import type { Objection } from '../refusals.ts';
import { type TokenLimit, tokenLimitOf } from './key-limits.ts';
import type { EmailLookup } from './owners.ts';
import type { TokenImportRow } from '../reading/rows.ts';
import { writeTokens } from './write-tokens.ts';

interface BatchIndex {
  /** By the SHA-256 of the token, in hex. */
  tokens: Map<string, ImportedToken>;
  mappings: readonly Mapping[];
  apps: Map<string, { isRetired: boolean; isUnidentified: boolean }>;
}

/** What the rows of a batch are judged by. */
interface TokenRules extends Pick<BatchIndex, 'tokens' | 'apps'> {
  emailsOf: EmailLookup;
  limit: TokenLimit;
}

function known(row: Mapping, isUnidentified: boolean): ImportedToken {
  return {
    id: row.id,
    clientId: row.client_id,
    accountId: row.account_id,
    email: row.account_email,
    legacyId: row.legacy_account_id,
    lastUsedAt: row.last_used_at,
    state: row.state,
    isUnidentified,
    isUnproven: row.source === 'observed' && row.app_proven === 0,
    added: undefined,
    changes: {},
  };
}

async function renewDigests(
  { context }: ImportContext,
  tx: Database,
  { rows, mappings }: { rows: readonly TokenImportRow[]; mappings: readonly Mapping[] },
): Promise<void> {
  const stored = mappings.map((mapping) => ({ id: mapping.id, digest: mapping.token_digest }));
  const tokens = rows.map(({ token }) => token);
  for (const move of movesToActiveKey(context.vault, tokens, stored)) await moveTokenDigest(tx, move);
}

/** The known tokens and apps that a batch names. A token is found by its digest under every key. */
async function lookUp(
  { context }: ImportContext,
  tx: Database,
  rows: readonly TokenImportRow[],
): Promise<BatchIndex> {
  const byDigest = new Map<string, string>();
  for (const { token } of rows) {
    for (const digest of context.vault.digestsOf(token)) byDigest.set(digest, token.toString('hex'));
  }
  const mappings = await rowsWith(tx, { table: 'mappings', column: 'token_digest' }, byDigest.keys());
  const clientIds = [...rows.map((row) => row.clientId), ...mappings.map((row) => row.client_id)];
  const apps = new Map(
    (await rowsWith(tx, { table: 'apps', column: 'client_id' }, clientIds)).map((app) => [
      app.client_id,
      { isRetired: app.retired_at !== null, isUnidentified: app.source === 'observed' },
    ]),
  );
  const tokens = mappings.map((row): [string, ImportedToken] => {
    const isUnidentified = apps.get(row.client_id)?.isUnidentified === true;
    return [byDigest.get(row.token_digest) ?? '', known(row, isUnidentified)];
  });
  return { tokens: new Map(tokens), apps, mappings };
}

function addToken({ context }: ImportContext, owner: TokenAttribution, row: TokenImportRow): ImportedToken {
  const added = { digest: context.vault.digestOf(row.token), row };
  return {
    id: newOrderedId(context.clock.now()),
    ...owner,
    state: 'unmapped',
    isUnidentified: false,
    isUnproven: false,
    added,
    changes: {},
  };
}

function appProblem(app: { isRetired: boolean } | undefined): string | undefined {
  if (!app) return 'unknown app';
  return app.isRetired ? 'its app is retired' : undefined;
}

interface TokenClaim {
  owner: TokenAttribution;
  row: TokenImportRow;
}

function settleNew(
  run: ImportContext,
  { tokens, limit }: TokenRules,
  { owner, row }: TokenClaim,
): 'new' | Objection {
  const token = addToken(run, owner, row);
  const objection = limit(token);
  if (objection) return objection;
  tokens.set(row.token.toString('hex'), token);
  return 'new';
}

function settleKnown(
  token: ImportedToken,
  { emailsOf, limit }: TokenRules,
  owner: TokenAttribution,
): 'known' | 'changed' | Objection {
  const changes = changesOf(owner, token, emailsOf);
  if ('reason' in changes) return changes;
  if (Object.keys(changes).length === 0) return 'known';
  const objection = limit({ ...token, ...changes });
  if (objection) return objection;
  Object.assign(token, changes);
  // A token that has an app by now is not given another app.
  token.isUnidentified &&= changes.clientId === undefined;
  token.isUnproven &&= changes.isProven === undefined;
  Object.assign(token.changes, changes);
  return 'changed';
}

/** Applies one row to the state after the earlier rows: the same token may come twice. */
function settle(run: ImportContext, rules: TokenRules, claim: TokenClaim): RowOutcome {
  const { line, clientId, token: value } = claim.row;
  const token = rules.tokens.get(value.toString('hex'));
  const problem = token?.clientId === clientId ? undefined : appProblem(rules.apps.get(clientId));
  if (problem !== undefined) return { line, reason: problem, field: 'client_id', clientId };
  const done = token ? settleKnown(token, rules, claim.owner) : settleNew(run, rules, claim);
  return typeof done === 'string' ? done : { line, ...done, clientId };
}

/** Imports tokens in one transaction; returns the outcome of each row. */
export async function applyTokens(
  run: ImportContext,
  tx: Database,
  rows: readonly TokenImportRow[],
): Promise<RowOutcome[]> {
  const translate = await translationOf(tx, new Set(rows.map((row) => row.accountId)));
  const found = await lookUp(run, tx, rows);
  const claims = rows.map((row) => {
    const { clientId, lastUsedAt } = row;
    const account = translate(row);
    // An id that is no account is the old id of one that an id pair knows by its address alone.
    const legacyId = account.accountId === null ? row.accountId : null;
    return { owner: { clientId, lastUsedAt, legacyId, ...account }, row };
  });
  const said = claims.map(({ owner, row }) => [row.token.toString('hex'), owner] as const);
  const emailsOf = await emailsFor(tx, [...found.tokens, ...said]);
  const places = [...found.tokens.values(), ...claims.map(({ owner }) => owner)];
  const limit = run.isByKey ? await tokenLimitOf(tx, places) : () => undefined;
  const outcomes = claims.map((claim) => settle(run, { ...found, emailsOf, limit }, claim));
  await renewDigests(run, tx, { rows, mappings: found.mappings });
  await writeTokens(run, tx, [...found.tokens.values()]);
  return outcomes;
}
