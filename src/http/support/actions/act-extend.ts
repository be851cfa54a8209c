import { ChangeRefused } from '../../../domain/lifecycle/changes/change-rules.ts';
import {
  endExtension,
  type ExtensionResult,
  ExtensionInVain,
  extendApp,
} from '../../../domain/lifecycle/changes/extend-app.ts';
import { whyNoneHelps } from '../../../domain/lifecycle/changes/extension-effect.ts';
import type { Milestone } from '../../../domain/lifecycle/lifecycle.ts';
import { SAID_BEFORE } from '../../../domain/take-back/words.ts';
import type { AppTarget } from '../../../domain/support/actions/actions.ts';
import type { PageShell } from '../../site/page-shell.ts';
import { readDay } from './act-extend-day.ts';
import type { StaffAction, ActionPage, Field, NoticeRedirect } from './action-form.ts';
import { appIn, appRedirect, backToApp } from './action-target.ts';

/** /support/apps/:clientId/extend and /unextend: gives one app more time, or ends the extra time. */

const NAMES: Readonly<Record<Milestone, string>> = {
  retirement: 'Retirement: tokens that are not connected are refused',
  sunset: 'Sunset: the old API ends for every token',
};

const MILESTONES = ['retirement', 'sunset'] as const;

const isMilestone = (text: string | undefined): text is Milestone => MILESTONES.some((name) => name === text);

/** The extensions of an app that are not over. */
function inForce({ context }: PageShell, { clientId }: AppTarget): Partial<Record<Milestone, number>> {
  const now = context.clock.now();
  const all = Object.entries(context.lifecycle.current().extensions.get(clientId) ?? {});
  return Object.fromEntries(all.filter(([, until]) => until > now));
}

const dateOf = (term: string, at: number | undefined): ActionPage['facts'][number] =>
  at === undefined ? { term, text: 'not set' } : { term, time: at };

function factsOf(frame: PageShell, target: AppTarget): ActionPage['facts'] {
  const { dates } = frame.context.lifecycle.current();
  const extended = inForce(frame, target);
  const own = Object.entries(extended).map(([name, until]) => ({
    term: `More time for the ${name} until`,
    time: until,
  }));
  return [
    { term: 'App', text: `${target.name} (${target.clientId})` },
    dateOf('Retirement of all apps', dates.retirement),
    dateOf('Sunset of all apps', dates.sunset),
    ...own,
  ];
}

/** For each milestone that no extension can put off: why. */
function hindrances({ context }: Pick<PageShell, 'context'>): Partial<Record<Milestone, string>> {
  const lifecycle = context.lifecycle.current();
  const hasOldApi = context.oldBackend !== undefined;
  const found = MILESTONES.map((name) => [name, whyNoneHelps(lifecycle, name, { hasOldApi })] as const);
  return Object.fromEntries(found.filter(([, why]) => why !== undefined));
}

/** Whether a date is set that can be put off for an app. */
export const isExtendable = (context: PageShell['context']): boolean =>
  Object.keys(hindrances({ context })).length < MILESTONES.length;

function choiceOf(names: readonly Milestone[]): Field {
  const choices = names.map((value) => ({ value, label: NAMES[value] }));
  return { kind: 'choice', name: 'date', label: 'Which date', value: names[0] ?? '', choices };
}

type HiddenField = Extract<Field, { kind: 'hidden' }>;

/** The form carries the end of each extension as the page showed it. */
const seenFields = (frame: PageShell, target: AppTarget): HiddenField[] =>
  MILESTONES.map((name) => ({
    kind: 'hidden',
    name: `seen_${name}`,
    value: String(inForce(frame, target)[name] ?? ''),
  }));

function seenIn(fields: Record<string, string>, name: Milestone): { until: number | undefined } {
  const value = fields[`seen_${name}`] ?? '';
  return { until: value === '' ? undefined : Number(value) };
}

/** Does the work, unless somebody else has changed the extension first. */
async function orTooLate(target: AppTarget, work: () => Promise<string>): Promise<NoticeRedirect> {
  try {
    return appRedirect(target, await work());
  } catch (error) {
    if (error instanceof ChangeRefused && !(error instanceof ExtensionInVain))
      return appRedirect(target, 'too-late');
    throw error;
  }
}

const WHICH = 'Choose the date that this is about.';
const UNTIL = 'Enter a day that is ahead, such as 2027-02-01.';

const GIVES = [
  'Until the day that you enter, the date that comes for all apps does not come for this one. Its owner and its users are reminded of the new date.',
  'More time that the app has for the same date already is replaced.',
  SAID_BEFORE.extend,
];

function askToExtend(frame: PageShell, target: AppTarget): ActionPage {
  const why = hindrances(frame);
  const names = MILESTONES.filter((name) => why[name] === undefined);
  const until: Field = {
    kind: 'date',
    name: 'until',
    label: 'Until',
    hint: 'The first moment of this day, UTC.',
    value: '',
  };
  const canHelp = names.length > 0;
  return {
    title: canHelp ? `Give “${target.name}” more time` : `No more time can be given to “${target.name}”`,
    says: [...(canHelp ? GIVES : []), ...Object.values(why)],
    facts: factsOf(frame, target),
    fields: [...seenFields(frame, target), choiceOf(names), until],
    button: canHelp ? { label: 'Give more time', isDanger: false } : undefined,
    back: backToApp(target),
  };
}

function noticeOf({ isShorter, warnings }: ExtensionResult): string {
  if (isShorter) return 'extension-shortened';
  return warnings.length > 0 ? 'extended-not-in-full' : 'extended';
}

/** The problems of a form that asks for more time; empty where the extension can be tried. */
function problemsOf(name: string | undefined, until: number | undefined): Record<string, string> {
  return { ...(isMilestone(name) ? {} : { date: WHICH }), ...(until ? {} : { until: UNTIL }) };
}

/** Gives an app more time. An extension that would change nothing is refused, with the reason. */
export function extendAction(frame: PageShell): StaffAction<AppTarget> {
  return {
    path: '/support/apps/:clientId/extend',
    needs: 'lead',
    find: (req) => appIn(frame, req),
    ask: async (target) => askToExtend(frame, target),
    async act({ target, fields, reason, origin }) {
      const { date: name, until: day = '' } = fields;
      const until = readDay(day, frame.context.clock.now());
      if (!isMilestone(name) || until === undefined) return { problems: problemsOf(name, until) };
      const { clientId } = target;
      const asked = { clientId, name, until, reason, seen: seenIn(fields, name), ...origin };
      try {
        return await orTooLate(target, async () => noticeOf(await extendApp(frame.context, asked)));
      } catch (error) {
        if (error instanceof ExtensionInVain) return { problems: { form: error.message } };
        throw error;
      }
    },
  };
}

/** Ends the extra time: the date for all apps applies again. */
export function unextendAction(frame: PageShell): StaffAction<AppTarget> {
  return {
    path: '/support/apps/:clientId/unextend',
    needs: 'lead',
    find: (req) => appIn(frame, req),
    async ask(target) {
      const names = Object.keys(inForce(frame, target)).filter(isMilestone);
      if (names.length === 0) return appRedirect(target, 'too-late');
      return {
        title: `End the extra time of “${target.name}”`,
        says: [
          'The date of all applies to this app again, at once. If that date is past, its calls are refused as those of all others are.',
          SAID_BEFORE.unextend,
        ],
        facts: factsOf(frame, target),
        fields: [...seenFields(frame, target), choiceOf(names)],
        button: { label: 'End the extra time', isDanger: true },
        back: backToApp(target),
      };
    },
    async act({ target, fields, reason, origin }) {
      const { date: name } = fields;
      if (!isMilestone(name)) return { problems: { date: WHICH } };
      const asked = { clientId: target.clientId, name, reason, seen: seenIn(fields, name), ...origin };
      return orTooLate(target, async () => {
        // The page has said what ends at once.
        await endExtension(frame.context, { ...asked, isForced: true });
        return 'extension-ended';
      });
    },
  };
}
