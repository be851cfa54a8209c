import { authorizeIn, read } from '../../../support/callers/legacy-calls.ts';
import type { LegacyApp } from '../../../support/callers/authorize.ts';
import { CookieWalker } from '../../../support/callers/cookie-walker.ts';
import { endOf, type Flow, type FlowEnd, wrong } from './flow.ts';
import { endOfCall, type RecordedCalls } from './recorded-calls.ts';
import type { CallStage } from './stage.ts';

/** The main flows of an old integration and its people. */

export interface FlowGround {
  stage: CallStage;
  calls: RecordedCalls;
}

const DONE: FlowEnd = { kind: 'done', said: '' };

/** The account holder lets an app in; the code. */
async function consent(
  { door }: CallStage,
  browser: CookieWalker,
  app: LegacyApp = door.app,
): Promise<string> {
  const { code, location } = await authorizeIn(door, { browser, app, state: 's' });
  if (code === undefined) throw new Error(`no code in ${location}`);
  return decodeURIComponent(code);
}

/** What a person is told, who got no code: on a page that says to try again, or at the app with such an error. */
function endOfConsent(error: unknown): FlowEnd {
  const said = String(error);
  const isTold = /\(503\)|\?error=(temporarily_unavailable|server_error)&state=s$/.test(said);
  return { kind: isTold ? 'unavailable' : 'wrong', said: said.slice(-300) };
}

/** From the old authorize address to the callback, in a browser that is signed in at the new API. */
export function consentFlow({ stage, calls }: FlowGround): Flow {
  const browser = new CookieWalker();
  let code: string | undefined;
  return {
    name: 'consent',
    prepare: async () => void (code = undefined),
    run: () =>
      consent(stage, browser).then((given) => {
        code = given;
        return DONE;
      }, endOfConsent),
    async again() {
      try {
        const given = code ?? (await consent(stage, browser));
        const { token, ...call } = await calls.exchange(stage.door.app, given);
        return token === undefined ? endOfCall(call) : endOfCall(await calls.read(token));
      } catch (error) {
        return wrong(String(error).slice(-300));
      }
    },
  };
}

/** A code for a token. A code that was not exchanged is still good. */
export function exchangeFlow({ stage, calls }: FlowGround): Flow {
  const { door, connected } = stage;
  let [code, token] = ['', undefined as string | undefined];
  const exchangeNow = async (): Promise<FlowEnd> => {
    const { token: given, ...call } = await calls.exchange(door.app, code);
    token = given;
    return endOfCall(call);
  };
  return {
    name: 'exchange',
    async prepare() {
      [code, token] = [await connected.mint(), undefined];
      // However slow the machine is, the code outlives its faults.
      const hour = Date.now() + 3_600_000;
      await door.bridge.context.store.durable.updateTable('legacy_codes').set({ expires_at: hour }).execute();
    },
    run: exchangeNow,
    async again() {
      const end = token === undefined ? await exchangeNow() : DONE;
      return token === undefined ? end : endOfCall(await calls.read(token));
    },
  };
}

/** A read that is answered from what the bridge knows. */
export function cachedReadFlow({ stage }: FlowGround, path: string): Flow {
  const readNow = async () => endOf(await read(stage.door, path, stage.connected.token));
  return {
    name: `cached ${path}`,
    prepare: async () => void (await readNow()),
    run: readNow,
    again: readNow,
  };
}

/** A read that asks the new API; with `isExpired` after a refresh. */
export function uncachedReadFlow({ stage, calls }: FlowGround, { isExpired }: { isExpired: boolean }): Flow {
  const { door, connected } = stage;
  const { durable, volatile } = door.bridge.context.store;
  const forget = () => volatile.deleteFrom('answers').execute();
  const readNow = async () => endOfCall(await calls.read(connected.token));
  return {
    name: isExpired ? 'uncached read with a refresh' : 'uncached read',
    async prepare() {
      await forget();
      if (isExpired) await calls.expire(door.app.clientId);
    },
    run: readNow,
    async again() {
      await durable.updateTable('grants').set({ retry_at: 0 }).where('state', '=', 'ready').execute();
      await forget();
      return readNow();
    },
  };
}

/** The end of a token. It is ended once, however often it is asked for. */
export function deauthorizeFlow({ stage, calls }: FlowGround): Flow {
  const { door } = stage;
  const browser = new CookieWalker();
  let token = '';
  return {
    name: 'deauthorize',
    async prepare() {
      const app = await door.addApp();
      const { token: given = '' } = await calls.exchange(app, await consent(stage, browser, app));
      token = given;
    },
    run: async () => endOfCall(await calls.deauthorize(token)),
    async again({ kind }) {
      // The answer to a commit may have been lost although the token was ended.
      const end = endOfCall(await calls.deauthorize(token), kind === 'done' ? [401] : [200, 401]);
      return end.kind === 'done' ? endOfCall(await calls.read(token), [401]) : end;
    },
  };
}
