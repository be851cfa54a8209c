import { ALARM_KINDS, alarmKindOf } from '../../src/shared/metrics/alarm-kinds.ts';
import { HELD, readDocument, rowsBelow } from '../support/guidance.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Sample, samplesOf, scrapeText, sumOf } from './support/scrape.ts';
import { readQueries, readRules, readSections } from './support/monitoring-files.ts';
import { readPromql } from './support/promql.ts';

/** Every query of the rules and the dashboard, and every row of the documents, against the real `/metrics`. */

let system: System;
let text: string;
let samples: Sample[];

const rules = readRules();
const queries = [...rules.map(({ alert, expr }) => ({ title: alert, expr, legend: '' })), ...readQueries()];

beforeAll(async () => {
  system = await startSystem();
  const token = await issueToken(system);
  await read(system, '/1/profiles.json', token);
  const other = await issueToken(system, { app: await system.registerApp('https://other.example/callback') });
  system.proxy.insteadOfOther = () => ({ status: 500, headers: {}, body: Buffer.from('') });
  await system.bridge.context.store.volatile.deleteFrom('answers').execute();
  await read(system, '/1/profiles.json', other);
  await until(async () => {
    text = await scrapeText(system.bridgeUrl);
    samples = samplesOf(text);
    return sumOf(samples, 'grantbridge_calls_total', { outcome: 'failed' }) > 0;
  });
});

afterAll(() => system.stop());

/** Prometheus adds this metric by itself, and these labels to every series. */
const OF_PROMETHEUS = 'up';
const LABELS_OF_PROMETHEUS = ['job', 'instance'];

const seriesOf = (metric: string) =>
  samples.filter(({ name }) => name === metric).map(({ labels }) => labels);

/** Whether a series has all these labels, with these values where they are given. */
const has = (metric: string, labels: Record<string, string | undefined>) =>
  seriesOf(metric).some((given) =>
    Object.entries(labels)
      .filter(([label]) => !LABELS_OF_PROMETHEUS.includes(label))
      .every(([label, value]) => label in given && (value ?? given[label]) === given[label]),
  );

const labelsOf = (metric: string) => [...new Set(seriesOf(metric).flatMap((labels) => Object.keys(labels)))];

/** What an expression names and `/metrics` has not. */
function missingIn(expr: string): string[] {
  const { selectors, grouping, problem } = readPromql(expr);
  if (problem !== undefined) return [`not PromQL: ${problem}`];
  const metrics = selectors.filter(({ metric }) => metric !== OF_PROMETHEUS);
  const known = new Set([...LABELS_OF_PROMETHEUS, ...selectors.flatMap(({ metric }) => labelsOf(metric))]);
  return [
    ...(selectors.length === 0 ? ['it names no metric'] : []),
    ...metrics.filter(({ metric, labels }) => !has(metric, labels)).map((one) => JSON.stringify(one)),
    ...grouping.filter((label) => !known.has(label)),
  ];
}

test.each(queries)('every metric and label of the query stands in /metrics: $title, $expr', ({ expr }) => {
  expect(missingIn(expr)).toEqual([]);
});

test('a query that names what is not there is found out', () => {
  const wrong = [
    'grantbridge_calls > 1',
    'grantbridge_calls_total{outcome="nothing"}',
    'sum by (nothing) (grantbridge_calls_total)',
    'sum(grantbridge_calls_total',
    'grantbridge_calls_total{nothing="x"}',
    '1 > 0',
  ];
  expect(wrong.filter((expr) => missingIn(expr).length === 0)).toEqual([]);
});

test('a legend names only labels that its query keeps', () => {
  const wrong = queries.filter(({ expr, legend }) =>
    [...legend.matchAll(/\{\{(\w+)\}\}/g)].some(
      ([, label = '']) => !readPromql(expr).grouping.includes(label),
    ),
  );
  expect(wrong).toEqual([]);
  expect(queries.length).toBeGreaterThan(60);
});

/** States of one machine: of its files, its end or its look at the database. */
const OF_ONE_MACHINE = /^grantbridge_(ready|last_end_unclean|(certificate|keys)_unusable|restored_copy)$/;

test('an alert about one machine says which', () => {
  const about = rules.map(({ alert, expr }) => ({ alert, ...readPromql(expr) }));
  const ofOne = about.filter(({ selectors }) => selectors.some(({ metric }) => OF_ONE_MACHINE.test(metric)));
  expect(ofOne).toHaveLength(5);
  expect(ofOne.filter(({ grouping }) => !grouping.includes('instance'))).toEqual([]);
});

test('every panel of the dashboard can be narrowed to some machines, but that of the jobs, which any machine does', () => {
  expect(readDocument(HELD.dashboard)).toContain('"query": "label_values(grantbridge_workers, instance)"');
  const wide = readQueries().filter(({ expr }) =>
    readPromql(expr).selectors.some(({ labels }) => !('instance' in labels)),
  );
  expect(wide.map(({ title }) => title)).toEqual(['Since the last success of each job, on any machine']);
});

test('every alert has its section, which says what to do, and every section has its alert', () => {
  const sections = readSections();
  expect([...sections.keys()]).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, runbook } of rules) {
    expect(sections.get(alert)).toMatch(/\*\*Do:\*\* \S/);
    expect(runbook).toBe(`${HELD.alerts}#${alert.toLowerCase()}`);
  }
});

/** A line that comes once, of a state that lasts: the rule looks at the gauge of the state. */
const BY_GAUGE: Record<string, string> = {
  GrantbridgeRestoredCopy: 'restored_copy',
  GrantbridgeKeys: 'keys',
  GrantbridgeCertificate: 'certificate',
};

const kindOf = ({ alert, expr }: { alert: string; expr: string }) =>
  BY_GAUGE[alert] ??
  readPromql(expr).selectors.find(({ metric }) => metric === 'grantbridge_alarms_total')?.labels['alarm'];

test('every kind of alarm has its rule, and its section names lines of that kind', () => {
  const alarms = rules.filter((rule) => kindOf(rule) !== undefined);
  expect(new Set(alarms.map(kindOf))).toEqual(new Set(ALARM_KINDS));
  const sections = readSections();
  for (const rule of alarms.filter((one) => kindOf(one) !== 'other')) {
    const lines = [...(sections.get(rule.alert) ?? '').matchAll(/`(ALARM: [^`]+)`/g)].map(
      ([, line = '']) => line,
    );
    expect(lines.length).toBeGreaterThan(0);
    expect([rule.alert, ...new Set(lines.map(alarmKindOf))]).toEqual([rule.alert, kindOf(rule)]);
  }
});

const labelsOfKind = (name: string, kind: string) =>
  kind === 'histogram' ? labelsOf(`${name}_count`) : labelsOf(name);

/** The names in a cell of a table. */
const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

/** The metrics of the real answer: name, kind and labels. */
function scraped(): Map<string, { kind: string; labels: Set<string> }> {
  const kinds = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  return new Map(
    kinds.map(([, name = '', kind = '']) => [name, { kind, labels: new Set(labelsOfKind(name, kind)) }]),
  );
}

test('the table of metrics says of each metric its kind and its labels', () => {
  const rows = rowsBelow(readDocument(HELD.metrics), '| metric | kind | labels | meaning |');
  const table = new Map(
    rows.map(([name = '', kind = '', labels = '']) => [
      words(name)[0] ?? '',
      { kind: kind.split(',')[0] ?? '', labels: new Set(words(labels)) },
    ]),
  );
  expect(table).toEqual(scraped());
});
