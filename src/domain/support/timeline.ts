import {
  eventsOfApp,
  eventsOfGrants,
  eventsOfMapping,
  eventsOfPair,
  namesOf,
  type ShownEvent,
} from '../../store/support/support-events.ts';
import { companyStaffNamed } from '../../store/accounts/company-staff.ts';
import { listGrantsOf } from '../../store/support/support-pair.ts';
import type { AppAccount } from '../../store/tokens/mappings.ts';
import type { SupportDeps } from './deps.ts';

/**
 * The history on the pages of support: of a token with its grants and its pair of app and account, or of an app. The
 * newest entry comes first.
 */

export type { ShownEvent };

/** Entries of one page. */
const PAGE = 50;

/** How many grants of one app and account are read. Older grants are left out. */
const GRANTS_MAX = 100;

interface TimelinePage {
  events: ShownEvent[];
  /** The id before which the entries of the next page lie; undefined on the last page. */
  before: number | undefined;
  /** The names of the people who acted, by account id. */
  names: ReadonlyMap<string, string>;
}

const ACCOUNT = 'account:';
const COMPANY = 'company:';

/** The names of the people who acted: by account id, and of the company's staff by the whole actor. */
export async function actorNames(
  { store: { durable } }: Pick<SupportDeps, 'store'>,
  acted: ReadonlyArray<string | null>,
) {
  const actors = [...new Set(acted.filter((one) => one !== null))];
  const accounts = actors.flatMap((one) => (one.startsWith(ACCOUNT) ? [one.slice(ACCOUNT.length)] : []));
  const [rows, staff] = await Promise.all([
    namesOf(durable, accounts),
    companyStaffNamed(
      durable,
      actors.filter((one) => one.startsWith(COMPANY)),
    ),
  ]);
  return new Map([
    ...rows.flatMap(({ account_id: id, name, email }) => nameEntry(id, name ?? email)),
    ...staff.flatMap(({ actor, name, email }) => nameEntry(actor, companyNameOf(name, email))),
  ]);
}

/** The names of those who settled mails. */
export const settlerNames = (
  context: Pick<SupportDeps, 'store'>,
  mails: ReadonlyArray<{ settled_by: string | null }>,
): Promise<Map<string, string>> =>
  actorNames(
    context,
    mails.map(({ settled_by: by }) => by),
  );

const companyNameOf = (...said: Array<string | null>) =>
  [...new Set(said.filter(Boolean))].join(', ') || null;

const nameEntry = (id: string, name: string | null): Array<[string, string]> =>
  name === null ? [] : [[id, name]];

async function pageOf(
  context: Pick<SupportDeps, 'store'>,
  found: ReadonlyArray<readonly ShownEvent[]>,
): Promise<TimelinePage> {
  const byId = new Map(found.flat().map((event) => [event.id, event]));
  const sorted = [...byId.values()].toSorted((one, other) => other.id - one.id);
  const events = sorted.slice(0, PAGE);
  const last = events.at(-1);
  return {
    events,
    before: sorted.length > PAGE && last ? last.id : undefined,
    names: await actorNames(
      context,
      events.map(({ actor }) => actor),
    ),
  };
}

const placeOf = (before: number | undefined) => ({
  before: before ?? Number.MAX_SAFE_INTEGER,
  limit: PAGE + 1,
});

/** The events of a token, of the grants of its app and account, and of the app and account together. */
export async function timelineOfMapping(
  { store }: Pick<SupportDeps, 'store'>,
  { mappingId, pair, grantId }: { mappingId: string; pair: AppAccount | undefined; grantId: string | null },
  before?: number,
): Promise<TimelinePage> {
  const { durable } = store;
  const at = placeOf(before);
  const grants = pair ? await listGrantsOf(durable, pair, GRANTS_MAX) : [];
  const grantIds = new Set([...grants.map(({ id }) => id), ...(grantId === null ? [] : [grantId])]);
  const found = await Promise.all([
    eventsOfMapping(durable, mappingId, at),
    eventsOfGrants(durable, [...grantIds], at),
    pair ? eventsOfPair(durable, pair, at) : [],
  ]);
  return pageOf({ store }, found);
}

/** The events of an app itself. */
export async function timelineOfApp(
  { store }: Pick<SupportDeps, 'store'>,
  clientId: string,
  before?: number,
): Promise<TimelinePage> {
  return pageOf({ store }, [await eventsOfApp(store.durable, clientId, placeOf(before))]);
}
