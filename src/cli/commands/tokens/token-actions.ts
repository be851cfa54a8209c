import type { Context } from '../../../domain/context.ts';
import { newestDeed } from '../../../domain/take-back/look.ts';
import { assignByHand } from '../../../domain/tokens/assign-token.ts';
import {
  DAYS_TOLD,
  FOUND_MAX,
  findTokens,
  findWholeToken,
  type TokenSearchRow,
} from '../../../domain/support/find-tokens.ts';
import { oldApiStatusNow, type OldApiFacts } from '../../../domain/lifecycle/old-api-status.ts';
import { standingOfRow } from '../../../domain/support/standing-of-row.ts';
import { type TokenStanding, standingOf } from '../../../domain/tokens/standing/standing.ts';
import { ASSIGNMENT_LEFT } from '../../../domain/tokens/left-to-staff.ts';
import { stoppedForGoodWords, standingSentence } from '../../../domain/tokens/standing/words.ts';
import { knownCallDays } from '../../../domain/usage/callers.ts';
import type { Usage } from '../../../domain/usage/usage.ts';
import { type CountedDays, gapWords, textOfWords } from '../../../domain/usage/counted-days.ts';
import { momentText } from '../../../shared/moments.ts';
import { revokeByHand } from '../../../domain/tokens/revoke-token.ts';
import { isUnidentified } from '../../../store/tokens/observed.ts';
import type { MappingState } from '../../../store/tables/tables.ts';
import { linesOfUndo, undoLines } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';
import { momentOf } from '../dates/moment-option.ts';
import { readTokenLine } from './token-line.ts';
import { pastOfTokens } from './tokens-at.ts';

function timeOf(time: number | null | undefined): string | null {
  return typeof time === 'number' ? new Date(time).toISOString() : null;
}

/**
 * Whether the bridge made the token itself, and so knows its age. Of an imported token the row has the date of the file,
 * or of the import where the file names none, and of an observed token that of its first call: both may be older.
 */
const isMadeHere = ({ source }: TokenSearchRow['row']) => source === 'issued' || source === 'registration';

const beginningOf = (row: TokenSearchRow['row']) => ({
  created_at: isMadeHere(row) ? timeOf(row.created_at) : null,
  exists_since: timeOf(row.created_at),
});

/** How many calls are known, and how many of them were refused. */
const callsOf = ({ calls = 0, refused = 0 }: Partial<Usage> = {}) => ({ calls, refused });

function jsonOf({ row, usage }: TokenSearchRow, standing: TokenStanding) {
  return {
    mapping_id: row.id,
    client_id: row.client_id,
    app: row.app_name,
    account_id: row.account_id,
    email: row.email ?? row.account_email,
    state: row.state,
    standing: standingSentence(standing),
    reason: row.reason,
    source: row.source,
    hint: row.hint_first === null ? null : `1/${row.hint_first}…${row.hint_last}`,
    ...beginningOf(row),
    last_used_at: timeOf(row.last_used_at),
    last_seen_at: timeOf(usage?.lastSeen),
    ...callsOf(usage),
    carriers: usage?.carriers ?? [],
    user_agents: usage?.userAgents ?? [],
  };
}

type TokenJson = ReturnType<typeof jsonOf>;

function accountOf({ account_id, email }: TokenJson): string {
  if (account_id !== null) return `${account_id} (${email ?? 'e-mail not known'})`;
  return email === null ? 'not known' : `not known, waits for ${email}`;
}

/** The last call that the bridge saw. For a token without such a call: the last use that an import stated. */
function lastOf({ last_used_at: used, last_seen_at: seen }: TokenJson, { isPartial }: CountedDays): string {
  const never = isPartial ? 'at no known time' : 'never';
  return seen === null && used !== null ? `last used ${used}` : `last seen ${seen ?? never}`;
}

const sinceOf = ({ created_at: created, exists_since: known }: TokenJson) =>
  created === null ? `exists since at least ${known}` : `created ${created}`;

/** Imported names may hold anything, and a terminal obeys control characters. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, '?');
}

function callsWords({ calls, refused }: TokenJson, { isPartial }: CountedDays): string {
  const all = `${isPartial ? 'at least ' : ''}${calls} ${calls === 1 ? 'call' : 'calls'} in ${DAYS_TOLD} days`;
  return refused > 0 ? `${all} (${refused} refused)` : all;
}

function linesOf(told: TokenJson, counted: CountedDays): string[] {
  const { carriers, user_agents: agents } = told;
  const calls = callsWords(told, counted);
  const lines = [
    `${told.mapping_id}  ${told.state}  ${told.hint ?? 'first and last characters not known'}  ${told.source}`,
    `    app ${told.client_id} ${told.app}`,
    `    account ${accountOf(told)}`,
    `    ${told.standing}`,
    ...(told.reason === null ? [] : [`    reason: ${told.reason}`]),
    `    ${sinceOf(told)}, ${lastOf(told, counted)}`,
    carriers.length === 0
      ? `    ${calls}`
      : `    ${calls}, in ${carriers.join(', ')}, by ${agents.join('; ')}`,
  ];
  return lines.map(printable);
}

/** Since when the calls are counted, where that is not the whole of the days. */
function knownJson({ isPartial, since }: CountedDays) {
  return { calls_partial: isPartial, calls_counted_since: timeOf(since) };
}

/** `tokens find QUERY`: the known facts about tokens. `-` reads a whole token from standard input. */
export async function findTokenCommand(
  { at: given }: Record<string, unknown>,
  [query = '']: readonly string[],
): Promise<Result> {
  const at = given === undefined ? undefined : momentOf('--at', given);
  const token = query === '-' ? await readTokenLine() : undefined;
  return withContext(async ({ context }) => {
    const found =
      token === undefined ? await findTokens(context, query) : await findWholeToken(context, token);
    const more = found.isMore ? [`More tokens were found. These are the newest ${FOUND_MAX}.`] : [];
    const rows = found.tokens.map(({ row }) => row);
    if (at !== undefined) {
      const past = await pastOfTokens(context, rows, at);
      return { ...past, lines: [...past.lines, ...more], json: { ...past.json, more: found.isMore } };
    }
    const ids = rows.map(({ id }) => id);
    const counted = (await knownCallDays(context, ids))(DAYS_TOLD);
    const tokens = found.tokens.map((one) => jsonOf(one, standingOfRow(context, one.row)));
    const told = tokens.flatMap((one) => linesOf(one, counted));
    const gap = textOfWords(gapWords(counted), momentText);
    const lines = tokens.length > 0 ? [...told, ...(gap === '' ? [] : [gap])] : ['No token was found.'];
    return {
      ok: tokens.length > 0,
      lines: [...lines, ...more],
      json: { tokens, more: found.isMore, ...knownJson(counted) },
    };
  });
}

const NO_TOKEN = 'No token has this mapping id. To see mapping ids: grantbridge tokens find';

function grantWords({ alone, hadGrant }: { alone: boolean; hadGrant: boolean }): string {
  if (!hadGrant) return 'No grant served it.';
  return alone
    ? 'No other token used its grant, so the grant has ended too.'
    : 'Other tokens of the same grant keep working.';
}

/** The newest action of staff on a revoked token may be another one: its holder may have revoked it since. */
async function undoOfRevocation(context: Context, mappingId: string): Promise<string[]> {
  const look = await newestDeed(context, 'token', mappingId);
  return look?.kind === 'revoke' && !look.isTakenBack ? linesOfUndo(look) : [];
}

/** `tokens revoke MAPPING_ID --reason TEXT`: ends one token for good. */
export async function revoke(
  options: Record<string, unknown>,
  [mappingId = '']: readonly string[],
): Promise<Result> {
  return withContext(async ({ context }) => {
    const asked = { mappingId, reason: String(options['reason']), actor: 'command', requestId: null };
    const revoked = await revokeByHand(context, asked);
    // The running bridge sends pending revocations to the new API within a minute. This process ends here.
    await context.flights.close();
    const json = { mapping_id: mappingId, ...revoked };
    if (revoked.outcome === 'unknown') return { ok: false, lines: [NO_TOKEN], json };
    if (revoked.outcome === 'final') {
      const isSo = revoked.state === 'revoked';
      const undo = isSo ? await undoOfRevocation(context, mappingId) : [];
      return { ok: isSo, lines: [stoppedForGoodWords(revoked.state), ...undo], json };
    }
    const undo = await undoLines(context, 'token', mappingId);
    return { ok: true, lines: [`The token is revoked. ${grantWords(revoked)}`, ...undo], json };
  });
}

type AssignmentResult = Awaited<ReturnType<typeof assignByHand>>;

/** The app that receives a token. For an unidentified program the assignment is taken back. */
interface Receiver {
  clientId: string;
  isProgram: boolean;
  /** The old API for this app, or for all apps while the app is a program. */
  oldApi: OldApiFacts;
}

/** How the token stands with its app. */
function standsWords(state: MappingState, { oldApi }: Receiver): string {
  const standing = standingOf({ state, reason: null, source: 'observed', oldApi });
  const next = standing.canConnect
    ? ' Its holder has to connect the app. To make the link: grantbridge links make'
    : '';
  return `${standingSentence(standing)}${next}`;
}

function assignedWords(
  { state, alone }: Extract<AssignmentResult, { outcome: 'assigned' }>,
  receiver: Receiver,
): string {
  const words = receiver.isProgram
    ? `The assignment is taken back: no app is proven for the token. Its holder can choose the token from the list on /apps/${receiver.clientId}/connect.`
    : `The token belongs to the app now. ${standsWords(state, receiver)}`;
  return alone ? `${words} No other token used its earlier grant, so the earlier grant has ended.` : words;
}

function wordsOf(assigned: AssignmentResult, receiver: Receiver): string {
  const { clientId, isProgram } = receiver;
  switch (assigned.outcome) {
    case 'unknown token':
      return NO_TOKEN;
    case 'unknown app':
      return 'No app that was registered or imported has this client id. To see the apps: grantbridge apps list';
    case 'identified':
      return assigned.app === clientId
        ? `The token ${isProgram ? 'belongs to this unidentified program' : 'belongs to this app'} already. Nothing was changed.`
        : `The token belongs to the app ${assigned.app}, which issued it or was imported with it. Only a token that was seen in use can be assigned.`;
    case 'left to staff':
      return ASSIGNMENT_LEFT;
    case 'final':
      return stoppedForGoodWords(assigned.state);
    case 'assigned':
      return assignedWords(assigned, receiver);
  }
}

/** `tokens assign MAPPING_ID --app CLIENT_ID --reason TEXT`: says to which app an observed token belongs. */
export async function assign(
  options: Record<string, unknown>,
  [mappingId = '']: readonly string[],
): Promise<Result> {
  const [clientId, reason] = [String(options['app']), String(options['reason'])];
  return withContext(async ({ context }) => {
    const asked = { mappingId, clientId, reason, actor: 'command', requestId: null };
    const assigned = await assignByHand(context, asked);
    const isProgram = await isUnidentified(context.store.durable, clientId);
    const oldApi = oldApiStatusNow(context, isProgram ? undefined : clientId);
    // As after a revocation: the running bridge sends pending revocations to the new API.
    await context.flights.close();
    const isSo = assigned.outcome === 'identified' && assigned.app === clientId;
    const isDone = assigned.outcome === 'assigned';
    const undo = isDone ? await undoLines(context, 'token', mappingId) : [];
    const { deed: _, ...told } = { deed: undefined, ...assigned };
    return {
      ok: isDone || isSo,
      lines: [wordsOf(assigned, { clientId, isProgram, oldApi }), ...undo],
      json: { mapping_id: mappingId, ...told, is_program: isProgram },
    };
  });
}
