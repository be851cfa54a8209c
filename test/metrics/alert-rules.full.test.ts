import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { COURSES, coursesOfAlarm, GOOD_DAY } from './support/alert-courses.ts';
import { type AlertRule, readQueries, readRules } from './support/monitoring-files.ts';
import { type AlertCourses, type Course, growing, MINUTES, seriesOf } from './support/minutes.ts';
import { readPromql } from './support/promql.ts';
import { evaluateQueries, evaluateRules, hasPromtool, type RuleCase } from './support/promtool.ts';
import { type Sample, scrape, sumOf } from './support/scrape.ts';

/**
 * Every alert by Prometheus itself: on the series of the real `/metrics`, each rule fires in the state that it is for, alone, and
 * not just below its limit. The queries of the dashboard too: each has a value while everything grows.
 */

const UP: Sample = { name: 'up', labels: { job: 'grantbridge', instance: 'bridge:3000' }, value: 1 };

/** No old API runs here. Its calls have the same series under another label. */
const asOfOldApi = (samples: readonly Sample[]): Sample[] =>
  samples
    .filter(
      ({ name, labels }) => name.startsWith('grantbridge_call_seconds') && labels['answered_by'] === 'new',
    )
    .map((sample) => ({ ...sample, labels: { ...sample.labels, answered_by: 'old' } }));

const rules = readRules();
const testHere = hasPromtool ? test : test.skip;
const unless = hasPromtool ? '' : ' (skipped: this machine has no promtool, a part of Prometheus)';

let system: System;
let samples: Sample[];

beforeAll(async () => {
  system = await startSystem();
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  const other = await issueToken(system, { app: await system.registerApp('https://other.example/callback') });
  system.proxy.insteadOfOther = () => ({ status: 500, headers: {}, body: Buffer.from('') });
  await system.bridge.context.store.volatile.deleteFrom('answers').execute();
  await read(system, '/1/profiles.json', other);
  await read(system, '/1/profiles.json', 'nobody').catch(() => undefined);
  await until(async () => {
    const scraped = await scrape(system.bridgeUrl);
    samples = [...scraped, ...asOfOldApi(scraped), UP];
    return sumOf(samples, 'grantbridge_calls_total', { outcome: 'failed' }) > 0;
  });
});

afterAll(() => system.stop());

const kindOf = ({ expr }: AlertRule) =>
  readPromql(expr).selectors.find(({ metric }) => metric === 'grantbridge_alarms_total')?.labels['alarm'];

/** All courses that are about a rule. */
function coursesOf(rule: AlertRule): AlertCourses[] {
  const alarm = coursesOfAlarm(kindOf(rule) ?? '');
  return [...(alarm ? [alarm] : []), ...(COURSES[rule.alert] ?? [])];
}

/** Prometheus takes long for series that no rule names, and for those of calls that no case makes. */
const named = new Set(rules.flatMap(({ expr }) => readPromql(expr).selectors.map(({ metric }) => metric)));
const isNeeded = ({ name, labels }: Sample) =>
  named.has(name) &&
  (name !== 'grantbridge_calls_total' || ['profiles', 'token'].includes(labels['endpoint'] ?? ''));

const caseOf = (name: string, courses: readonly Course[], alerts: readonly string[] = []) => ({
  name,
  series: seriesOf(samples.filter(isNeeded), [...GOOD_DAY, ...courses]),
  minute: MINUTES,
  alerts,
});

/** The cases of each rule, with a name for each. */
const eachCase = (caseOfCourses: (name: string, courses: AlertCourses, rule: AlertRule) => RuleCase) =>
  rules.flatMap((rule) =>
    coursesOf(rule).map((courses, at) => caseOfCourses(`${rule.alert} ${at + 1}`, courses, rule)),
  );

testHere(`on a good day no alert fires${unless}`, () => {
  expect(evaluateRules([caseOf('a good day', [])])).toBe('');
});

testHere(`each alert fires in its state, and no other alert does${unless}`, () => {
  const cases = eachCase((name, { fires }, { alert }) => caseOf(name, fires, [alert]));
  expect(evaluateRules(cases)).toBe('');
});

testHere(`no alert fires just below its limit${unless}`, () => {
  expect(evaluateRules(eachCase((name, { quiet }) => caseOf(name, quiet)))).toBe('');
});

/** A state in which everything that is counted grows. */
const busy = () => ({ series: seriesOf(samples, growing(samples)), minute: MINUTES });

testHere(`every query of the dashboard has a value${unless}`, () => {
  const queries = readQueries().map(({ expr }) => expr);
  expect(queries.length).toBeGreaterThan(50);
  expect(evaluateQueries(queries, busy())).toBe('');
});

testHere(`a query without a value, or with a share of nothing, is found out${unless}`, () => {
  for (const query of ['grantbridge_calls_total{outcome="nothing"}', 'sum(up) * 0 / 0'])
    expect(evaluateQueries([query], busy())).toContain('FAILED');
});

test('every rule has its states, and every state is of a rule', () => {
  expect(rules.filter((rule) => coursesOf(rule).length === 0)).toEqual([]);
  const alerts = new Set(rules.map(({ alert }) => alert));
  expect(Object.keys(COURSES).filter((alert) => !alerts.has(alert))).toEqual([]);
});
