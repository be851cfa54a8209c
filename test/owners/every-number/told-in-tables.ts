import { LABELS, type Facts, type Token, waits } from './facts.ts';
import type { Place, Rule } from './rules.ts';
import { APPS } from './world.ts';

/** What long lists of tokens say: the counts of their tabs, which rows a page has, and the numbers of its notes. */

const STATES: Readonly<Record<string, readonly string[]>> = {
  all: Object.values(LABELS),
  stopped: ['reauthorization_required'],
  waiting: ['unmapped'],
  connected: ['active'],
  moved: ['migrated'],
  revoked: ['revoked'],
};

/** A list of tokens: of an app, of the reader at an app, or of an account. */
const LIST = /^\/(?:apps\/[0-9a-f]{24}(?:\/tokens)?|support\/(?:apps|accounts)\/[0-9a-f]{24})(?:$|\?)/;

/** The tokens of the whole list. */
function listed({ tokens }: Facts, { path, reader }: Place): Token[] {
  const own = tokens.filter(({ client_id: app, account_id: id }) =>
    path.startsWith('/support/accounts/') ? id !== null && path.includes(id) : path.includes(app),
  );
  const isAll = path.startsWith('/support/') || (path.includes('/tokens') && own[0]?.owner === reader);
  return isAll ? own : own.filter(({ account_id: id }) => id === reader);
}

const countIn = (facts: Facts, place: Place, tab: string) =>
  listed(facts, place).filter(({ state }) => STATES[tab]?.includes(state)).length;

const tabOf = ({ path }: Place) => new URL(path, 'http://any').searchParams.get('show') ?? 'all';

/** The tokens of an account that wait, at an app or at all. */
const waitingOf = (facts: Facts, place: Place, app?: string) =>
  listed(facts, place).filter((token) => waits(token) && (app === undefined || token.app === app));

const ACCOUNT = /^\/support\/accounts\//;

const appsOf = (tokens: readonly Token[]) => new Set(tokens.map(({ client_id: id }) => id));

const stoppedApps = (facts: Facts, place: Place) =>
  appsOf(listed(facts, place).filter(({ state }) => state === 'reauthorization_required'));

const APP = `(?<app>${APPS.map(({ name }) => name).join('|')}|Old App|unidentified program: caller)`;

export const TOLD_IN_TABLES: readonly Rule[] = [
  {
    on: LIST,
    says: '\\| (?<tab>All|Stopped|Waiting|Connected|Moved|Revoked) #(?= \\|)',
    truth: (facts, place) => [countIn(facts, place, (place.names['tab'] ?? '').toLowerCase())],
  },
  {
    on: LIST,
    says: '(?:\\d+ to )?\\d+ of #(?= \\|| First| Next| Previous|$)',
    truth: (facts, place) => [countIn(facts, place, tabOf(place))],
  },
  {
    on: ACCOUNT,
    says: '# apps? ha(?:s|ve) stopped',
    truth: (facts, place) => [stoppedApps(facts, place).size],
  },
  {
    on: ACCOUNT,
    says: '# apps? waits? to be connected',
    truth: (facts, place) => {
      const stopped = stoppedApps(facts, place);
      return [appsOf(waitingOf(facts, place).filter(({ client_id: id }) => !stopped.has(id))).size];
    },
  },
  {
    on: ACCOUNT,
    says: '# apps? (?:is|are) connected',
    truth: (facts, place) => [appsOf(listed(facts, place).filter(({ state }) => state === 'active')).size],
  },
  {
    on: ACCOUNT,
    says: `${APP} : # tokens?, `,
    truth: (facts, place) => [waitingOf(facts, place, place.names['app']).length],
  },
];
