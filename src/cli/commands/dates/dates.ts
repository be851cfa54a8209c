import type { Context } from '../../../domain/context.ts';
import { outlookOfRetirement, TOKENS_COUNTED } from '../../../domain/cut-over/outlook.ts';
import { isDoubtful, isShort } from '../../../domain/cut-over/outlook-words.ts';
import type { Outlook } from '../../../domain/cut-over/reckon.ts';
import { ChangeRefused } from '../../../domain/lifecycle/changes/change-rules.ts';
import { type SetDateResult, setDateOf } from '../../../domain/lifecycle/changes/set-date.ts';
import { DATE_NAMES, type DateName } from '../../../domain/lifecycle/lifecycle.ts';
import { listExtensions } from '../../../store/lifecycle/extensions.ts';
import { readDates } from '../../../store/lifecycle/lifecycle.ts';
import { commandActor } from '../by-option.ts';
import { confirmed } from '../confirm.ts';
import { outlookLines } from '../../../domain/cut-over/outlook-lines.ts';
import { outlookJson } from '../apps/cut-over.ts';
import { momentOf, printable, shown } from './moment-option.ts';
import type { Result } from '../result.ts';
import { withContext } from '../with-context.ts';

/** Every date with the last actor who set it. The fields of a date that nobody has ever set are null. */
async function describedDates({ store }: Context) {
  const rows = await readDates(store.durable);
  return DATE_NAMES.map((name) => {
    const row = rows.find((one) => one.name === name);
    const at = typeof row?.at === 'number' ? shown(row.at) : null;
    return { name, at, changed_at: row ? shown(row.changed_at) : null, changed_by: row?.changed_by ?? null };
  });
}

/** The extensions in force. An extension whose time is over stays in the list until somebody ends the extension. */
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

/** `dates show`: every date, and the apps that have a later date. */
export async function showDates(): Promise<Result> {
  return withContext(async ({ context }) => {
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

function sunsetLines({ sunsetFirst: { isCommon, apps } }: SetDateResult): string[] {
  const those = apps === 1 ? '1 app with more time has' : `${apps} apps with more time have`;
  return [
    ...(isCommon
      ? [
          'warning: the sunset for all apps comes before the retirement for all apps. At the sunset all old calls end.',
        ]
      : []),
    ...(apps > 0
      ? [
          `warning: ${those} the sunset before the retirement. The sunset ends every old call. To see the dates: grantbridge dates show`,
        ]
      : []),
  ];
}

function besideLines(name: DateName, set: SetDateResult): string[] {
  const { extensions, idleBrownouts } = set;
  const apps = extensions === 1 ? '1 app has' : `${extensions} apps have`;
  const brownouts = idleBrownouts === 1 ? '1 brownout' : `${idleBrownouts} brownouts`;
  return [
    ...(extensions > 0 ? [`${apps} more time for this date. To see the dates: grantbridge dates show`] : []),
    ...(idleBrownouts > 0
      ? [
          `${brownouts} of the ${name} would now come without the date or after the date. To see the brownouts: grantbridge brownouts list`,
        ]
      : []),
    ...sunsetLines(set),
  ];
}

const plannedWords = ({ settings }: Context): string =>
  settings.sendsReminders
    ? 'Reminders are planned anew from the new date.'
    : 'Nobody is reminded of it: SMTP_URL is not set, and production needs a mail server for reminders.';

interface AskedDate {
  name: DateName;
  at: number | undefined;
}

function linesOf(context: Context, { name, at }: AskedDate, set: SetDateResult): string[] {
  const value = at === undefined ? 'not set any more' : `set to ${shown(at)}`;
  const before =
    set.before === undefined ? 'The date was not set before.' : `The date was ${shown(set.before)} before.`;
  const first = set.isChanged
    ? [
        `The ${name} is ${value}. ${before}`,
        `Running bridges use the new date within a second. ${plannedWords(context)}`,
      ]
    : [`The ${name} is ${at === undefined ? 'not set' : shown(at)} already. Nothing was changed.`];
  return [...first, ...besideLines(name, set)];
}

/** The requests that move; `not counted` where the tokens are too many to count, and no count of a bridge is kept. */
type Load = Outlook[] | 'not counted';

const NOT_COUNTED = `warning: it is not known whether the budget at the new API suffices for the calls that move there. More than ${TOKENS_COUNTED.toLocaleString('en-US')} tokens are connected. That is too many to count here, and no running bridge has stored a count. A running bridge counts once an hour. After that, doctor shows the answer.`;

function loadLines(context: Context, load: Load): string[] {
  if (load === 'not counted') return [NOT_COUNTED];
  const warning = isDoubtful(load) ? ['warning: the retirement moves more calls to the new API.'] : [];
  return [...warning, ...outlookLines(context, load)];
}

function loadJson(load: Load) {
  if (load === 'not counted') return { outlook: null };
  return load.length > 0 && { outlook: load.map(outlookJson) };
}

/**
 * The load that the retirement will put on the clients at the new API.
 * @throws {ChangeRefused} where a budget is known to be too small, and nobody has confirmed the date all the same
 */
async function beforeRetirement(context: Context, options: Record<string, unknown>): Promise<Load> {
  const outlooks = await outlookOfRetirement(context, TOKENS_COUNTED);
  if (!outlooks) return 'not counted';
  if (!isShort(outlooks) || options['yes'] === true) return outlooks;
  const lines = outlookLines(context, outlooks);
  if (await confirmed(lines, 'Set the date all the same?')) return outlooks;
  throw new ChangeRefused(`${lines.join(' ')} To set the date all the same, add --yes.`);
}

/** `dates set NAME MOMENT|none --reason TEXT [--force] [--yes]`: sets or unsets a date for all apps. */
export async function changeDate(
  options: Record<string, unknown>,
  [name = '', moment = '']: readonly string[],
): Promise<Result> {
  const at = moment === 'none' ? undefined : momentOf('the moment (or none)', moment);
  return withContext(async ({ context }) => {
    const date = DATE_NAMES.find((one) => one === name) as DateName;
    const load = date === 'retirement' && at !== undefined ? await beforeRetirement(context, options) : [];
    const asked = { name: date, at, reason: String(options['reason']), isForced: options['force'] === true };
    const set = await setDateOf(context, { ...asked, actor: commandActor(options) });
    const json = {
      name,
      at: at === undefined ? null : shown(at),
      before: set.before === undefined ? null : shown(set.before),
      changed: set.isChanged,
      extensions: set.extensions,
      idle_brownouts: set.idleBrownouts,
      sunset_first: { all: set.sunsetFirst.isCommon, apps: set.sunsetFirst.apps },
      ...loadJson(load),
    };
    return { ok: true, lines: [...linesOf(context, asked, set), ...loadLines(context, load)], json };
  });
}
