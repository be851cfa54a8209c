import type { Context } from '../../../../src/domain/context.ts';
import { revokeByHand } from '../../../../src/domain/tokens/revoke-token.ts';
import { confirm, exchange } from '../../../exchange/support/own-client.ts';
import { waitingToken } from '../../../owners/support/people.ts';
import { act } from '../../../staff/support/actions.ts';
import { CookieWalker, type Page } from '../../../support/callers/cookie-walker.ts';
import { issueToken } from '../../../support/callers/legacy-calls.ts';
import type { System } from '../../../support/bridge/system.ts';
import { endOf, type Flow, type FlowEnd, wrong } from './flow.ts';

/** What apps and staff do with tokens. */

const DONE: FlowEnd = { kind: 'done', said: '' };

/** The entry of a token's revocation. */
async function entryOf({ store }: Context, mappingId: string): Promise<number> {
  const entries = store.durable.selectFrom('events').select('id').where('mapping_id', '=', mappingId);
  return (await entries.where('action', '=', 'token_revoked').executeTakeFirstOrThrow()).id;
}

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

/** How an action of staff ended, whose page leads on. */
async function endOfAction(press: () => Promise<Page>): Promise<FlowEnd> {
  try {
    const { status, location = '' } = await press();
    if (status === 303 && !location.includes('too-late')) return DONE;
    return { kind: status === 503 ? 'unavailable' : 'wrong', said: `${status} ${location}` };
  } catch (error) {
    // The page before the form could not be shown.
    const said = String(error).slice(0, 300);
    return { kind: said.includes('(503)') ? 'unavailable' : 'wrong', said };
  }
}

/** An action of staff on one token. It counts once, and the history has it once. */
function actionFlow(
  { system }: { system: System },
  action: { name: string; entry: string; state: string; press(id: string): Promise<Page> },
  begin: () => Promise<string>,
): Flow {
  let id = '';
  const press = () => action.press(id);
  const { durable } = system.bridge.context.store;
  const stateOf = async () =>
    (await durable.selectFrom('mappings').select('state').where('id', '=', id).executeTakeFirst())?.state;
  return {
    name: action.name,
    async prepare() {
      id = await begin();
    },
    run: () => endOfAction(press),
    async again() {
      if ((await stateOf()) !== action.state) await press();
      const events = await durable
        .selectFrom('events')
        .select('action')
        .where('mapping_id', '=', id)
        .where('action', '=', action.entry)
        .execute();
      const isDone = (await stateOf()) === action.state && events.length === 1;
      return isDone ? DONE : wrong(`${await stateOf()}, ${events.length} entries`);
    },
  };
}

/** Staff revoke a token. The form counts once, and its reason stands in the history. */
export function revokeFlow(ground: { system: System }, browser: CookieWalker, accountId: string): Flow {
  const { system } = ground;
  const press = (id: string) => act(browser, `${system.bridgeUrl}/support/mappings/${id}/revoke`);
  const action = { name: 'revoke a token', entry: 'token_revoked', state: 'revoked', press };
  return actionFlow(ground, action, async () => (await waitingToken(system, { accountId })).id);
}

/** Staff take a revocation back. The token is as before, and it is taken back once. */
export function takeBackFlow(ground: { system: System }, browser: CookieWalker, accountId: string): Flow {
  const { bridge, bridgeUrl } = ground.system;
  let entryId = 0;
  const press = () => act(browser, `${bridgeUrl}/support/history/${entryId}/take-back`);
  const action = { name: 'take a revocation back', entry: 'token_taken_back', state: 'unmapped', press };
  return actionFlow(ground, action, async () => {
    const { id } = await waitingToken(ground.system, { accountId });
    await revokeByHand(bridge.context, {
      mappingId: id,
      actor: 'test',
      requestId: null,
      reason: 'by mistake',
    });
    entryId = await entryOf(bridge.context, id);
    return id;
  });
}
