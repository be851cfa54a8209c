import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alarmKindOf, OTHER_ALARM } from '../../src/shared/metrics/alarm-kinds.ts';
import { projectRoot } from '../../src/shared/project-root.ts';
import { HELD, readDocument } from '../support/guidance.ts';

/** The table of log lines and the page of alerts tell lines that the program writes, and every alarm among them. */

const source = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(projectRoot, 'src', name), 'utf8'))
  .join('\n');

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
/** A text in which each `gap` stands for anything. */
const asPattern = (text: string, gap: RegExp) =>
  new RegExp(`^${text.split(gap).map(escaped).join('.*')}$`, 's');

const cells = [...readDocument(HELD.logLines).matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
const alarmLines = [...readDocument(HELD.alerts).matchAll(/^Log: (.+)$/gm)].map(([, cell = '']) => cell);
const lines = [...cells, ...alarmLines].flatMap((cell) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line),
);

/** Whether a part of a line stands in the source as it is, or as a name and a text that follows its place. */
function isWritten(part: string): boolean {
  if (source.includes(part)) return true;
  const words = part.split(' ');
  return words.some((_, index) => {
    const [name, rest] = [words.slice(0, index).join(' '), words.slice(index).join(' ')];
    return source.includes(`'${name}'`) && source.includes(`} ${rest}`);
  });
}

const partsOf = (line: string) =>
  line
    .replace(/^ALARM: /, '')
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const isTold = (alarm: string) =>
  lines.some((line) => asPattern(line, /…/).test(alarm) || asPattern(alarm, /\$\{[^}]*\}/).test(line));

test('every line of the table is written somewhere in the program', () => {
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.filter((line) => !partsOf(line).every(isWritten))).toEqual([]);
});

test('every alarm of the program stands on the page of alerts, and counts by a name of its own', () => {
  const alarms = [...source.matchAll(/['"`](ALARM: [^'"`]+)/g)].map(([, alarm = '']) => alarm);
  expect(alarms.length).toBeGreaterThan(15);
  expect(alarms.filter((alarm) => !isTold(alarm))).toEqual([]);
  const named = alarms.filter((alarm) => !/^ALARM: \$\{\w+\}$/.test(alarm));
  expect(named.filter((alarm) => alarmKindOf(alarm) === OTHER_ALARM)).toEqual([]);
});
