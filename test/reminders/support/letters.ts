import { createHash } from 'node:crypto';
import { composeLetter } from '../../../src/domain/reminders/letter/compose.ts';
import type {
  DueStage,
  HolderPart,
  OwnerPart,
  ReminderPerson,
} from '../../../src/domain/reminders/people.ts';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { setDate } from '../../../src/store/lifecycle/lifecycle-dates.ts';
import { addUsage, type UsageRow } from '../../../src/store/usage/usage.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import type { System } from '../../support/bridge/system.ts';
import { DANA, waitingToken } from '../../owners/support/people.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { HOSTILE } from './hostile-names.ts';

/** Reminders that are due, and the rows behind them, for the tests of what a mail says. */

export type Letter = Awaited<ReturnType<typeof composeLetter>>;

export const MAIL_ID = 'a'.repeat(24);

/** A Monday morning; fourteen days before the retirement. */
export const NOW = Date.parse('2027-01-18T08:00:00Z');
export const RETIREMENT = Date.parse('2027-02-01T00:00:00Z');
export const SUNSET = Date.parse('2027-06-01T00:00:00Z');

export const DANA_PERSON: ReminderPerson = {
  id: `account:${DANA.accountId}`,
  aliases: [`email:${DANA.login}`],
  accountId: DANA.accountId,
  name: 'Dana',
  address: DANA.login,
  zone: 'Europe/Berlin',
  parts: [],
};

export const BY_EMAIL: ReminderPerson = {
  ...DANA_PERSON,
  id: `email:${DANA.login}`,
  aliases: [],
  accountId: undefined,
  name: undefined,
  zone: 'UTC',
};

/** Sets the dates and has the system know them. */
export async function setDates(system: System, dates: Partial<Record<'retirement' | 'sunset', number>>) {
  const { context } = system.bridge;
  const by = { changed_at: NOW, changed_by: 'test' };
  for (const name of ['retirement', 'sunset'] as const)
    await setDate(context.store.durable, { name, at: dates[name] ?? null, ...by });
  await context.lifecycle.refresh();
}

/** Registers an app, under a name that a registration may refuse. */
export async function appNamed(system: System, name: string, owner?: string): Promise<LegacyApp> {
  const app = await registerLegacyApp(system.bridge, 'https://old.example/cb', owner);
  const { durable } = system.bridge.context.store;
  await durable.updateTable('apps').set({ name }).where('client_id', '=', app.clientId).execute();
  return app;
}

type Seen = Partial<Omit<UsageRow, 'mapping_id' | 'day'>>;

/** Calls of a token, on the days before the mail. */
export async function seen(system: System, mappingId: string, calls: readonly Seen[]): Promise<void> {
  const common = { carrier: 'header', user_agent: 'buffer-python/1.2', outcome: 'ok', calls: 1 };
  const rows = calls.map((call) => {
    const last_at = call.last_at ?? NOW - DAY;
    const day = new Date(last_at).toISOString().slice(0, 10);
    return { endpoint: '/1/profiles.json', ...common, ...call, last_at, mapping_id: mappingId, day };
  });
  await addUsage(system.bridge.context.store, rows);
}

const because = 'a test';

type More<Part> = { stage?: Stage; part?: Partial<Part> } & Partial<Omit<DueStage, 'part' | 'stage'>>;

type Stage = 'died' | 'woken' | 'unused' | 'calendar';

/** A reminder to a holder; the date is the retirement unless it is said. */
export function toHolder(
  app: LegacyApp & { name?: string },
  { stage = 'calendar', part = {}, ...more }: More<HolderPart> = {},
): DueStage {
  const whole: HolderPart = {
    role: 'holder',
    clientId: app.clientId,
    appName: app.name ?? 'Report tool',
    waiting: 1,
    lastUsedAt: NOW - DAY,
    wokenAt: undefined,
    diedAt: undefined,
    knownSince: undefined,
    ...part,
  };
  return dueOf(whole, stage, more);
}

/** A reminder to an owner. */
export function toOwner(
  app: LegacyApp & { name?: string },
  { stage = 'calendar', part = {}, ...more }: More<OwnerPart> = {},
): DueStage {
  const whole: OwnerPart = {
    role: 'owner',
    clientId: app.clientId,
    appName: app.name ?? 'Report tool',
    tokens: { waiting: 12, active: 30 },
    accounts: { waiting: 8, active: 25 },
    lastUsedAt: NOW - DAY,
    waitingUsedAt: NOW - DAY,
    passedAt: undefined,
    knownSince: undefined,
    ...part,
  };
  return dueOf(whole, stage, more);
}

const MOMENTS: Partial<Record<Stage, number>> = { died: NOW - 3_600_000, woken: NOW - 2 * DAY };

function dueOf(
  part: HolderPart | OwnerPart,
  stage: Stage,
  more: Partial<Omit<DueStage, 'part' | 'stage'>>,
): DueStage {
  const { clientId, role } = part;
  const base = { clientId, role, part, because, isUrgent: false };
  const moment = MOMENTS[stage];
  if (moment !== undefined)
    return { ...base, stage, plannedFor: String(moment), milestone: undefined, at: undefined, ...more };
  const date = { milestone: 'retirement' as const, at: RETIREMENT };
  if (stage === 'unused') return { ...base, stage, plannedFor: '', ...date, ...more };
  return { ...base, stage: '14', plannedFor: 'retirement:2027-02-01', ...date, ...more };
}

/** The mail about what is due. */
export function letterTo(system: System, person: ReminderPerson, due: readonly DueStage[]): Promise<Letter> {
  return composeLetter(system.bridge.context, { mailId: MAIL_ID, person, due });
}

/** The words of an HTML mail, in their order. */
export function wordsIn(html: string): string {
  return html
    .replace(/<(head|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
}

/** Every address in a mail, as it can be opened. */
export const linksIn = ({ html }: Letter) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

const named = (app: LegacyApp, name: string) => ({ ...app, name });

/** Mails of every kind, by a name for each. */
export async function sampleLetters(system: System): Promise<Record<string, Letter>> {
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
  const { durable } = system.bridge.context.store;
  const report = await appNamed(system, 'Report tool', DANA.accountId);
  const planner = await appNamed(system, 'Weekly planner', DANA.accountId);
  const archive = await appNamed(system, 'Archive of everything we ever posted', DANA.accountId);
  const held = await waitingToken(system, { app: report, accountId: DANA.accountId });
  const unused = await waitingToken(system, { app: planner, accountId: DANA.accountId });
  const other = await appNamed(system, 'Night server', 'owner@elsewhere.example');
  await waitingToken(system, { app: other, email: DANA.login });
  const agents = [
    'buffer-python/1.2',
    'Mozilla/5.0 (compatible; Reporter/3.1; +http://reporter.example/bot)',
    'none',
  ];
  await seen(system, held.id, [
    ...agents.map((user_agent, index) => ({
      user_agent,
      calls: 1240 - index * 500,
      last_at: NOW - DAY * (index + 1),
    })),
    { endpoint: '/1/analytics.json', carrier: 'body', calls: 31 },
    { endpoint: '/1/profiles/:id.json', carrier: 'query', calls: 12 },
    { endpoint: '/1/profiles/:id/schedules.json', calls: 3 },
    { endpoint: '/1/user.json', calls: 2 },
  ]);
  await seen(system, unused.id, [{ last_at: NOW - 90 * DAY }]);
  await durable
    .insertInto('brownouts')
    .values([
      {
        id: digest('b1'),
        client_id: null,
        rehearses: 'retirement',
        starts_at: NOW + 2 * DAY,
        ends_at: NOW + 2 * DAY + 900_000,
        text: 'A short stop.',
        planned_by: 'test',
        planned_at: NOW,
      },
      {
        id: digest('b2'),
        client_id: null,
        rehearses: 'retirement',
        starts_at: NOW + 9 * DAY,
        ends_at: NOW + 9 * DAY + 10_800_000,
        text: 'A short stop.',
        planned_by: 'test',
        planned_at: NOW,
      },
    ])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await durable
    .insertInto('extensions')
    .values({
      id: digest(planner.clientId),
      client_id: planner.clientId,
      name: 'retirement',
      until: Date.parse('2027-03-01T00:00:00Z'),
      reason: 'asked',
      granted_by: 'test',
      granted_at: NOW,
    })
    .execute();
  await durable
    .insertInto('brownout_exemptions')
    .values({
      id: digest(archive.clientId),
      client_id: archive.clientId,
      until: RETIREMENT,
      reason: 'asked',
      granted_by: 'test',
      granted_at: NOW,
    })
    .execute();
  await system.bridge.context.lifecycle.refresh();
  const extended = Date.parse('2027-03-01T00:00:00Z');
  const letter = (person: ReminderPerson, ...due: DueStage[]) => letterTo(system, person, due);
  return {
    'holder-one-app': await letter(DANA_PERSON, toHolder(report, { part: { waiting: 3 } })),
    'owner-three-apps': await letter(
      DANA_PERSON,
      toOwner(report),
      toOwner(named(planner, 'Weekly planner'), {
        at: extended,
        part: { tokens: { waiting: 1, active: 0 }, accounts: { waiting: 1, active: 0 } },
      }),
      toOwner(named(archive, 'Archive of everything we ever posted'), {
        milestone: 'sunset',
        at: SUNSET,
        part: { tokens: { waiting: 1200, active: 45_000 }, accounts: { waiting: 900, active: 31_000 } },
      }),
    ),
    died: await letter(DANA_PERSON, toHolder(report, { stage: 'died' })),
    woken: await letter(DANA_PERSON, toHolder(report, { stage: 'woken' })),
    unused: await letter(
      DANA_PERSON,
      toHolder(named(planner, 'Weekly planner'), {
        stage: 'unused',
        at: extended,
        part: { lastUsedAt: NOW - 90 * DAY },
      }),
    ),
    'email-person': await letter(BY_EMAIL, toHolder(named(other, 'Night server'))),
    both: await letter(
      DANA_PERSON,
      toHolder(report),
      toOwner(report),
      toHolder(named(other, 'Night server')),
    ),
    hostile: await letter(
      DANA_PERSON,
      ...(['markup', 'a turned text', 'one long word', 'pictures', 'an address'] as const).map(
        (kind, index) =>
          toHolder(
            { ...report, clientId: report.clientId, name: HOSTILE[kind] },
            { clientId: report.clientId.slice(0, 23) + String(index), stage: 'unused' },
          ),
      ),
    ),
  };
}
