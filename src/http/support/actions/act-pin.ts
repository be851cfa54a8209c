import { countSharedUnproven } from '../../../domain/apps/app-access.ts';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';
import { accountsUnder, pinByStaff } from '../../../domain/support/actions/actions-pin.ts';
import { SAID_BEFORE } from '../../../domain/take-back/words.ts';
import { waitingUnder } from '../../../domain/tokens/tokens-of-account.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { StaffAction, ActionPage, NoticeRedirect } from './action-form.ts';
import { backTo, tokenRedirect, mappingIn, tokenFacts, UNKNOWN_ACCOUNT } from './action-target.ts';

/** /support/mappings/:id/pin: staff say which account the tokens under an e-mail address belong to. */

const count = (n: number, one: string) => (n === 0 ? [] : [`${n} ${one}${n === 1 ? '' : 's'}`]);

const heldWords = (tokens: number, apps: number) =>
  [count(tokens, 'token'), count(apps, 'app')].flat().join(' and ') || 'nothing now';

async function ask({ context }: PageShell, target: MappingTarget): Promise<ActionPage | NoticeRedirect> {
  const email = target.waitsUnder;
  if (target.isOver) return tokenRedirect(target, 'token-ended');
  if (email === null) return tokenRedirect(target, 'too-late');
  const { tokens, apps } = await waitingUnder(context, email);
  const shared = count(await countSharedUnproven(context, email), 'app').join('') || 'none';
  const known = await accountsUnder(context, email);
  const names = known.map(({ accountId, name }) => `${name ?? 'without a name'} (${accountId})`).join('; ');
  const hint =
    known.length === 0
      ? 'The id of an account that the bridge knows. No account that signed in here has this address.'
      : `The id of an account that the bridge knows. With this address signed in: ${names}. That alone is no proof.`;
  return {
    title: 'Say whose account this is',
    says: [
      `Everything that waits under ${email} (${heldWords(tokens, apps)}) belongs to the account that you name.`,
      `With it go the owner tokens of the apps, and what is known by the old user id of the address. As long as the account has this address, it also sees the apps that are shared with the address: ${shared} now.`,
      'Where the app of a token has taken over the connection of that account, the token ends as moved: its calls are refused from then on.',
      'An address is no proof that somebody is who they say. Do this only when you have checked it in another way, and say in the reason how.',
      SAID_BEFORE.pin,
    ],
    facts: tokenFacts(target),
    fields: [
      { kind: 'hidden', name: 'seen_email', value: email },
      // Never prefilled: otherwise one click could give the waiting tokens to an account that only signed in with the
      // address.
      { kind: 'text', name: 'account_id', label: 'Account id', hint, value: '' },
    ],
    button: { label: 'Pin to this account', isDanger: true },
    back: backTo(target),
  };
}

/** The action `pin`. */
export function pinAction(frame: PageShell): StaffAction<MappingTarget> {
  return {
    path: '/support/mappings/:id/pin',
    needs: 'lead',
    find: (req) => mappingIn(frame, req),
    ask: (target) => ask(frame, target),
    async act({ target, fields, reason, origin }) {
      const accountId = (fields['account_id'] ?? '').trim();
      const asked = { mappingId: target.mappingId, accountId, email: fields['seen_email'] ?? '', reason };
      const done = await pinByStaff(frame.context, { ...asked, ...origin });
      if (done.outcome === 'unknown account') return { problems: { account_id: UNKNOWN_ACCOUNT } };
      if (done.outcome !== 'pinned') return tokenRedirect(target, 'too-late');
      return tokenRedirect(target, done.hasMoved ? 'account-pinned-moved' : 'account-pinned');
    },
  };
}
