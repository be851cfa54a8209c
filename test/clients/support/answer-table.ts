import type { ClientAnswer, ClientCall } from './every-call.ts';
import { OLD_MARK } from './whole-old-api.ts';

/** The table client, call, phase and answer: its cells, and how it is printed. */

export interface Table {
  name: string;
  /** By the phase; a cell by the name of its call. */
  columns: Array<[phase: string, cells: Map<string, string>]>;
}

/** The bridge asks the old API for these by itself, so that a request there says nothing of who answered. */
const ASKED_BY_THE_BRIDGE = ['GET user', 'GET profiles'];

const isMarked = (text: string) => text.includes(`"answered_by":"${OLD_MARK.answered_by}"`);

/** Which side answered: both were asked where only one answer can come back. */
function sideOf({ path }: ClientCall, { status, body }: ClientAnswer, seen: readonly string[]): string {
  if (isMarked(JSON.stringify(body ?? ''))) return 'old';
  if (ASKED_BY_THE_BRIDGE.includes(path)) return 'new';
  const [method, rule = ''] = path.split(' ');
  const asked = new RegExp(`^${method} ${rule.replaceAll(/:\w+/g, '[0-9a-f]{24}')}$`);
  if (!seen.some((call) => asked.test(call))) return 'new';
  return status === 200 ? 'both' : 'old';
}

/** What a call was answered; `seen` is what reached the old API meanwhile. */
interface Answered {
  answer: ClientAnswer;
  seen: readonly string[];
  kept: KeptIds;
}

/** Whose ids an answer has to speak of: those that the client has used from the first day. */
export interface KeptIds {
  user: string;
  profile: string;
  /** The update that the client made last. */
  update?: string;
}

type NamedId = readonly ['user' | 'profile', unknown];

const idsOfUpdate = ({ profile_id: profile, user_id: user }: Record<string, unknown>): NamedId[] => [
  ['profile', profile],
  ['user', user],
];

/** The ids that an answer names: of an update, of one profile or all, or of the user. */
function namedIds(body: unknown): NamedId[] {
  if (Array.isArray(body)) return body.map((one: unknown): NamedId => ['user', Object(one).user_id]);
  const object = Object(body) as Record<string, unknown>;
  const { id, service, timezone, user_id: user, updates, update } = object;
  if (Array.isArray(updates)) return updates.flatMap((one: unknown) => idsOfUpdate(Object(one)));
  if (update !== undefined) return idsOfUpdate(Object(update));
  if (service !== undefined)
    return [
      ['profile', id],
      ['user', user],
    ];
  return timezone === undefined ? idsOfUpdate(object) : [['user', id]];
}

const otherIds = (body: unknown, kept: KeptIds) =>
  namedIds(body).some(([name, id]) => id !== undefined && id !== kept[name]) ? ' WITH OTHER IDS' : '';

const listWord = (updates: readonly unknown[], own: string | undefined) =>
  updates.some((one) => Object(one).id === own) ? 'list with the update' : 'list without the update';

/** What an object is that has this field; the first that fits. */
const KINDS = [
  ['update', 'success, update'],
  ['services', 'services'],
  ['interactions', 'interactions'],
  ['shares', 'shares'],
  ['service', 'profile'],
  ['timezone', 'user'],
  ['success', 'success'],
] as const;

/** In one or a few words, without ids and times. */
function wordOf(body: unknown, { update: own }: KeptIds): string {
  if (Array.isArray(body)) return `${body.length} entries`;
  const answer = Object(body) as Record<string, unknown>;
  const { error, message = error, code, updates, status } = answer;
  if (typeof code === 'number')
    return `${code} ${JSON.stringify(message)}`.replace(/http:\S+(?=")/, 'ADDRESS');
  if (Array.isArray(updates)) return answer['success'] === true ? 'success, updates' : listWord(updates, own);
  if (typeof status === 'string') return `update in ${status}`;
  return KINDS.find(([field]) => field in answer)?.[1] ?? 'nothing known';
}

/** One cell: who answered, the status, and what. */
export function answerCell(call: ClientCall, { answer, seen, kept }: Answered): string {
  const { status, body } = answer;
  return `${sideOf(call, answer, seen)} ${status} ${wordOf(body, kept)}${otherIds(body, kept)}`;
}

/** Each call with its answers; neighbouring phases with the same answer stand together. */
export function rowsOf({ columns }: Table): Array<[call: string, answers: string[]]> {
  const calls = [...(columns[0]?.[1].keys() ?? [])];
  return calls.map((call) => {
    const runs: Array<{ phases: string[]; cell: string }> = [];
    for (const [phase, cells] of columns) {
      const cell = cells.get(call) ?? 'not called';
      const last = runs.at(-1);
      if (last?.cell === cell) last.phases.push(phase);
      else runs.push({ phases: [phase], cell });
    }
    return [call, runs.map(({ phases, cell }) => `${phases.join(' | ')}: ${cell}`)];
  });
}

/** The table of one client as text. */
export function printTable(table: Table): string {
  const rows = rowsOf(table).map(([call, answers]) => [call, ...answers.map((one) => `  ${one}`)].join('\n'));
  return [`## ${table.name}`, ...rows].join('\n');
}
