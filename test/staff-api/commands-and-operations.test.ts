import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { examineAll } from '../../src/cli/commands/doctor.ts';
import { createProgram } from '../../src/cli/program.ts';
import { readConfig } from '../../src/config/config.ts';
import { OPERATIONS } from '../../src/http/staff-api/operations/operations.ts';
import { readDocument } from '../support/guidance.ts';

/** Every command is an operation of the staff API too, or has a reason not to be one. */

const TABLE = `
accounts pin              pinToken
apps add                  addApp
apps add-secret           addAppSecret
apps cut-over             cutOverApp
apps extend               extendApp extendApps
apps list                 listApps readApp
apps retire-secret        retireAppSecret
apps unextend             unextendApp
brownouts add             addBrownout
brownouts exempt          exemptApp
brownouts list            listBrownouts
brownouts remove          removeBrownout
brownouts unexempt        unexemptApp
dates set                 setDate
dates show                listDates
doctor                    listChecks
handovers list            listHandovers
history export            followHistory
history follow            followHistory
history undo              takeEntryBack
links make                makeLink makeLinks
reminders plan            planReminders
reminders resume          resumeReminders
reminders undeliverable   listUndeliverableMails
shadow                    readShadow clearShadow
tokens assign             assignToken assignTokens
tokens find               search readToken readAccount listAppTokens listAccountTokens
tokens import             importRows
tokens leaked             reportLeakedTokens
tokens revoke             revokeToken
apps give                 - a stolen key must not give apps away
apps retire               - a stolen key must not stop an app, or bring one back
api-keys end              - a key makes and ends no keys
api-keys list             - a key makes and ends no keys
api-keys make             - a key makes and ends no keys
backup                    - it belongs to the machine
completion                - it belongs to the machine
history verify            - it belongs to the machine
keys activate             - it belongs to the machine
keys add                  - it belongs to the machine
keys drop                 - it belongs to the machine
keys init                 - it belongs to the machine
keys list                 - it belongs to the machine
keys reseal               - it belongs to the machine
migrate                   - it belongs to the machine
restore                   - it belongs to the machine
serve                     - it belongs to the machine
reminders run             - the bridge does it by itself
staff add                 - a key makes no staff
staff list                - a key makes no staff
staff remove              - a key makes no staff
webhooks add              - a stolen key must not lead data away
webhooks change-secret    - a stolen key must not lead data away
webhooks list             - a stolen key must not lead data away
webhooks remove           - a stolen key must not lead data away
webhooks send-again       - a stolen key must not lead data away
webhooks show             - a stolen key must not lead data away
webhooks test             - a stolen key must not lead data away
`;

const ROWS = TABLE.trim()
  .split('\n')
  .map((line) => ({ command: line.slice(0, 26).trim(), cell: line.slice(26).trim() }));

const leavesOf = (above: Command, path = ''): string[] =>
  above.commands.flatMap((one) => {
    const own = `${path} ${one.name()}`.trim();
    return one.commands.length > 0 ? leavesOf(one, own) : [own];
  });

test('the table has a row for every command', () => {
  expect(ROWS.map(({ command }) => command).toSorted()).toEqual(leavesOf(createProgram()).toSorted());
});

const isLeftOut = ({ cell }: (typeof ROWS)[number]) => cell.startsWith('- ');

test('every operation of the table is one', () => {
  const ids = new Set(OPERATIONS.map(({ id }) => id));
  const named = ROWS.filter((row) => !isLeftOut(row)).flatMap(({ cell }) => cell.split(' '));
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

test('the document names every command that is no operation, with its reason', () => {
  const [, part = ''] = readDocument('docs/operate/staff-api.md').split('## What it does not have');
  const rows = part.split('\n').filter((line) => line.startsWith('| `'));
  for (const { command, cell } of ROWS.filter(isLeftOut)) {
    const [first = ''] = command.split(' ');
    const row = rows.find((line) => line.includes(`\`${command}\``) || line.includes(`\`${first}\``));
    expect([command, row?.includes(cell.slice(2))]).toEqual([command, true]);
  }
});

test('the document has a reason for each check of doctor', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'checks-of-doctor-'));
  const before = process.env;
  const nobody = 'http://127.0.0.1:9';
  process.env = {
    VAR_DIR: folder,
    MODERN_AUTH_URL: nobody,
    MODERN_API_URL: nobody,
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
  };
  try {
    const checks = (await examineAll(readConfig(), 1000)).map(({ check }) => check);
    const [, part = ''] = readDocument('docs/operate/staff-api.md').split('| check of doctor |');
    const named = part
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(named.toSorted()).toEqual(checks.toSorted());
  } finally {
    process.env = before;
    rmSync(folder, { recursive: true });
  }
});
