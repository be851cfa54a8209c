import { z } from 'zod';
import { mappingTarget } from '../../../domain/support/actions/actions.ts';
import { pinByStaff } from '../../../domain/support/actions/actions-pin.ts';
import { makeLink } from '../../../domain/support/make-link.ts';
import { LimitReached } from '../../../domain/failures.ts';
import { PROBES_A_MINUTE, probeGrant } from '../../../domain/support/probe-grant.ts';
import { sendAgain } from '../../../domain/support/send-again.ts';
import { assignByHand } from '../../../domain/tokens/assign-token.ts';
import { ASSIGNMENT_LEFT, PIN_LEFT } from '../../../domain/tokens/left-to-staff.ts';
import { stoppedForGoodWords, TOO_LATE } from '../../../domain/tokens/standing/words.ts';
import { revokeByHand } from '../../../domain/tokens/revoke-token.ts';
import { NO_REMINDER } from '../../support/actions/act-remind.ts';
import { idIn, reasonIn, text, yesNo } from '../answers/parts.ts';
import { STATES } from '../answers/token.ts';
import type { HttpStaffApiDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { ApiProblem, nothingThere } from '../problems/problems.ts';
import { tokenPath } from './tokens.ts';
import { notPossible, wrongField } from './refusals.ts';

/** What staff do with one token. */

const unknownToken = () => nothingThere('No token has this id.');

/** Why nothing was done: there is no such token, or it stands otherwise. */
const refusedBecause = async (context: HttpStaffApiDeps, id: string, words: string): Promise<ApiProblem> =>
  (await mappingTarget(context, id)) ? notPossible(words) : unknownToken();

const WRITE = {
  method: 'post',
  tag: 'tokens',
  isWrite: true,
  problems: ['not-found', 'not-possible'],
} as const;

const movedAnswer = z.object({
  token_id: text,
  is_changed: yesNo,
  state: z.enum(STATES),
  ended_connection: yesNo.meta({
    description: 'Whether no other token used its grant, which has ended too.',
  }),
});

/** @throws {ApiProblem} */
function tooManyProbes(error: unknown): never {
  if (!(error instanceof LimitReached)) throw error;
  const detail = `One key may test ${PROBES_A_MINUTE} connections in a minute.`;
  throw new ApiProblem('too-many-requests', detail, { retryAfter: Math.ceil(error.retryAfter / 1000) });
}

const OUTCOMES = [
  'works',
  'not covered',
  'died',
  'no answer',
  'unknown client',
  'in doubt, served',
  'in doubt, refused',
  'in doubt, live',
  'in doubt, spent',
  'in doubt, unsure',
] as const;

export const TOKEN_WRITES = [
  operation({
    ...WRITE,
    id: 'revokeToken',
    path: '/tokens/{token_id}/revoke',
    needs: 'agent',
    summary: 'Revokes one token; for seven days that can be taken back, unless its connection ended with it',
    parameters: tokenPath,
    body: z.strictObject({ reason: reasonIn }),
    answer: movedAnswer,
    async run(context, { path, body, origin }) {
      const done = await revokeByHand(context, { mappingId: path.token_id, reason: body.reason, ...origin });
      if (done.outcome === 'unknown') throw unknownToken();
      const token = { token_id: path.token_id, state: 'revoked' as const };
      if (done.outcome === 'revoked') return { ...token, is_changed: true, ended_connection: done.alone };
      if (done.state !== 'revoked') throw notPossible(stoppedForGoodWords(done.state));
      return { ...token, is_changed: false, ended_connection: false };
    },
  }),
  operation({
    ...WRITE,
    id: 'assignToken',
    path: '/tokens/{token_id}/assign',
    needs: 'agent',
    summary: 'Says to which app a token belongs that was seen in use; for seven days that can be taken back',
    parameters: tokenPath,
    body: z.strictObject({
      client_id: idIn,
      from: idIn.optional().meta({
        description:
          'client_id of the token, as you have seen it. If it belongs to another app by now, nothing is changed.',
      }),
      reason: reasonIn,
    }),
    answer: z.object({
      token_id: text,
      client_id: text,
      state: z.enum(STATES).meta({
        description:
          '`migrated` where the app has taken over the connection of the account: the token has ended.',
      }),
      ended_connection: yesNo,
    }),
    async run(context, { path, body: { client_id: clientId, from, reason }, origin }) {
      const asked = { mappingId: path.token_id, clientId, from, reason, ...origin };
      const done = await assignByHand(context, asked);
      switch (done.outcome) {
        case 'unknown token':
          throw unknownToken();
        case 'unknown app':
          throw wrongField('/client_id', 'No app that was registered or imported has this client id.');
        case 'left to staff':
          throw notPossible(ASSIGNMENT_LEFT);
        case 'identified':
          throw notPossible(`The token belongs to the app ${done.app}. Nothing was changed.`);
        case 'final':
          throw notPossible(stoppedForGoodWords(done.state));
        case 'assigned':
          return {
            token_id: path.token_id,
            client_id: clientId,
            state: done.state,
            ended_connection: done.alone,
          };
      }
    },
  }),
  operation({
    ...WRITE,
    id: 'pinToken',
    path: '/tokens/{token_id}/pin',
    needs: 'lead',
    summary:
      'Gives everything that waits under the address of a token, and what is shared with the address, to an account; for seven days that can be taken back',
    parameters: tokenPath,
    body: z.strictObject({
      email: z
        .string()
        .min(3)
        .max(320)
        .meta({ description: 'waits_for_email of the token, as you have seen it.' }),
      account_id: idIn,
      reason: reasonIn,
    }),
    answer: z.object({
      token_id: text,
      account_id: text,
      has_moved: yesNo.meta({
        description:
          'Whether tokens ended as moved (`migrated`), because their app has taken over the connection of the account.',
      }),
    }),
    async run(context, { path, body: { email, account_id: accountId, reason }, origin }) {
      const asked = { mappingId: path.token_id, email, accountId, reason, ...origin };
      const done = await pinByStaff(context, asked);
      if (done.outcome === 'unknown account')
        throw wrongField('/account_id', 'No account with this id was ever met here.');
      if (done.outcome === 'left to staff') throw notPossible(PIN_LEFT);
      if (done.outcome !== 'pinned')
        throw await refusedBecause(
          context,
          path.token_id,
          'The token does not wait under this address. Nothing was changed.',
        );
      return { token_id: path.token_id, account_id: accountId, has_moved: done.hasMoved };
    },
  }),
  operation({
    ...WRITE,
    id: 'makeLink',
    path: '/tokens/{token_id}/link',
    needs: 'agent',
    summary: 'Makes the link by which the holder of a token connects it again',
    parameters: tokenPath,
    body: z.strictObject({ reason: reasonIn }),
    answer: z.object({ token_id: text, link: text }),
    async run(context, { path, body: { reason }, origin }) {
      const made = await makeLink(context, { mappingId: path.token_id, reason, ...origin });
      if (made.outcome === 'made') return { token_id: path.token_id, link: made.link };
      if (made.outcome === 'too late') throw notPossible(TOO_LATE);
      if (made.outcome === 'no account') throw notPossible('Nobody knows whose account the token is.');
      throw await refusedBecause(context, path.token_id, 'Nothing waits there that a person could connect.');
    },
  }),
  operation({
    ...WRITE,
    id: 'remindOfToken',
    path: '/tokens/{token_id}/remind',
    needs: 'agent',
    summary: 'Sends a reminder again, to the address that is known now',
    parameters: tokenPath,
    body: z.strictObject({ to: z.enum(['holder', 'owner']), reason: reasonIn }),
    answer: z.object({ token_id: text, to: text }),
    async run(context, { path, body: { to: role, reason }, origin }) {
      const { outcome } = await sendAgain(context, { mappingId: path.token_id, role, reason, ...origin });
      if (outcome !== 'asked') throw await refusedBecause(context, path.token_id, NO_REMINDER[outcome]);
      return { token_id: path.token_id, to: role };
    },
  }),
  operation({
    ...WRITE,
    id: 'probeToken',
    path: '/tokens/{token_id}/probe',
    needs: 'agent',
    summary: 'Asks whether the new API answers for the connection of a token now',
    parameters: tokenPath,
    body: z.strictObject({ reason: reasonIn }),
    answer: z.object({ token_id: text, outcome: z.enum(OUTCOMES) }),
    async run(context, { path, body: { reason }, origin }) {
      const asked = { mappingId: path.token_id, reason, ...origin };
      const outcome = await probeGrant(context, asked).catch(tooManyProbes);
      if (outcome === undefined)
        throw await refusedBecause(context, path.token_id, 'No live connection serves the token.');
      return { token_id: path.token_id, outcome };
    },
  }),
];
