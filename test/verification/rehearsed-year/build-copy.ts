import { cpSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { RehearsalOptions } from './options.ts';

/** The build, copied, so that one rehearsal runs one program whatever is built meanwhile; for a sabotage with a fault. */

const checkout = resolve(import.meta.dirname, '../../..');

type Fault = { path: string; lines: readonly string[] };

const FAULTS: Partial<Record<RehearsalOptions['sabotage'], Fault>> = {
  'night-mail': {
    path: 'domain/reminders/plan-stages.js',
    lines: ['export const isTimeToMail = () => true;'],
  },
  // what is looked up at sending is what was planned, as if nothing could have changed
  'no-second-look': {
    path: 'domain/reminders/plan-reminders.js',
    lines: [
      "import { withoutLooking } from '" +
        new URL('./programs/no-second-look.mjs', import.meta.url).href +
        "';",
      'export const stillDue = (context, mail) => withoutLooking(original.stillDue, context, mail);',
    ],
  },
};

/** Puts a module in the place of another, whose exports it passes on but for its own. */
function putBefore(dist: string, { path, lines }: Fault): void {
  const original = path.replace(/\.js$/, '.original.js');
  renameSync(join(dist, path), join(dist, original));
  const from = `'./${basename(original)}'`;
  const text = [`export * from ${from};`, `import * as original from ${from};`, ...lines].join('\n');
  writeFileSync(join(dist, path), `${text}\n`);
}

/** A folder with the program that the machines run. */
export function copyBuild(sabotage: RehearsalOptions['sabotage']): string {
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-build-'));
  for (const part of ['dist', 'db', 'src', 'package.json'])
    cpSync(join(checkout, part), join(folder, part), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  const fault = FAULTS[sabotage];
  if (fault) putBefore(join(folder, 'dist'), fault);
  return folder;
}
