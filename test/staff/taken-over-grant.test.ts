import { newHexId } from '../../src/shared/ids.ts';
import { markRestoredInDoubt } from '../../src/store/grants/restored.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { type GrantFacts, standingOf, type TokenFacts } from '../../src/domain/tokens/standing/standing.ts';
import { type SupportFacts, supportStatus } from '../../src/domain/tokens/standing/for-support.ts';
import { browserOf, DANA, wordsOf } from '../owners/support/people.ts';
import { staffBrowser } from './support/staff-browser.ts';

/** What support reads of a grant that a take-over put in doubt: no refresh was sent, so none is told of. */

let system: System;

beforeAll(async () => {
  system = await startSystem();
  await browserOf(system, DANA);
});

afterAll(() => system.stop());

test('the pages tell of no refresh that never was', async () => {
  const sam = await staffBrowser(system, 'reader');
  await issueToken(system);
  const db = system.bridge.context.store.durable;
  const { id, grant_id: grantId } = await db
    .selectFrom('mappings')
    .select(['id', 'grant_id'])
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow();
  const now = system.bridge.context.clock.now();
  await markRestoredInDoubt(db, [grantId ?? ''], { claimId: newHexId(), retryAt: now + 60_000, now });
  const told = [
    [`mappings/${id}`, 'stood in a restored copy that was taken over'],
    ['desks/in-doubt', 'or which come from a restored backup'],
  ] as const;
  for (const [page, says] of told) {
    const words = wordsOf(await sam.get(`${system.bridgeUrl}/support/${page}`));
    expect(words).toContain(says);
    expect(words).not.toContain('its renewal got no whole answer');
  }
  const desk = wordsOf(await sam.get(`${system.bridgeUrl}/support/desks/in-doubt`));
  expect(desk).toContain('restored copy, no refresh was sent');
});

const facts = (grant: GrantFacts): TokenFacts & SupportFacts => ({
  state: 'active',
  reason: null,
  source: 'imported',
  holder: 'account',
  isUnidentified: false,
  isUnproven: false,
  isAppRetired: false,
  oldApi: { phase: 'before', hasBackend: true },
  grant,
  cause: null,
  isOfTakeOver: true,
  hasOldApi: true,
  isLastRefused: false,
});

test.each([
  ['serves', true, /^It works for now, .*restored copy that was taken over/, /tried again by itself/],
  ['has expired', false, /^(?!.*whole answer).*restored copy .* expired/, /next attempt/],
])('the sentence of one whose access token %s', (_which, isServing, says, next) => {
  const all = facts({ state: 'in_doubt', isServing, isSuspect: false });
  const status = supportStatus(standingOf(all), all);
  expect(status.sentence).toMatch(says);
  expect(status.next).toMatch(next);
});
