import { giveApp, STAYS_AFTER_GIFT } from '../../../domain/accounts/give-app.ts';
import type { AppTarget } from '../../../domain/support/actions/actions.ts';
import { SAID_BEFORE } from '../../../domain/take-back/words.ts';
import type { PageShell } from '../../site/page-shell.ts';
import type { ActionPage, StaffAction } from './action-form.ts';
import { appIn, appRedirect, backToApp, UNKNOWN_ACCOUNT } from './action-target.ts';

/** /support/apps/:clientId/give: gives an app to another account. */

const SAME_ACCOUNT = 'This account owns the app already.';

const SAYS = [
  'The account that you name owns the app from the next request on, and the former owner no longer does. Tokens stay with the accounts that they act for.',
  STAYS_AFTER_GIFT,
  'Do this only when you have checked in another way that the app is theirs, and say in the reason how.',
  SAID_BEFORE.give,
];

const ownerWords = ({ accountId, email }: AppTarget['owner']) => accountId ?? email ?? 'nobody is known';

function askToGive(target: AppTarget): ActionPage {
  const { clientId, name, owner } = target;
  return {
    title: `Give “${name}” to another account`,
    says: SAYS,
    facts: [
      { term: 'App', text: `${name} (${clientId})` },
      { term: 'Owner', text: ownerWords(owner) },
    ],
    fields: [
      { kind: 'hidden', name: 'seen_owner', value: owner.accountId ?? '' },
      {
        kind: 'text',
        name: 'account_id',
        label: 'Account id',
        hint: 'The id of an account that the bridge knows.',
        value: '',
      },
    ],
    button: { label: 'Give it to this account', isDanger: true },
    back: backToApp(target),
  };
}

/** The action `give`. */
export function giveAction(frame: PageShell): StaffAction<AppTarget> {
  return {
    path: '/support/apps/:clientId/give',
    needs: 'lead',
    find: (req) => appIn(frame, req),
    ask: async (target) => askToGive(target),
    async act({ target, fields, reason, origin }) {
      const { account_id: to = '', seen_owner: seen = '' } = fields;
      const asked = { clientId: target.clientId, to, seen: seen === '' ? null : seen, reason };
      const gift = await giveApp(frame.context, { ...asked, ...origin });
      if (gift === 'unknown account') return { problems: { account_id: UNKNOWN_ACCOUNT } };
      if (typeof gift === 'string') return appRedirect(target, 'too-late');
      if (gift.deed === undefined) return { problems: { account_id: SAME_ACCOUNT } };
      return appRedirect(target, 'app-given');
    },
  };
}
