import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';

/** What is held where: the document that a test holds against the program. */
export const HELD = {
  settings: 'docs/operate/settings.md',
  commands: 'docs/operate/commands.md',
  importRows: 'docs/migrate/import.md',
  addresses: 'docs/old-api.md',
  logLines: 'docs/operate/log-lines.md',
  alerts: 'docs/operate/alerts.md',
  alertRules: 'docs/operate/alerts.yml',
  dashboard: 'docs/operate/grafana/grantbridge.json',
  metrics: 'docs/operate/metrics.md',
} as const;

/** The text of a document, by its path from the root of the project. */
export const readDocument = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

/** The rows of the table that has this head, as the text of their cells. */
export function rowsBelow(text: string, head: string): string[][] {
  const [, table] = text.split(`\n${head}\n`);
  if (table === undefined) throw new Error(`no table has the head ${head}`);
  const [lines = ''] = table.split('\n\n');
  return lines
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}
