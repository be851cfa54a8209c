import { setTimeout as delay } from 'node:timers/promises';
import { newLegacyToken } from '../../../../src/shared/ids.ts';
import { recordCall } from '../../shared/calls.ts';
import { carriedBy, CARRIERS } from '../../shared/carriers.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { type SoakApp, someLive } from '../fleet.ts';
import { countCall } from '../ledger.ts';
import { type SoakRun, someMachine } from '../run.ts';
import { otherCall } from './other-call.ts';

/** Reads with tokens of every kind, by all three carriers. */

const CACHED = ['/1/user.json', '/1/profiles.json', '/1/profiles.json', '/1/profiles.json'];

/** Asked of the new API each time, or nearly so. */
const uncached = (profile: string) => [
  `/1/profiles/${profile}/updates/pending.json`,
  `/1/profiles/${profile}/updates/sent.json`,
];

interface MeantRead {
  what: string;
  path: string;
  token: string;
  app?: SoakApp;
}

/** A read that the checker judges: 401 only where the token has really ended. Answers the status. */
async function read(
  run: SoakRun,
  chance: Chance,
  { what, path, token, app }: MeantRead,
): Promise<number | undefined> {
  const { index, url } = someMachine(run, chance);
  const carrier = chance.pick(CARRIERS);
  const request = carriedBy(carrier, path, token);
  const { patience } = run.options.pace;
  const call = await recordCall({ operation: 'read', process: index, url, secret: token, request, patience });
  countCall(run.ledger, `${what}, ${carrier}`, call);
  const isExpected = call.status === 200 || call.status === 401 || call.status === 503;
  // an answer that is as it should be needs no more room than its status
  run.ledger.calls.push(isExpected ? { ...call, headers: {}, body: '' } : call);
  if (call.status === 401 && app) app.isRefused = true;
  return call.status;
}

export async function readCached(run: SoakRun, chance: Chance): Promise<void> {
  const found = someLive(run.fleet, chance);
  if (found) await read(run, chance, { what: 'cached read', path: chance.pick(CACHED), ...found });
}

export async function readUncached(run: SoakRun, chance: Chance): Promise<void> {
  const found = someLive(run.fleet, chance);
  if (!found) return;
  const path = chance.pick(uncached(found.app.holder.profile));
  await read(run, chance, { what: 'uncached read', path, ...found });
}

export async function readEnded(run: SoakRun, chance: Chance): Promise<void> {
  const { ended } = run.fleet;
  if (ended.length === 0) return;
  await read(run, chance, { what: 'ended token', path: chance.pick(CACHED), token: chance.pick(ended) });
}

/** A token that nobody knows, or that waits for its holder: refused with 401. */
export async function readRefused(run: SoakRun, chance: Chance): Promise<void> {
  const { apps, imported } = run.fleet;
  const [what, token] = chance.pick<[string, string]>([
    ['unknown token', newLegacyToken()],
    ['waiting token', imported.length > 0 ? chance.pick(imported) : newLegacyToken()],
    ['owner token', chance.pick(apps).ownerToken],
  ]);
  const request = carriedBy(chance.pick(CARRIERS), chance.pick(CACHED), token);
  await otherCall(run, chance, { what, request, allowed: [401, 503] });
}

const SHOWN_AT_MOST = 5;
const BETWEEN_SHOWS_MS = 300;
const CALLED_AT_MOST = 20;

/** When everything is at rest: whether a token is answered, served or refused. */
export async function isAnswered(run: SoakRun, chance: Chance, token: string): Promise<boolean> {
  for (let n = 0; n < CALLED_AT_MOST; n += 1) {
    const status = await read(run, chance, { what: 'read at rest', path: '/1/profiles.json', token });
    if (status === 200 || status === 401) return true;
    await delay(BETWEEN_SHOWS_MS);
  }
  return false;
}

/** Calls with a token until it was looked up. */
export async function showToken(run: SoakRun, chance: Chance, token: string): Promise<void> {
  for (let n = 0; n < SHOWN_AT_MOST; n += 1) {
    const request = carriedBy(chance.pick(CARRIERS), '/1/user.json', token);
    const answer = await otherCall(run, chance, { what: 'shown token', request, allowed: [200, 401, 503] });
    if (answer && answer.status !== 503) return;
    await delay(BETWEEN_SHOWS_MS);
  }
}
