import type { Context } from '../domain/context.ts';
import { otherDates } from '../domain/fill-dates.ts';
import { type DateSet, setDateOf } from '../domain/lifecycle-changes/set-date.ts';
import type { DateName } from '../domain/lifecycle.ts';
import { listExtensions } from '../store/extensions.ts';
import { readDates } from '../store/lifecycle.ts';
import { momentOf, printable, shown } from './moment-option.ts';
import type { Result } from './result.ts';
import { withWorkshop } from './with-workshop.ts';

const NAMES = ['deprecation', 'retirement', 'sunset'] as const;

/** Every date with who set it last; null for one of which nothing was ever said. */
async function describedDates({ store }: Context) {
  const rows = await readDates(store.durable);
  return NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    const at = typeof row?.at === 'number' ? shown(row.at) : null;
    return { name, at, changed_at: row ? shown(row.changed_at) : null, changed_by: row?.changed_by ?? null };
  });
}

/** The extensions in force; one whose time is over stands there until it is ended. */
export async function describedExtensions({ store, clock }: Context) {
  const now = clock.now();
  return (await listExtensions(store.durable)).map((row) => ({
    client_id: row.client_id,
    app: row.app_name,
    name: row.name,
    until: shown(row.until),
    is_over: row.until <= now,
    reason: row.reason,
    granted_by: row.granted_by,
  }));
}

type Extension = Awaited<ReturnType<typeof describedExtensions>>[number];

/** One extension in one line. */
export function extensionLine({ name, until, is_over: isOver, reason, granted_by: by }: Extension): string {
  return printable(`${name} only at ${until}${isOver ? ' (over)' : ''}: ${reason} (${by})`);
}

/** `dates show`: what ends when, and for which apps later. */
export async function showDates(): Promise<Result> {
  return withWorkshop(async ({ context }) => {
    const dates = await describedDates(context);
    const extensions = await describedExtensions(context);
    const lines = dates.map(
      ({ name, at, changed_by: by }) =>
        `${name.padEnd(12)}${at ?? 'not set'}${by === null ? '' : `  (${by})`}`,
    );
    const more = extensions.map((one) => printable(`${one.client_id}  ${one.app}: `) + extensionLine(one));
    const heading = more.length > 0 ? ['', 'Apps with more time:'] : [];
    return { ok: true, lines: [...lines, ...heading, ...more], json: { dates, extensions } };
  });
}

function besideLines(name: DateName, { extensions, idleBrownouts }: DateSet): string[] {
  const apps = extensions === 1 ? '1 app has' : `${extensions} apps have`;
  const brownouts = idleBrownouts === 1 ? '1 brownout' : `${idleBrownouts} brownouts`;
  return [
    ...(extensions > 0 ? [`${apps} more time for it: dates show names them.`] : []),
    ...(idleBrownouts > 0
      ? [`${brownouts} of the ${name} would now come without it or after it: brownouts list shows them.`]
      : []),
  ];
}

function linesOf(name: DateName, at: number | undefined, set: DateSet): string[] {
  const value = at === undefined ? 'not set any more' : `set to ${shown(at)}`;
  const before = set.before === undefined ? 'It was not set before.' : `It was ${shown(set.before)}.`;
  const first = set.isChanged
    ? [
        `The ${name} is ${value}. ${before}`,
        'Running bridges follow within a second. Reminders are planned anew from this date.',
      ]
    : [`The ${name} is ${at === undefined ? 'not set' : shown(at)} already. Nothing was changed.`];
  return [...first, ...besideLines(name, set)];
}

/** `dates set NAME MOMENT|none --reason TEXT [--force]`: sets or unsets a date of all apps. */
export async function changeDate(
  options: Record<string, unknown>,
  [name = '', moment = '']: readonly string[],
): Promise<Result> {
  const at = moment === 'none' ? undefined : momentOf('the moment (or none)', moment);
  return withWorkshop(async ({ context }) => {
    const date = NAMES.find((one) => one === name) as DateName;
    const asked = { name: date, at, reason: String(options['reason']), isForced: options['force'] === true };
    const set = await setDateOf(context, { ...asked, actor: 'command' });
    const json = {
      name,
      at: at === undefined ? null : shown(at),
      before: set.before === undefined ? null : shown(set.before),
      changed: set.isChanged,
      extensions: set.extensions,
      idle_brownouts: set.idleBrownouts,
    };
    return { ok: true, lines: linesOf(date, at, set), json };
  });
}

/** What `doctor` tells of the dates; settings that say others have no effect. */
export async function examineDates(
  context: Context,
  settings: Parameters<typeof otherDates>[1],
): Promise<string> {
  const dates = await describedDates(context);
  const others = await otherDates(context, settings);
  const words = dates.map(({ name, at }) => `${name} ${at ?? 'not set'}`).join(', ');
  if (others.length === 0) return words;
  return `${words}. WARNING: ${others.join(', ')} says another date and has no effect; grantbridge dates set changes it`;
}
