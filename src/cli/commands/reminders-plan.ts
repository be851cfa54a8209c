import { LRUCache } from 'lru-cache';
import { readConfig } from '../../config/config.ts';
import type { Context } from '../../domain/context.ts';
import { type Preview, previewReminders } from '../../domain/reminders/plan-reminders.ts';
import { printable, shown } from './dates/moment-option.ts';
import { contextOn, dayGiven, USED_AS_NOW } from './dates/on-day.ts';
import { type PiecePrinter, printPieces } from './print-pieces.ts';
import { createProgressReport, type ProgressReport } from '../terminal/progress.ts';
import { withContext } from './with-context.ts';

/**
 * `reminders plan`: who would get which reminder, when and why. The answer is printed while people are read, because a
 * large installation has more of them than fit into memory. The counts come last.
 */

/** The texts of the dates, which are few beside the people. */
const dateTexts = new LRUCache<number, string>({ max: 1000, memoMethod: shown });

function jsonOf({ person, due, day, isNow }: Preview) {
  return {
    person: person.id,
    address: person.address ?? null,
    zone: person.zone,
    day,
    is_now: isNow,
    due: due.map(({ clientId, part, role, stage, plannedFor, at, because }) => ({
      client_id: clientId,
      app: part.appName,
      role,
      stage,
      planned_for: plannedFor,
      date: at === undefined ? null : dateTexts.memo(at),
      because,
    })),
  };
}

type PersonJson = ReturnType<typeof jsonOf>;

function textOf({ person, address, zone, day, is_now: isNow, due }: PersonJson): string {
  const when = isNow ? 'now' : `later: from nine in the morning (${zone}), on a day without another mail`;
  const head = `${day}  ${person}  ${address ?? 'no address is known that takes mails'}  ${when}`;
  const stages = due.map((one) => `    ${one.app} (${one.client_id}), ${one.role}: ${one.because}`);
  return [head, ...stages].map((line) => `${printable(line)}\n`).join('');
}

const NONE_SENT =
  'None of these mails will be sent: SMTP_URL is not set, and production needs a mail server.';

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;

/** What the plan says of all people together. */
interface PlanCounts {
  mails: number;
  unknown: number;
  later: number;
}

function summaryOf({ mails, unknown, later }: PlanCounts, at: number): string {
  const unsent =
    unknown === 0
      ? ''
      : ` ${count(unknown, 'person', 'people')} cannot get one: no address is known that takes mails.`;
  const counted = `${count(mails, 'mail', 'mails')} now, ${count(later, 'person', 'people')} later.${unsent}`;
  return `At ${shown(at)}: ${counted}\n`;
}

function addTo(counts: PlanCounts, { is_now: isNow, address }: PersonJson): void {
  if (!isNow) counts.later += 1;
  else if (address === null) counts.unknown += 1;
  else counts.mails += 1;
}

/** The beginning, the people and the end of the answer in one of its two forms. */
interface PlanForm {
  begin: string;
  personOf: (one: PersonJson, isFirst: boolean) => string;
  end: (counts: PlanCounts) => string;
}

interface PlanHead {
  at: number;
  isSending: boolean;
  /** Whether the plan is of another moment. */
  isRehearsal: boolean;
}

function textForm({ at, isSending, isRehearsal }: PlanHead): PlanForm {
  const notes = [...(isSending ? [] : [NONE_SENT]), ...(isRehearsal ? [USED_AS_NOW] : [])];
  return {
    begin: notes.map((note) => `${note}\n`).join(''),
    personOf: textOf,
    end: (counts) => summaryOf(counts, at),
  };
}

/** One object on one line. */
function jsonForm({ at, isSending }: PlanHead): PlanForm {
  const head = JSON.stringify({ at: shown(at), is_sending: isSending });
  return {
    begin: `${head.slice(0, -1)},"people":[`,
    personOf: (one, isFirst) => `${isFirst ? '' : ','}${JSON.stringify(one)}`,
    end: ({ mails, unknown, later }) =>
      `],${JSON.stringify({ mails, without_address: unknown, later }).slice(1)}\n`,
  };
}

/** The least length of a piece of text. A piece for each person would cost more than the person. */
const PIECE = 65_536;

async function* piecesOf(
  context: Context,
  { begin, personOf, end }: PlanForm,
  report: ProgressReport,
): AsyncGenerator<string> {
  const counts: PlanCounts = { mails: 0, unknown: 0, later: 0 };
  let [piece, isFirst] = [begin, true];
  for await (const preview of previewReminders(context)) {
    const one = jsonOf(preview);
    addTo(counts, one);
    piece += personOf(one, isFirst);
    isFirst = false;
    const { mails } = counts;
    report.tell({ done: mails, things: mails, words: `${mails} reminders found` });
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece + end(counts);
}

const SILENT: ProgressReport = { begin: () => undefined, tell: () => undefined, end: () => undefined };

/** On a terminal the answer itself is to be seen, and shows how far the plan is. */
const reportFor = (isAsked: boolean) =>
  isAsked || !process.stdout.isTTY ? createProgressReport(isAsked) : SILENT;

/** `reminders plan [--on MOMENT]`. Writes nothing to the database, and works on a copy too. */
export async function printPlan(
  options: { on?: string; json?: boolean; progress?: boolean },
  print: PiecePrinter = printPieces,
): Promise<void> {
  const on = dayGiven(options.on);
  await withContext(async ({ context }) => {
    const head = {
      at: on ?? context.clock.now(),
      isSending: context.settings.sendsReminders,
      isRehearsal: on !== undefined,
    };
    const report = reportFor(options.progress === true);
    const form = options.json === true ? jsonForm(head) : textForm(head);
    const asked = on === undefined ? context : contextOn(context, readConfig(), on);
    await print(piecesOf(asked, form, report)).finally(() => report.end());
  });
}
