import type { AppToken } from '../../../domain/tokens/app-tokens.ts';
import { oldApiStatusNow } from '../../../domain/lifecycle/old-api-status.ts';
import { provenApp } from '../../../domain/tokens/proven-app.ts';
import { grantOfListed } from '../../../domain/tokens/standing/grant-facts.ts';
import type { OwnersDeps } from '../deps.ts';
import type { ShownApp } from '../shown-app.ts';
import { hintWords, holderWords, originWords, tokenWords } from '../../wording/token-words.ts';

/** One token as a row of a table. */
interface TokenLine {
  hint: string | undefined;
  holder: string;
  source: string;
  label: string;
  kind: string;
  reason: string;
  /** The letter of the reason in the list of reasons, where tokens of this label have several. */
  note: string | undefined;
  /** Undefined for a token without a known use. */
  lastUsed: number | undefined;
  /** Undefined for a token that has not stopped. */
  stoppedAt: number | undefined;
  calls: number;
}

/** Why tokens stand as they do, once for all that stand so. */
interface ReasonLine {
  label: string;
  kind: string;
  reason: string;
  note: string | undefined;
}

interface TokenLines {
  lines: TokenLine[];
  reasons: ReasonLine[];
}

type ReasonText = Pick<TokenLine, 'label' | 'kind' | 'reason'>;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Reasons have letters: readers took a number beside a state for a count. */
const letterOf = (place: number): string =>
  `${LETTERS[place % LETTERS.length]}${place < LETTERS.length ? '' : Math.floor(place / LETTERS.length)}`;

/** Each reason once, with a letter where tokens of one label have several. */
function reasonsOf(tokens: readonly ReasonText[]): ReasonLine[] {
  const each = [...new Map(tokens.map((one) => [`${one.label} ${one.reason}`, one])).values()];
  const isAlone = ({ label }: ReasonText) => each.filter((one) => one.label === label).length === 1;
  const several = each.filter((one) => !isAlone(one));
  return each.map(({ label, kind, reason }, at) => {
    const note = several.indexOf(each[at] as ReasonText);
    return { label, kind, reason, note: note < 0 ? undefined : letterOf(note) };
  });
}

/** Tokens of an app as rows, for one reader. The dates of the app count for those tokens of which it is proven. */
export function tokenLines(
  context: OwnersDeps,
  tokens: readonly AppToken[],
  { app, reader }: Pick<ShownApp, 'app' | 'reader'>,
): TokenLines {
  const oldApiOf = (token: AppToken) =>
    oldApiStatusNow(context, provenApp({ ...token, app_source: app.source }));
  const worded = tokens.map((token) => {
    const facts = { grant: grantOfListed(context, token), oldApi: oldApiOf(token) };
    return { token, ...tokenWords({ ...token, ...facts, isOwn: token.account_id === reader }) };
  });
  const reasons = reasonsOf(worded);
  const lines = worded.map(({ token, label, kind, reason }) => ({
    label,
    kind,
    reason,
    note: reasons.find((one) => one.label === label && one.reason === reason)?.note,
    hint: hintWords(token),
    holder: holderWords(token, reader),
    source: originWords(token),
    lastUsed: token.usage?.lastSeen ?? token.last_used_at ?? undefined,
    stoppedAt: token.state === 'reauthorization_required' ? token.updated_at : undefined,
    calls: token.usage?.calls ?? 0,
  }));
  return { lines, reasons };
}
