import type { DueStage } from '../../../src/domain/reminders/people.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import type { System } from '../../support/bridge/system.ts';
import { BY_EMAIL, letterTo, NOW, RETIREMENT, SUNSET, toHolder, toOwner } from './letters.ts';

/** A chapter of letter.test.ts: what the subject line says of everything that may be due. */

const SUBJECTS: Array<[subject: string, due: (app: { clientId: string }) => DueStage[]]> = [
  ['“A” stops working tomorrow (19 January 2027)', (a) => [holder(a, { at: NOW + DAY })]],
  ['“A” stops working today (18 January 2027)', (a) => [holder(a, { at: NOW + 3_600_000 })]],
  ['“A” has stopped working (18 January 2027)', (a) => [holder(a, { at: NOW })]],
  ['“A” has stopped working (16 January 2027)', (a) => [holder(a, { at: NOW - 2 * DAY })]],
  ['“A” stops working in 134 days (1 June 2027)', (a) => [holder(a, { milestone: 'sunset', at: SUNSET })]],
  ['“A” has stopped working: connect it again', (a) => [holder(a, { stage: 'died' })]],
  ['“A” is in use again: connect it', (a) => [holder(a, { stage: 'woken' })]],
  ['“A” uses a token that you seem not to need', (a) => [holder(a, { stage: 'unused' })]],
  ['“A”: 12 tokens stop working in 14 days (1 February 2027)', (a) => [owner(a)]],
  [
    '“A”: 1 token stops working in 14 days (1 February 2027)',
    (a) => [owner(a, { part: { tokens: { waiting: 1, active: 0 } } })],
  ],
  ['“A” stops working in 134 days (1 June 2027)', (a) => [owner(a, { milestone: 'sunset', at: SUNSET })]],
  ['“A”: its tokens seem not to be used any more', (a) => [owner(a, { stage: 'unused' })]],
  ['“A” stops working in 14 days (1 February 2027)', (a) => [holder(a), owner(a)]],
  ['2 apps stop working in 14 days (1 February 2027)', (a) => [holder(a), holder(b(a))]],
  [
    '3 apps, or parts of them, stop working in 14 days (1 February 2027)',
    (a) => [holder(a), holder(b(a)), owner(c(a))],
  ],
  ['Parts of 2 apps stop working in 14 days (1 February 2027)', (a) => [owner(a), owner(b(a))]],
  [
    'Parts of 2 apps have stopped working',
    (a) => [owner(a, { at: NOW - 2 * DAY }), owner(b(a), { at: NOW - DAY })],
  ],
  [
    '2 apps, or parts of them, have stopped working: connect them again',
    (a) => [holder(a, { stage: 'died', part: { waiting: 2 } }), holder(b(a), { stage: 'died' })],
  ],
  [
    '2 apps stop working, the first in 14 days (1 February 2027)',
    (a) => [holder(a, { at: RETIREMENT + 9 * DAY }), holder(b(a))],
  ],
  [
    '“A” has stopped working: connect it again, and 1 more app to look at',
    (a) => [holder(b(a)), holder(a, { stage: 'died' })],
  ],
  [
    '2 apps have stopped working: connect them again',
    (a) => [holder(a, { stage: 'died' }), holder(b(a), { stage: 'died' })],
  ],
  [
    '“A” stops working in 14 days (1 February 2027), and 2 more apps to look at',
    (a) => [holder(b(a), { stage: 'unused' }), holder(a), holder(c(a), { stage: 'unused' })],
  ],
  [
    'Tokens of 2 apps seem not to be used any more',
    (a) => [owner(a, { stage: 'unused' }), owner(b(a), { stage: 'unused' })],
  ],
  [
    '2 apps use tokens that you seem not to need',
    (a) => [holder(a, { stage: 'unused' }), holder(b(a), { stage: 'unused' })],
  ],
];

type AnApp = { clientId: string };
const whole = (app: AnApp) => ({ clientSecret: '', callback: 'https://old.example/cb', ...app, name: 'A' });
const holder = (app: AnApp, more: Parameters<typeof toHolder>[1] = {}) => toHolder(whole(app), more);
const owner = (app: AnApp, more: Parameters<typeof toOwner>[1] = {}) => toOwner(whole(app), more);
const b = ({ clientId }: AnApp) => ({ clientId: clientId.replace(/^./, 'b') });
const c = ({ clientId }: AnApp) => ({ clientId: clientId.replace(/^./, 'c') });

export function subjects({ system }: { system: () => System }) {
  test.each(SUBJECTS)('%s', async (subject, due) => {
    // Known by the address alone, so that made-up apps need no link of their own.
    const said = await letterTo(system(), BY_EMAIL, due({ clientId: `a${'1'.repeat(23)}` }));
    expect(said.subject).toBe(subject);
  });
}
