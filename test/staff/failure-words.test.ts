import type { ReminderMail } from '../../src/domain/support/describe-mapping.ts';
import { deliveryWords, mailLines, stageWords } from '../../src/http/support/token/mail-words.ts';
import { failureWords } from '../../src/http/support/token/failure-words.ts';
import { actionsFor } from '../../src/http/support/actions/action-list.ts';
import { pageNoticeOf } from '../../src/http/pages/notices.ts';

/** What support reads of mails, actions and their ends, as pure functions. */

test.each([
  ['the mail server answered 550 5.1.1', 'there is no such mailbox (550 5.1.1)'],
  ['EENVELOPE 550 5.1.1', 'there is no such mailbox (550 5.1.1)'],
  ['the mail server answered 550', 'there is no such mailbox, or it takes no mail (550)'],
  ['the mail server answered 552 5.2.2', 'the mailbox is full (552 5.2.2)'],
  ['the mail server answered 450', 'the mail server could not take it then (450)'],
  ['the mail server answered 554 5.7.1', 'the mail server does not allow the mail (554 5.7.1)'],
  ['the mail server answered 554', 'the mail server refused the mail (554)'],
  ['no address is known', 'no address is known'],
])('a mail that failed with “%s” says: %s', (failure, words) => {
  expect(failureWords(failure)).toBe(words);
});

test.each([
  ['secret-retired', 'ok'],
  ['too-late', 'warning'],
  ['token-ended', 'warning'],
  ['extended-not-in-full', 'warning'],
  ['nothing-waits', ''],
])('the notice %s is of the kind “%s”', (name, kind) => {
  expect(pageNoticeOf(name)?.kind).toBe(kind);
});

test('one action at most stands out, and it is the one that the next step names', () => {
  const none = { hasGrant: false, canConnect: true, hasEnded: false };
  const facts = { mappingId: 'm', state: 'unmapped', ...none } as const;
  const primary = (rest: { accountId: string | null; email: string | null; isUnidentified: boolean }) =>
    actionsFor('lead', { ...facts, isAssignable: rest.isUnidentified, ...rest })
      .filter(({ kind }) => kind === 'primary')
      .map(({ name }) => name);
  expect(primary({ accountId: 'a', email: null, isUnidentified: false })).toEqual(['link']);
  expect(primary({ accountId: null, email: 'a@b.example', isUnidentified: false })).toEqual(['remind']);
  expect(primary({ accountId: 'a', email: null, isUnidentified: true })).toEqual(['assign']);
  expect(primary({ accountId: null, email: 'a@b.example', isUnidentified: true })).toEqual(['assign']);
  expect(primary({ accountId: null, email: null, isUnidentified: false })).toEqual([]);
});

test('of a retired app, and once the old API has ended, no link and no reminder is offered, for nothing makes its tokens work', () => {
  const facts = {
    mappingId: 'm',
    accountId: 'a',
    email: null,
    hasGrant: false,
    isUnidentified: false,
    isAssignable: false,
    canConnect: true,
    hasEnded: false,
  } as const;
  for (const state of ['unmapped', 'reauthorization_required'] as const) {
    const names = (rest: Partial<Parameters<typeof actionsFor>[1]>) =>
      actionsFor('lead', { ...facts, state, ...rest }).map(({ name }) => name);
    expect(names({})).toEqual(['link', 'remind', 'revoke']);
    expect(names({ canConnect: false })).toEqual(['revoke']);
    expect(names({ canConnect: false, hasEnded: true })).toEqual(['revoke']);
    expect(names({ canConnect: false, hasEnded: true, accountId: null, email: 'a@b.example' })).toEqual([
      'revoke',
    ]);
  }
});

test('a mail is told of with what became of it', () => {
  const mail = { attempts: 0, failure: null, settled_at: null };
  expect(deliveryWords({ ...mail, state: 'sent' })).toMatchObject({ label: 'sent', kind: 'ok' });
  expect(deliveryWords({ ...mail, state: 'sent', failure: 'no answer' }).note).toContain('no answer');
  expect(deliveryWords({ ...mail, state: 'due' }).label).toBe('waits');
  expect(deliveryWords({ ...mail, state: 'due', attempts: 2, failure: 'busy' }).label).toBe('put off');
  expect(deliveryWords({ ...mail, state: 'sending' }).label).toBe('being sent');
  expect(deliveryWords({ ...mail, state: 'dropped' }).label).toBe('not needed');
  expect(deliveryWords({ ...mail, state: 'refused', failure: 'no such user' }).note).toContain(
    'no such user',
  );
  const lost = deliveryWords({ ...mail, state: 'undeliverable', failure: 'no address is known' });
  expect(lost).toMatchObject({ kind: 'danger', note: 'It could not be delivered: no address is known.' });
  expect(deliveryWords({ ...mail, state: 'undeliverable', settled_at: 1 }).note).toContain('Dealt with');
  expect(stageWords({ stage: '30', planned_for: 'retirement:2027-02-01' })).toBe(
    '30-day reminder of the retirement on 2027-02-01',
  );
  expect(stageWords({ stage: '0', planned_for: 'sunset:2027-02-01' })).toBe(
    'reminder for the day of the sunset on 2027-02-01',
  );
  expect(stageWords({ stage: 'died', planned_for: '1' })).toBe('a connection ended');
  const of = (mail_id: string, stage: string) => ({ mail_id, stage, ...mail, state: 'sent' }) as ReminderMail;
  const rows = mailLines([of('a', '30'), of('b', '7'), of('a', 'died')], { role: 'agent', names: new Map() });
  expect(rows.map(({ abouts }) => abouts.length)).toEqual([2, 1]);
});
