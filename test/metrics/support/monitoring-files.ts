import { HELD, readDocument } from '../../support/guidance.ts';

/** The files that watch the bridge: alert rules, their page, and the dashboard. */

export interface AlertRule {
  alert: string;
  expr: string;
  runbook: string;
}

const RULE =
  / {6}- alert: (\w+)\n {8}expr: '([^'\n]+)'\n(?: {8}for: \d+[mhd]\n)? {8}labels: \{ severity: (?:page|ticket) \}\n {8}annotations: \{ summary: "[^"\n]+", runbook: '([^'\n]+)' \}\n/g;

/** Every rule. @throws {Error} a part of the file is none, so it would be held by no test */
export function readRules(): AlertRule[] {
  const [, rules = ''] = readDocument(HELD.alertRules).split('    rules:\n');
  const left = rules.replaceAll(RULE, '');
  if (left !== '') throw new Error(`not a rule: ${left}`);
  return [...rules.matchAll(RULE)].map(([, alert = '', expr = '', runbook = '']) => ({
    alert,
    expr,
    runbook,
  }));
}

interface Panel {
  title: string;
  targets?: Array<{ expr: string; legendFormat: string }>;
}

/** What Grafana puts in the place of the variable while all machines are chosen. */
const ALL_MACHINES = '.*';

/** Every query of the dashboard for all machines, with the title of its panel. */
export function readQueries(): Array<{ title: string; expr: string; legend: string }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of a file of this repository
  const { panels } = JSON.parse(readDocument(HELD.dashboard)) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat: legend }) => ({
      title,
      expr: expr.replaceAll('$instance', ALL_MACHINES),
      legend,
    })),
  );
}

/** The sections of the page of alerts, by their heading. */
export function readSections(): Map<string, string> {
  const parts = readDocument(HELD.alerts).split(/^### /m).slice(1);
  return new Map(parts.map((part) => [part.split('\n')[0] ?? '', part.split(/^## /m)[0] ?? '']));
}
