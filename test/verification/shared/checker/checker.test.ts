import { checkRound } from './checker.ts';
import {
  again,
  broken,
  call,
  type Change,
  entry,
  exchangeCall,
  killed,
  refusedExchange,
  row,
  SINCE,
  sound,
} from './sound-history.ts';

/** The checker on histories written by hand: a sound one passes, and each invariant is seen when it is broken. */

test('a sound history has no violation', () => {
  expect(broken(() => undefined)).toEqual([]);
});

const VIOLATIONS: Array<[string, string, Change]> = [
  ['a code that gave two tokens', 'I1', (h) => h.calls.push(exchangeCall(), exchangeCall())],
  [
    'an answer after a deauthorization',
    'I2',
    (h) => {
      h.calls.unshift(call({ operation: 'deauthorize', startedAt: SINCE + 1, endedAt: SINCE + 50 }));
      h.events.push({ at: SINCE + 40, action: 'deauthorized', grantId: 'g', mappingId: null });
    },
  ],
  ['a second presentation at once', 'I3', (h) => again(h, 300)],
  [
    'a second presentation after the quiet time, beside another live grant',
    'I3',
    (h) => {
      again(h, 2500);
      h.withSibling.push('g');
    },
  ],
  [
    'a second presentation while the access token lived',
    'I3',
    (h) => {
      again(h, 2500);
      h.expiries = [];
    },
  ],
  [
    'a second presentation without introspection saying that it is live',
    'I3',
    (h) => {
      again(h, 2500);
      h.introspects = true;
    },
  ],
  ['a stored token that never came', 'I4', (h) => (row(h).token = 'r3')],
  ['a version that is ready and spent', 'I11', (h) => Object.assign(row(h), { version: 1, token: 'r1' })],
  [
    'a pair that a living process received and that is not stored',
    'answer lost',
    (h) => Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' }),
  ],
  [
    'a pair that was kept before its process was killed and that is not stored',
    'answer lost',
    (h) => {
      h.outages.push(killed);
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  [
    'a pair that a living process did not notice',
    'answer lost',
    (h) => {
      h.notes = [];
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  [
    'a pair that a living process did not notice while another connection met a fault',
    'answer lost',
    (h) => {
      const crossing = { fault: 'cut', isRepetition: false } as const;
      h.received.push({ at: SINCE + 105, kind: 'other', repeated: false, crossing });
      h.notes = [];
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  [
    'two refused codes that gave nobody a token, of which one was made',
    'I1',
    (h) => {
      for (const secret of ['one', 'other']) h.calls.push({ ...refusedExchange(), secret });
      h.events.push({ at: SINCE + 140, action: 'token_issued', grantId: null, mappingId: 'unheard' });
    },
  ],
  [
    'a presentation after the end of its grant',
    'I3',
    (h) => {
      again(h, 2500);
      Object.assign(row(h), {
        state: 'dead',
        deadCause: 'lost',
        deadAt: SINCE + 2000,
        token: 'r1',
        version: 1,
      });
    },
  ],
  [
    'a caller who is turned away while the access token lives',
    'P1',
    (h) => {
      h.served = { from: SINCE, until: SINCE + 1000 };
      h.calls.push(call({ status: 503 }));
    },
  ],
  ['an answer before its commit', 'I5', (h) => (h.calls[0]!.committed = false)],
  ['a token without an entry in the history', 'I5', (h) => h.calls.push(exchangeCall())],
  [
    'two entries for one consent',
    'I5',
    (h) => {
      const granted = { at: SINCE + 1, action: 'granted', grantId: 'g', mappingId: null };
      h.events.push(granted, { ...granted });
    },
  ],
  ['a secret in a log', 'I6', (h) => h.leaks.push('abcd… in a line')],
  [
    'an answer of token.json that may be cached',
    'I8',
    (h) => h.calls.push(exchangeCall({ status: 400, issued: undefined as never, headers: {} })),
  ],
  ['a process that ended by itself', 'I9', (h) => h.outages.push({ ...killed, wanted: false })],
  ['two token requests without a fault', 'I12', (h) => h.calm.push({ requests: 2, statuses: [200] })],
  ['a caller without a fault who is not served', 'I12', (h) => h.calm.push({ requests: 1, statuses: [503] })],
  [
    'a call without an answer from a living process',
    'answered',
    (h) => h.calls.push({ ...call({}), status: undefined as never, failure: 'socket hang up' }),
  ],
  ['an error of the bridge itself', 'answered', (h) => h.calls.push(call({ status: 500 }))],
  ['a refusal while the grant lives', 'answered', (h) => h.calls.push(call({ status: 401 }))],
  [
    'a grant that died of nothing',
    'grant lost',
    (h) => Object.assign(row(h), { state: 'dead', deadCause: 'refused', deadAt: SINCE + 200 }),
  ],
  [
    'a deauthorized grant of which the modern side is not told',
    'revocation',
    (h) => {
      h.calls.push(call({ operation: 'deauthorize', startedAt: SINCE + 300, endedAt: SINCE + 350 }));
      h.events.push({ at: SINCE + 340, action: 'deauthorized', grantId: 'g', mappingId: null });
      Object.assign(row(h), { state: 'dead', deadCause: 'deauthorized', deadAt: SINCE + 340 });
    },
  ],
  ['a grant that never comes to rest', 'settled', (h) => h.unsettled.push('grant g')],
];

test.each(VIOLATIONS)('%s is a violation', (_words, invariant, change) => {
  expect(broken(change)).toContain(invariant);
});

const ALLOWED: Array<[string, Change]> = [
  [
    'a refusal while its grant was given up, before its late pair came',
    (h) => {
      h.calls.push(call({ startedAt: SINCE + 400, endedAt: SINCE + 410, status: 401 }));
      h.events.push({ at: SINCE + 300, action: 'grant_died', grantId: 'g', mappingId: null });
      h.events.push({ at: SINCE + 500, action: 'grant_revived', grantId: 'g', mappingId: null });
    },
  ],
  [
    'nobody who is served by a machine that is cut off from the database',
    (h) => {
      h.cuts.push({ process: 0, from: SINCE + 50, until: SINCE + 120 });
      h.calls = [call({ status: 503 })];
    },
  ],
  [
    'a second presentation after the quiet time and the end of the access token, with nothing else to lose',
    (h) => again(h, 2500),
  ],
  [
    'a second presentation that introspection allowed',
    (h) => {
      again(h, 2500);
      h.introspects = true;
      const said = { at: SINCE + 2500, kind: 'introspection', token: 'r1', active: true } as const;
      h.received.push({ ...said, repeated: false, status: 200 });
    },
  ],
  [
    'a second presentation at once, after an answer that proves that nothing was spent',
    (h) => {
      again(h, 300);
      const { next: _none, ...first } = entry(h);
      h.received.unshift({ ...first, status: 429, hostile: 'slow-down' });
      entry(h).answeredAt = SINCE + 115;
      h.received[1]!.at = SINCE + 411;
    },
  ],
  [
    'a pair that went down with its process before anything could keep it',
    (h) => {
      h.outages.push(killed);
      h.notes = h.notes.filter(({ what }) => what === 'received');
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  [
    'a call without an answer from a process that was killed meanwhile',
    (h) => {
      h.outages.push(killed);
      h.calls.push({ ...call({}), status: undefined as never, failure: 'socket hang up' });
    },
  ],
  [
    'a pair that a process could not read while it was paused past the quiet time',
    (h) => {
      h.notes = [{ at: SINCE + 109, pid: 1, process: 0, what: 'presented', token: 'r1' }];
      h.pauses.push({ process: 0, pid: 1, from: SINCE + 110, until: SINCE + 3000 });
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  [
    'nobody who is served but who called while the database was down',
    (h) => {
      h.databaseAway = { from: SINCE + 120, until: SINCE + 140 };
      h.calls = [call({ status: 503, endedAt: SINCE + 110 }), call({})];
    },
  ],
  [
    'nobody who is served while the database is down',
    (h) => {
      h.databaseAway = { from: SINCE + 50, until: SINCE + 120 };
      h.calls = [call({ status: 503 })];
    },
  ],
  [
    'a caller who waits for a process that is paused',
    (h) => {
      h.pauses.push({ process: 0, pid: 1, from: SINCE + 110, until: SINCE + 9000 });
      h.calls.push(call({ endedAt: SINCE + 9100 }));
    },
  ],
  [
    'a code that went down with its process',
    (h) => {
      h.outages.push(killed);
      h.calls.push(refusedExchange());
    },
  ],
  [
    'a refusal after the end of its grant',
    (h) => {
      h.calls.push(call({ startedAt: SINCE + 300, endedAt: SINCE + 310, status: 401 }));
      h.calls.push(call({ operation: 'deauthorize', startedAt: SINCE + 200, endedAt: SINCE + 250 }));
      h.events.push({ at: SINCE + 240, action: 'deauthorized', grantId: 'g', mappingId: null });
      h.owed.push('r2');
      Object.assign(row(h), { state: 'dead', deadCause: 'deauthorized', deadAt: SINCE + 240 });
    },
  ],
  [
    'a grant that a newer one replaced',
    (h) => {
      Object.assign(row(h), { state: 'dead', deadCause: 'replaced', deadAt: SINCE + 340 });
      h.grants.push({ ...row(h), id: 'newer', state: 'ready', deadAt: null, deadCause: null });
      delete h.grants[1]?.token;
      h.events.push({ at: SINCE + 340, action: 'granted', grantId: 'newer', mappingId: null });
    },
  ],
  [
    'a pair that the network took away',
    (h) => {
      entry(h).crossing = { fault: 'cut', isRepetition: false };
      h.notes = [];
      Object.assign(row(h), { state: 'in_doubt', version: 1, token: 'r1' });
    },
  ],
  ['the last known answer not being there', (h) => h.calls.push(call({ status: 503 }))],
];

test.each(ALLOWED)('%s is none', (_words, change) => {
  expect(broken(change)).toEqual([]);
});

test('presentations are counted by what allowed them', () => {
  const history = sound();
  again(history, 2500);
  again(history, 2700);
  expect(checkRound(history).counts).toEqual({ underRule: 1, afterProof: 0, outside: 1 });
});
