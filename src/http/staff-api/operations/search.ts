import { z } from 'zod';
import { QUERY_MAX } from '../../../domain/support/search/read-query.ts';
import { searchFor } from '../../../domain/support/search/search.ts';
import { accountFoundSchema, appFoundSchema } from '../answers/found.ts';
import { tokenOf, tokenSchema } from '../answers/token.ts';
import { yesNo } from '../answers/parts.ts';
import { operation } from '../operation.ts';

/** The search box of support. */

const body = z.strictObject({
  text: z.string().min(1).max(QUERY_MAX).meta({
    description:
      'A whole token, its first or last four characters, an e-mail address, an id of any kind, or a name. A whole token is looked up by its digest, which the history records.',
  }),
});

const answer = z.object({
  tokens: z.array(tokenSchema),
  apps: z.array(appFoundSchema),
  accounts: z.array(accountFoundSchema),
  has_more: z.object({ tokens: yesNo, apps: yesNo, accounts: yesNo }),
  is_near: yesNo.meta({
    description:
      'Nothing is written exactly as the text. What is found is written nearly so: look before you act on it.',
  }),
  is_cut: yesNo.meta({
    description: 'More is written like this than was looked through. A longer text finds the rest.',
  }),
});

const NOTHING = {
  tokens: [],
  apps: [],
  accounts: [],
  has_more: { tokens: false, apps: false, accounts: false },
  is_near: false,
  is_cut: false,
};

export const SEARCH_OPERATIONS = [
  operation({
    id: 'search',
    method: 'post',
    path: '/search',
    needs: 'reader',
    tag: 'search',
    summary: 'Tokens, apps and accounts by whatever a caller can give',
    body,
    answer,
    async run(context, { body: { text }, origin }) {
      const found = await searchFor(context, text, origin);
      if (!found) return NOTHING;
      return {
        tokens: found.tokens.map((row) => tokenOf(context, row)),
        apps: found.apps.map(({ client_id, name, source }) => ({ client_id, name, source })),
        accounts: found.accounts.map(({ account_id, name, email }) => ({ account_id, name, email })),
        has_more: found.isMore,
        is_near: found.isNear,
        is_cut: found.isCut,
      };
    },
  }),
];
