import { confirm, exchange } from '../../../exchange/support/own-client.ts';
import { waitingToken } from '../../../owners/support/people.ts';
import { act } from '../../../staff/support/actions.ts';
import { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import { issueToken } from '../../../support/callers/legacy-calls.ts';
import type { System } from '../../../support/bridge/system.ts';
import { endOf, type Flow, type FlowEnd, wrong } from './flow.ts';

/** What apps and staff do with tokens. */

const DONE: FlowEnd = { kind: 'done', said: '' };

const pairIn = ({ json }: { json: unknown }) => (json as { refresh_token?: unknown }).refresh_token;

/** A pair goes to its app. Until the app confirms it gets the same pair again. */
export function handOverFlow({ system }: { system: System }): Flow {
  const browser = new CookieWalker();
  let token = '';
  let given: unknown;
  return {
    name: 'hand over',
    async prepare() {
      [token, given] = [await issueToken(system, { browser }), undefined];
    },
    async run() {
      const answer = await exchange(system.bridgeUrl, token);
      if (answer.status === 200) given = pairIn(answer);
      return endOf(answer);
    },
    async again() {
      const answer = await exchange(system.bridgeUrl, token);
      if (answer.status !== 200) return endOf(answer);
      if (given !== undefined && pairIn(answer) !== given) return wrong('another pair than before');
      return endOf(await confirm(system.bridgeUrl, token));
    },
  };
}

/** Staff revoke a token. The form counts once, and its reason stands in the history. */
export function revokeFlow({ system }: { system: System }, browser: CookieWalker, accountId: string): Flow {
  let id = '';
  const revoke = () => act(browser, `${system.bridgeUrl}/support/mappings/${id}/revoke`);
  const { durable } = system.bridge.context.store;
  return {
    name: 'revoke a token',
    async prepare() {
      ({ id } = await waitingToken(system, { accountId }));
    },
    async run() {
      try {
        const { status } = await revoke();
        if (status === 303) return DONE;
        return { kind: status === 503 ? 'unavailable' : 'wrong', said: String(status) };
      } catch (error) {
        // The page before the form could not be shown.
        const said = String(error).slice(0, 300);
        return { kind: said.includes('(503)') ? 'unavailable' : 'wrong', said };
      }
    },
    async again() {
      const stateOf = async () =>
        (await durable.selectFrom('mappings').select('state').where('id', '=', id).executeTakeFirst())?.state;
      if ((await stateOf()) !== 'revoked') await revoke();
      const events = await durable
        .selectFrom('events')
        .select('action')
        .where('mapping_id', '=', id)
        .where('action', '=', 'token_revoked')
        .execute();
      const isDone = (await stateOf()) === 'revoked' && events.length === 1;
      return isDone ? DONE : wrong(`${await stateOf()}, ${events.length} entries`);
    },
  };
}
