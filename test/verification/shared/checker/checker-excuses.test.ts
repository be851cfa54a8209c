import type { RoundHistory } from './history.ts';
import { again, broken, call, type Change, entry, refusedExchange, row, SINCE } from './sound-history.ts';

/** Faults that stand beside something which looks like their excuse: each is seen all the same. */

const slowDown = { status: 429, hostile: 'slow-down' };

/** The bridge holds what it had before the presentation, which a living process seems to have dropped. */
const drop = (h: RoundHistory) => {
  h.notes = [{ at: SINCE + 109, pid: 1, process: 0, what: 'presented', token: 'r1' }];
  Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
};

const HIDDEN: Array<[string, string, Change]> = [
  [
    'a call that hung for longer than its machine kept it',
    'answered',
    (h) => {
      const { status: _none, ...hung } = call({ startedAt: SINCE + 500, endedAt: SINCE + 40_500 });
      h.calls.push({ ...hung, failure: 'hung', stood: 30_000 });
    },
  ],
  [
    'a second presentation that itself gets the answer which proves something',
    'I3',
    (h) => {
      again(h, 5);
      const { next: _none, ...first } = entry(h);
      h.received.push({ ...first, ...slowDown, at: SINCE + 116, answeredAt: SINCE + 117 });
    },
  ],
  [
    'two presentations at once, of which the first is proven when the second has left',
    'I3',
    (h) => {
      again(h, 2);
      const { next: _none, ...first } = entry(h);
      entry(h).at = SINCE + 113;
      h.received.unshift({ ...first, ...slowDown, answeredAt: SINCE + 114 });
    },
  ],
  [
    'a third presentation at once after a proof about the second, while the first is in doubt',
    'I3',
    (h) => {
      again(h, 2490);
      again(h, 2590);
      const { next: _none, ...second } = entry(h);
      entry(h).at = SINCE + 2701;
      h.received.unshift({ ...second, ...slowDown, at: SINCE + 2601, answeredAt: SINCE + 2602 });
    },
  ],
  [
    'a third presentation that nothing allowed but what introspection had said before the second',
    'I3',
    (h) => {
      h.introspects = true;
      again(h, 2890);
      again(h, 5890);
      const said = { at: SINCE + 2998, kind: 'introspection', token: 'r1', active: true } as const;
      h.received.push({ ...said, repeated: false, status: 200 });
    },
  ],
  [
    'a second presentation while the access token lived, beside the end of that of another grant',
    'I3',
    (h) => {
      again(h, 2500);
      h.expiries = [{ at: SINCE + 90, grantId: 'another' }];
    },
  ],
  [
    'a refresh that was received and that nobody saw leaving',
    'I3',
    (h) => {
      const { next: _none, ...first } = entry(h);
      h.received.push({ ...first, at: SINCE + 140, status: 400, error: 'invalid_grant' });
    },
  ],
  [
    'a refusal before the end of its grant',
    'answered',
    (h) => {
      h.calls.push(call({ status: 401 }));
      Object.assign(row(h), { state: 'dead', deadCause: 'refused', deadAt: SINCE + 9000 });
      h.mappings[0]!.state = 'reauthorization_required';
    },
  ],
  [
    "a refusal beside the end of another app's grant",
    'answered',
    (h) => {
      h.calls.push(call({ startedAt: SINCE + 500, endedAt: SINCE + 510, status: 401 }));
      h.grants.push({
        ...row(h),
        id: 'x',
        clientId: 'other',
        state: 'dead',
        deadCause: 'lost',
        deadAt: SINCE,
      });
    },
  ],
  [
    'a deauthorized grant of which nobody is told, beside revocations of earlier rounds',
    'revocation',
    (h) => {
      h.received.push({ ...entry(h), at: SINCE - 90_000, kind: 'revocation', token: 'old' });
      h.owed.push('older');
      h.owedBefore.push('older');
      h.calls.push(call({ operation: 'deauthorize', startedAt: SINCE + 300, endedAt: SINCE + 350 }));
      h.events.push({ at: SINCE + 340, action: 'deauthorized', grantId: 'g', mappingId: null });
      Object.assign(row(h), { state: 'dead', deadCause: 'deauthorized', deadAt: SINCE + 340 });
      delete row(h).token;
    },
  ],
  [
    'a pair that a living process did not notice, near in time to the end of the other process',
    'answer lost',
    (h) => {
      drop(h);
      h.outages.push({ process: 1, pid: 2, from: SINCE + 1500, until: SINCE + 2000, wanted: true });
    },
  ],
  [
    'a pair that a process did not notice after a pause shorter than the quiet time',
    'answer lost',
    (h) => {
      drop(h);
      h.pauses.push({ process: 0, pid: 1, from: SINCE + 110, until: SINCE + 1400 });
    },
  ],
  [
    'a pair that a machine held which was cut off from the database, and that was thrown away with its grant',
    'answer lost',
    (h) => {
      h.introspects = true;
      h.cuts.push({ process: 0, from: SINCE + 119, until: SINCE + 9000 });
      h.notes = h.notes.filter(({ what }) => what === 'received');
      h.received.push({ ...entry(h), at: SINCE + 9100, kind: 'revocation', token: 'r2' });
      Object.assign(row(h), {
        state: 'dead',
        deadCause: 'lost',
        deadAt: SINCE + 7000,
        version: 1,
        token: 'r1',
      });
    },
  ],
  [
    'the same of a process that was paused past the quiet time',
    'answer lost',
    (h) => {
      h.introspects = true;
      h.pauses.push({ process: 0, pid: 1, from: SINCE + 110, until: SINCE + 9000 });
      h.notes = h.notes.filter(({ what }) => what === 'received');
      Object.assign(row(h), {
        state: 'dead',
        deadCause: 'lost',
        deadAt: SINCE + 7000,
        version: 1,
        token: 'r1',
      });
    },
  ],
  [
    'a refusal after the late pair of its grant had come',
    'answered',
    (h) => {
      h.calls.push(call({ startedAt: SINCE + 900, endedAt: SINCE + 910, status: 401 }));
      h.events.push({ at: SINCE + 300, action: 'grant_died', grantId: 'g', mappingId: null });
      h.events.push({ at: SINCE + 500, action: 'grant_revived', grantId: 'g', mappingId: null });
    },
  ],
  [
    'the refusal of a token that was given back in vain, beside a newer grant',
    'answered',
    (h) => {
      h.calls.push(call({ operation: 'deauthorize', status: 503, endedAt: SINCE + 450 }));
      h.calls.push(call({ startedAt: SINCE + 2900, endedAt: SINCE + 2910, status: 401 }));
      Object.assign(row(h), { state: 'dead', deadCause: 'replaced', deadAt: SINCE + 340 });
      h.grants.push({ ...row(h), id: 'newer', state: 'ready', deadAt: null, deadCause: null });
      h.events.push({ at: SINCE + 340, action: 'granted', grantId: 'newer', mappingId: null });
    },
  ],
  ['a code that is refused and gave nobody a token', 'I1', (h) => h.calls.push(refusedExchange())],
  ['a caller who waits for too long', 'answered', (h) => h.calls.push(call({ endedAt: SINCE + 9100 }))],
  [
    'a grant that died of the deauthorization of another app',
    'grant lost',
    (h) => {
      h.withSibling.push('g');
      h.calls.push(call({ operation: 'deauthorize', secret: 'other-token', endedAt: SINCE + 350 }));
      Object.assign(row(h), { state: 'dead', deadCause: 'deauthorized', deadAt: SINCE + 340 });
    },
  ],
  [
    'a grant that was replaced by none',
    'grant lost',
    (h) => Object.assign(row(h), { state: 'dead', deadCause: 'replaced', deadAt: SINCE + 340 }),
  ],
  ['a grant that lives and served nobody', 'answered', (h) => (h.calls = [call({ status: 503 })])],
  [
    'a grant that served nobody long after the database was back',
    'answered',
    (h) => {
      h.databaseAway = { from: SINCE - 3000, until: SINCE - 2000 };
      h.calls = [call({ status: 503 })];
    },
  ],
];

test.each(HIDDEN)('%s is a violation', (_words, invariant, change) => {
  expect(broken(change)).toContain(invariant);
});

test('a refusal while a busy machine still commits the newer grant is none', () => {
  const violations = broken((h) => {
    h.calls.push(call({ startedAt: SINCE + 900, endedAt: SINCE + 910, status: 401 }));
    Object.assign(row(h), { state: 'dead', deadCause: 'replaced', deadAt: SINCE + 340 });
    h.grants.push({ ...row(h), id: 'newer', state: 'ready', deadAt: null, deadCause: null });
    delete h.grants[1]?.token;
    h.events.push({ at: SINCE + 340, action: 'granted', grantId: 'newer', mappingId: null });
  });
  expect(violations).toEqual([]);
});

test.each([
  { status: 200, told: { action: 'deauthorized', mappingId: null } },
  { status: 401, told: { action: 'token_revoked', mappingId: 'm' } },
])(
  'a token that was given back after its grant had ended is refused rightly, also beside a newer grant: $status',
  ({ status, told }) => {
    const violations = broken((h) => {
      h.calls.push(call({ operation: 'deauthorize', status, startedAt: SINCE + 400, endedAt: SINCE + 450 }));
      h.calls.push(call({ startedAt: SINCE + 900, endedAt: SINCE + 910, status: 401 }));
      h.events.push({ at: SINCE + 440, grantId: null, ...told });
      Object.assign(row(h), { state: 'dead', deadCause: 'replaced', deadAt: SINCE + 340 });
      h.grants.push({ ...row(h), id: 'newer', state: 'ready', deadAt: null, deadCause: null });
      delete h.grants[1]?.token;
      h.events.push({ at: SINCE + 340, action: 'granted', grantId: 'newer', mappingId: null });
    });
    expect(violations).toEqual([]);
  },
);
