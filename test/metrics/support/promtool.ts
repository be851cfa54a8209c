import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { HELD } from '../../support/guidance.ts';

/** Prometheus' own evaluation of the alert rules. `promtool` comes with Prometheus; `.ci/run` installs it. */

const PROMTOOL = 'promtool';

/** Whether this machine has it. */
export const hasPromtool = spawnSync(PROMTOOL, ['--version']).error === undefined;

/** One series, with a value for each minute in the notation of `promtool test rules`. */
export interface InputSeries {
  series: string;
  values: string;
}

/** A state of the bridge over some hours, and the alerts that must fire at a minute of it: these and no others. */
export interface RuleCase {
  name: string;
  series: InputSeries[];
  minute: number;
  alerts: readonly string[];
}

/** How often the rules are evaluated: less often than in production, because each time takes long. */
const EVERY = '5m';

const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})';

function testOf({ name, series, minute, alerts }: RuleCase) {
  const exp_samples = alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
  const promql_expr_test = [{ expr: FIRING, eval_time: `${minute}m`, exp_samples }];
  return { name, interval: '1m', input_series: series, promql_expr_test };
}

/** What `promtool test rules` finds wrong; empty when all is as expected. */
function testFile(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'));
  try {
    const file = join(folder, 'cases.yml');
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify(content));
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', file], { encoding: 'utf8' });
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Evaluates the rules of the repository. What Prometheus finds wrong; empty when all is as expected. */
export function evaluateRules(cases: readonly RuleCase[]): string {
  const rule_files = [join(projectRoot, HELD.alertRules)];
  return testFile({ rule_files, evaluation_interval: EVERY, tests: cases.map(testOf) });
}

/** Whether a query has a number for at least one series: a share of nothing is none. */
const hasNumber = (query: string) => `group((${query}) > -Inf)`;

/** Evaluates queries at a minute. What Prometheus finds wrong; empty when each query has a number. */
export function evaluateQueries(
  queries: readonly string[],
  { series, minute }: { series: InputSeries[]; minute: number },
): string {
  const promql_expr_test = queries.map((query) => ({
    expr: hasNumber(query),
    eval_time: `${minute}m`,
    exp_samples: [{ labels: '{}', value: 1 }],
  }));
  return testFile({ tests: [{ interval: '1m', input_series: series, promql_expr_test }] });
}
