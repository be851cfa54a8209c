import { OLD_CALL_NAMES } from '../../src/domain/old-calls/old-calls.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { readRules } from './support/monitoring-files.ts';
import { readPromql } from './support/promql.ts';
import { type Sample, scrape, sumOf } from './support/scrape.ts';

/** Prometheus sees no rise in the first value of a series: what a rule counts stands at 0 right after a start. */

const DAYS = [30, 7, 0];
let system: System;
let first: Sample[];

beforeAll(async () => {
  system = await startSystem({ env: { REMINDER_DAYS: DAYS.join(',') } });
  first = await scrape(system.bridgeUrl);
});

afterAll(() => system.stop());

const fits = (sample: Sample, { metric, labels }: { metric: string; labels: Record<string, unknown> }) =>
  sample.name === metric &&
  Object.entries(labels).every(([label, value]) => value === undefined || sample.labels[label] === value);

const COUNTED = /_(total|count|sum|bucket)$/;

/** What the rules count, once each. */
const counted = [
  ...new Map(
    readRules()
      .flatMap(({ expr }) => readPromql(expr).selectors)
      .filter(({ metric }) => COUNTED.test(metric))
      .map((selector) => [JSON.stringify(selector), selector]),
  ).values(),
];

/** Statements run during the start. */
const isOfStart = ({ name }: Sample) => name.startsWith('grantbridge_database_');

test.each(counted)('stands at 0 right after a start: $metric $labels', (selector) => {
  const found = first.filter((sample) => fits(sample, selector));
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ value }) => value > 0).filter((one) => !isOfStart(one))).toEqual([]);
});

test('what the rules count was found', () => expect(counted.length).toBeGreaterThan(30));

const stands = (metric: string, labels: Record<string, string>) =>
  first.some((sample) => fits(sample, { metric, labels }) && sample.value === 0);

/** All labels of a series, each with its values. */
function combined(values: Record<string, readonly string[]>): Array<Record<string, string>> {
  return Object.entries(values).reduce<Array<Record<string, string>>>(
    (all, [label, some]) => all.flatMap((labels) => some.map((value) => ({ ...labels, [label]: value }))),
    [{}],
  );
}

const CARRIERS = ['header', 'query', 'body', 'none'];
const ENDPOINTS = [...OLD_CALL_NAMES, 'other'];
const STAGES = [...DAYS.map(String), 'died', 'woken', 'unused', 'again', 'leaked', 'none'];
const EVENTS = ['test', 'token.stopped', 'queues.daily', 'connection.ended', 'token.leaked'];

test.each([
  [
    'calls_total',
    { endpoint: ENDPOINTS, carrier: CARRIERS, outcome: ['failed'], answered_by: ['new', 'old', 'bridge'] },
  ],
  ['calls_total', { endpoint: ENDPOINTS, carrier: CARRIERS, outcome: ['shed'], answered_by: ['bridge'] }],
  [
    'calls_total',
    { endpoint: ['token', 'handOver', 'authorize'], outcome: ['failed', 'shed'], answered_by: ['bridge'] },
  ],
  [
    'site_answers_total',
    {
      part: ['owners', 'support', 'sign_in', 'staff_api', 'leaks', 'other'],
      outcome: ['answered', 'refused', 'limited', 'failed', 'shed', 'hung_up'],
    },
  ],
  [
    'consents_total',
    {
      purpose: ['legacy', 'sign_in', 'reauthorization'],
      outcome: ['finished', 'declined', 'failed'],
    },
  ],
  [
    'new_api_seconds_count',
    {
      call: ['exchange', 'refresh', 'introspect', 'revoke', 'read', 'write'],
      outcome: ['answered', 'refused', 'limited', 'failed'],
    },
  ],
  ['new_api_wait_seconds_count', { awaited: ['place', 'connection'] }],
  ['old_api_seconds_count', { outcome: ['answered', 'refused', 'limited', 'failed'] }],
  [
    'mails_total',
    { stage: STAGES, outcome: ['sent', 'dropped', 'put_off', 'passed_on', 'undeliverable', 'left'] },
  ],
  ['proof_mails_total', { outcome: ['sent', 'refused', 'failed'] }],
  ['webhook_attempts_total', { event: EVENTS, outcome: ['delivered', 'put_off', 'dead', 'left'] }],
])('every combination of known labels stands at 0: %s %o', (name, values) => {
  expect(combined(values).filter((labels) => !stands(`grantbridge_${name}`, labels))).toEqual([]);
});

/** Many of these come, so that the first of them matters to no rule. */
const isOrdinary = ({ name, labels }: Sample) =>
  name.startsWith('grantbridge_call_seconds') ||
  (name === 'grantbridge_calls_total' && !['failed', 'shed'].includes(labels['outcome'] ?? ''));

test('no series of a rule begins with its first failure', async () => {
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  system.proxy.insteadOfOther = () => ({ status: 500, headers: {}, body: Buffer.from('') });
  await system.bridge.context.store.volatile.deleteFrom('answers').execute();
  const path = `/1/profiles/1/updates/pending.json?access_token=${encodeURIComponent(token)}`;
  expect((await sendRaw(system.bridgeUrl, { path })).status).toBeGreaterThanOrEqual(500);
  let later: Sample[] = [];
  await until(async () => {
    later = await scrape(system.bridgeUrl);
    return sumOf(later, 'grantbridge_calls_total', { outcome: 'failed' }) > 0;
  });
  const begun = later
    .filter((sample) => counted.some((selector) => fits(sample, selector)))
    .filter(({ value }) => value > 0)
    .filter(({ name, labels }) => !first.some((one) => fits(one, { metric: name, labels })));
  expect(begun.filter((sample) => !isOrdinary(sample))).toEqual([]);
});
