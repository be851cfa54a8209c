import { newLegacyCode, newLegacyToken } from '../../../../src/shared/ids.ts';
import type { RawAnswer, RawRequest } from '../../../support/callers/raw-request.ts';
import { rawForm } from '../../../support/callers/raw-request.ts';
import { exchangeFields } from '../../../support/callers/legacy-calls.ts';
import { carriedBy, CARRIERS } from '../../shared/carriers.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { type GoodStatus, type SentCall, UNKNOWN_TOKEN } from '../record.ts';
import type { ChaosApp, ChaosRun } from '../run.ts';
import type { Caller } from './caller.ts';

/** The calls of old programs, each with a number by which the balancer's log names it. */

/** Longer than any caller may be kept waiting: the wait for a refresh, one answer of the new API, and a busy machine. */
const PATIENCE_MS = 45_000;

interface MeantCall {
  what: string;
  request: RawRequest;
  expected: readonly GoodStatus[];
  app?: ChaosApp;
  /** One of the programs where it is not said. */
  caller?: Caller;
}

let numbers = 0;

/** A number that no other call or walk has. */
export const nextNumber = (kind: 'call' | 'walk'): string => `${kind}-${(numbers += 1)}`;

async function withPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('hung')), PATIENCE_MS);
  });
  return Promise.race([work, hung]).finally(() => clearTimeout(timer));
}

const isAgain = ({ status, headers }: RawAnswer) => status === 503 && headers['retry-after'] !== undefined;

/** Makes a call through the balancer and records its outcome; the answer, where one came. */
async function callBridge(
  run: ChaosRun,
  chance: Chance,
  { what, request, expected, app, caller = chance.pick(run.callers.programs) }: MeantCall,
): Promise<RawAnswer | undefined> {
  const id = nextNumber('call');
  const { address } = caller;
  const call: SentCall = { id, what, address, startedAt: Date.now(), endedAt: 0, isAgain: false, expected };
  const answer = await withPatience(caller.send(id, request)).catch((error: Error) => {
    call.failure = error.message;
  });
  call.endedAt = Date.now();
  if (answer) Object.assign(call, { status: answer.status, isAgain: isAgain(answer) });
  if (answer && !expected.some((status) => status === answer.status)) {
    call.text = answer.text.slice(0, 300);
    if (app && [401, 503].includes(answer.status))
      call.standing = await run.database.standingOf(app.clientId, call);
  }
  run.record.calls.push(call);
  return answer || undefined;
}

const CACHED = ['/1/user.json', '/1/profiles.json'];

export async function readCached(run: ChaosRun, chance: Chance): Promise<void> {
  const app = chance.pick(run.apps);
  const request = carriedBy(chance.pick(CARRIERS), chance.pick(CACHED), chance.pick(app.tokens));
  await callBridge(run, chance, { what: 'cached read', request, expected: [200], app });
}

/** Asked of the new API each time. */
export function readPending(run: ChaosRun, chance: Chance, app: ChaosApp, token = chance.pick(app.tokens)) {
  const path = `/1/profiles/${app.holder.profile}/updates/pending.json`;
  const request = carriedBy(chance.pick(CARRIERS), path, token);
  return callBridge(run, chance, { what: 'read of posts', request, expected: [200], app });
}

const NEW_TOKEN_SHARE = 0.2;

/** One that the bridges have never seen is shown to the newer version alone: an older one may refuse it in a race. */
function someOldToken({ topology }: ChaosRun, chance: Chance): string {
  const { oldTokens, machines } = topology;
  const isNewer = machines.every(({ version }) => version === 'newer');
  if (isNewer && chance.happens(NEW_TOKEN_SHARE)) oldTokens.push(newLegacyToken());
  return chance.happens(0.5) ? (oldTokens.at(-1) ?? '') : chance.pick(oldTokens);
}

/** With a token that the old API answers. */
export async function readOldApi(run: ChaosRun, chance: Chance): Promise<void> {
  const request = carriedBy(chance.pick(CARRIERS), '/1/user.json', someOldToken(run, chance));
  await callBridge(run, chance, { what: 'token of the old API', request, expected: [200] });
}

function readUnknownFrom(run: ChaosRun, chance: Chance, caller: Caller) {
  const request = carriedBy(chance.pick(CARRIERS), '/1/user.json', newLegacyToken());
  return callBridge(run, chance, { what: UNKNOWN_TOKEN, request, expected: [401], caller });
}

/** A program with a token that ended long ago. Each sends too few for any limit. */
export async function readUnknown(run: ChaosRun, chance: Chance): Promise<void> {
  await readUnknownFrom(run, chance, chance.pick(run.callers.programs));
}

const GUESSES_AT_ONCE = 3;

/** Tokens are tried out, from one address. */
export async function guessTokens(run: ChaosRun, chance: Chance): Promise<void> {
  const guesses = Array.from({ length: GUESSES_AT_ONCE }, () =>
    readUnknownFrom(run, chance, run.callers.guesser),
  );
  await Promise.all(guesses);
}

function exchangeRequest(app: ChaosApp, code: string): RawRequest {
  const body = new URLSearchParams(exchangeFields(app, code)).toString();
  return { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) };
}

export async function exchangeUnknown(run: ChaosRun, chance: Chance): Promise<void> {
  const request = exchangeRequest(chance.pick(run.apps), newLegacyCode());
  await callBridge(run, chance, { what: 'unknown code', request, expected: [400] });
}

/** Of a code that was given just now; `expected` has 400 where an attempt before got no answer. */
export function exchangeGiven(
  run: ChaosRun,
  chance: Chance,
  { app, code, expected }: { app: ChaosApp; code: string; expected: readonly GoodStatus[] },
) {
  return callBridge(run, chance, { what: 'exchange', request: exchangeRequest(app, code), expected, app });
}
