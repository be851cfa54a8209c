import { ACCOUNT_ID_WORDS, readAccountId } from '../../../domain/accounts/account-id.ts';
import { lookAtDeed } from '../../../domain/take-back/look.ts';
import { pinByHand } from '../../../domain/accounts/pin-by-hand.ts';
import type { Context } from '../../../domain/context.ts';
import { normalEmail } from '../../../shared/mail/address.ts';
import { hasPinned } from '../../../store/tokens/waiting-tokens.ts';
import { linesOfUndo } from '../history/undo.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const REASON = /^(?=.*\S)\P{Cc}{1,500}$/u;

interface AskedPin {
  email: string;
  accountId: string;
  how: string;
}

async function checked({ store }: Context, { email, accountId: given, how }: AskedPin): Promise<AskedPin> {
  const accountId = await readAccountId(store.durable, given);
  const problems = [
    EMAIL.test(email) ? [] : ['email: must be an e-mail address'],
    accountId === undefined ? [`account: must be ${ACCOUNT_ID_WORDS}`] : [],
    REASON.test(how) ? [] : ['reason: must be 1 to 500 printable characters'],
  ].flat();
  if (accountId === undefined || problems.length > 0) throw new Error(problems.join('\n'));
  return { email, accountId, how };
}

const MOVED =
  'Tokens of them ended as moved, because their app has taken over the connection of the account: their calls are refused from now on.';

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * `accounts pin EMAIL ACCOUNT_ID --reason TEXT`: from now on the tokens that wait under the e-mail address belong to
 * the account.
 */
export async function pin(
  options: Record<string, unknown>,
  [email = '', account = '']: readonly string[],
): Promise<Result> {
  const how = String(options['reason']);
  return withContext(async ({ context }) => {
    const asked = await checked(context, { email, accountId: account, how });
    const { accountId } = asked;
    const pinned = await pinByHand(context, { ...asked, actor: 'command', requestId: null });
    const { tokens, apps, ids, hasMoved } = pinned;
    const isNothing = tokens + apps + ids === 0;
    const line = isNothing
      ? 'No token, app or old account id waits under this address.'
      : `${counted(tokens, 'token')}, ${counted(apps, 'app')} and ${counted(ids, 'old account id')} belong to account ${accountId} now.`;
    // The address may be mistyped, unless something of it belongs to the account already.
    const ok =
      !isNothing || (await hasPinned(context.store.durable, { email: normalEmail(email), accountId }));
    const undo = pinned.deed === undefined ? [] : linesOfUndo(await lookAtDeed(context, pinned.deed));
    return {
      ok,
      lines: [line, ...(hasMoved ? [MOVED] : []), ...undo],
      json: { tokens, apps, ids, hasMoved },
    };
  });
}
