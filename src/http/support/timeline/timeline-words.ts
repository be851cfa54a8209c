import type { ShownEvent } from '../../../domain/support/timeline.ts';
import type { Sentence } from '../../wording/words.ts';
import { whyGrantEnded, whyTokenEnded } from '../../../domain/tokens/standing/ends.ts';

/** Entries of the history in words: who, what, why. */

interface ActionWords {
  words: string;
  kind?: 'ok' | 'warning' | 'danger';
}

const ACTIONS: Readonly<Record<string, ActionWords>> = {
  access_allowed: { words: 'A person who had left the app lets its owner share it with them again' },
  access_given: { words: 'A contact was given the pages of the app' },
  access_proven: { words: 'A contact proved the address, and sees the app now' },
  access_refused: { words: 'A contact left the app, and it cannot be shared with them again' },
  access_taken: { words: 'The pages of the app were taken away from a contact' },
  account_changed: { words: 'The account’s name, address or zone changed' },
  account_named: { words: 'The account became known' },
  account_pinned: { words: 'It was given to this account' },
  account_proven: { words: 'Its holder proved whose it is' },
  api_key_ended: { words: 'A key of the staff API was ended' },
  api_key_made: { words: 'A key of the staff API was made' },
  app_changed: { words: 'The app’s data changed' },
  app_claimed: { words: 'A call named an app; this gives no right' },
  app_cut_over: { words: 'It was set how many accounts of the app the new API answers early' },
  app_extended: { words: 'The app was given more time' },
  app_imported: { words: 'The app was imported' },
  app_observed: { words: 'An unidentified program was first seen' },
  app_registered: { words: 'The app was registered' },
  app_retired: { words: 'The app was retired: all its tokens are refused', kind: 'danger' },
  brownout_planned: { words: 'A short test outage was planned' },
  brownout_removed: { words: 'A planned test outage was taken off' },
  bulk_asked: { words: 'An action on many was asked for' },
  bulk_stopped: { words: 'An action on many was stopped' },
  bulk_taken_back: { words: 'An action on many is taken back' },
  callback_added: { words: 'A callback was added' },
  code_replayed: { words: 'Its code was used a second time', kind: 'warning' },
  contact_added: { words: 'A contact was added' },
  contact_removed: { words: 'A contact was removed' },
  date_set: { words: 'A date of the old API was set' },
  deauthorized: { words: 'The app’s access to the account was ended', kind: 'danger' },
  exemption_ended: { words: 'The app meets test outages again' },
  exemption_granted: { words: 'The app was left out of the test outages' },
  extension_ended: { words: 'The extra time of the app was ended' },
  extension_taken_back: { words: 'A change of the app’s time was taken back' },
  grant_died: { words: 'The connection ended', kind: 'danger' },
  grant_handed_over: { words: 'The app took the connection over' },
  grant_probed: { words: 'Support tested the connection' },
  grant_replaced: { words: 'A newer connection replaced this one' },
  grant_revived: { words: 'The connection came back', kind: 'ok' },
  granted: { words: 'The account holder consented: a new connection', kind: 'ok' },
  handover_confirmed: { words: 'The app confirmed that it has its pair', kind: 'ok' },
  handover_erased: { words: 'The pair of the hand-over was erased', kind: 'warning' },
  ids_learned: { words: 'The old ids of its profiles became known' },
  link_made: { words: 'Support gave out the link to connect again' },
  mail_settled: { words: 'Support dealt with a mail that reached nobody' },
  modern_client_entered: { words: 'The app’s own client was entered' },
  modern_client_handovers_ended: { words: 'Hand-overs to a client that the app used before were ended' },
  modern_client_handovers_kept: { words: 'Hand-overs to a client that the app used before may go on' },
  modern_client_removed: { words: 'The app’s own client was removed' },
  modern_client_secret_retired: { words: 'The secret of the app’s own client was retired' },
  old_backend_not_told: { words: 'The old API was not told of the end', kind: 'warning' },
  owner_changed: { words: 'The app was given to another account' },
  refresh_in_doubt: { words: 'The connection is in doubt', kind: 'warning' },
  refresh_unspent: { words: 'The doubt was settled: the refresh token was not spent', kind: 'ok' },
  refresh_recovered: { words: 'The doubt was settled: the connection is renewed', kind: 'ok' },
  rehearsal_started: { words: 'The owner began a rehearsal' },
  rehearsal_stopped: { words: 'The owner stopped a rehearsal' },
  reminder_asked: { words: 'Support had a reminder sent' },
  reminders_resumed: { words: 'Reminders to an address go on' },
  secret_added: { words: 'A secret was added' },
  secret_retired: { words: 'A secret was retired' },
  shadow_cleared: { words: 'The counts of different answers were deleted' },
  staff_added: { words: 'Somebody was added to the staff' },
  staff_removed: { words: 'Somebody was taken off the staff' },
  staff_signed_in: { words: 'A member of staff signed in by the company' },
  taken_back: { words: 'Something was taken back' },
  token_assigned: { words: 'The token was given to this app' },
  token_changed: { words: 'The token’s data changed' },
  token_connected: { words: 'The token is connected', kind: 'ok' },
  token_imported: { words: 'The token was imported' },
  token_issued: { words: 'The token was issued' },
  token_leaked: { words: 'The token was reported as leaked', kind: 'danger' },
  token_looked_up: { words: 'Support looked it up by the whole token' },
  token_migrated: { words: 'The token ended with the hand-over' },
  token_observed: { words: 'The token was first seen in use' },
  token_reauthorization_required: { words: 'The token stopped working', kind: 'danger' },
  token_refused_there: { words: 'The old API refused the token; the new API answers its calls from then on' },
  token_revoked: { words: 'The token was revoked', kind: 'danger' },
  token_taken_back: { words: 'What was done with the token was taken back', kind: 'ok' },
  webhook_added: { words: 'A webhook was added' },
  webhook_removed: { words: 'A webhook was removed' },
  webhook_secret_changed: { words: 'A webhook got a new secret' },
};

/**
 * Reasons that the history stores in words other than the page's: `consent`, and the words of earlier versions. The
 * reasons of ends are in wording/ends.ts; all other reasons are stored in words for people.
 */
const REASONS: Readonly<Record<string, string>> = {
  consent: 'consent of the account holder',
  'the modern side says so': 'the new API says so',
  'the modern side verifies e-mail addresses': 'the new API verifies e-mail addresses',
  'the old backend knows the same profiles': 'the old API knows the same profiles',
  'the old backend accepts it': 'the old API accepted it',
};

/** What the bridge did with a repeated code, by the setting for repeated codes. */
const REPLAYS: Readonly<Record<string, string>> = {
  deny: 'the token stays',
  revoke: 'its token was revoked',
};

const known = <T>(words: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(words, key) ? words[key] : undefined;

/** What happened. An action without words of its own is shown by its name. */
function whatWords(action: string): ActionWords {
  return known(ACTIONS, action) ?? { words: action.replaceAll('_', ' ') };
}

/** Reasons that say no more than the action itself. */
const SAME: Readonly<Record<string, string>> = {
  granted: 'consent',
  token_imported: 'import',
  app_imported: 'import',
  app_registered: 'registration',
};

/** A time as the history stores it in a reason. */
const MOMENT = /(\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)/;

/** People type reasons too: a text that only resembles a time stays as it is. */
function withTimes(reason: string): Sentence {
  return reason.split(MOMENT).map((part) => {
    const time = MOMENT.test(part) ? Date.parse(part) : Number.NaN;
    return Number.isNaN(time) ? part : time;
  });
}

type Entry = Pick<ShownEvent, 'action' | 'reason'>;

/** Reasons with a stored form of their own. An id tells the reader nothing: the entry or the page names its subject. */
const BY_ACTION: Readonly<Record<string, (reason: string) => string | undefined>> = {
  grant_died: whyGrantEnded,
  code_replayed: (reason) => known(REPLAYS, reason),
  mail_settled: (reason) => reason.replace(/^mail [0-9a-f]{24}: /, ''),
  secret_added: () => '',
  secret_retired: () => '',
};

/** The reason, where it says more than the action. */
function whyWords({ action, reason }: Entry): Sentence | undefined {
  if (reason === null || known(SAME, action) === reason) return undefined;
  const words =
    known(BY_ACTION, action)?.(reason) ?? whyTokenEnded(reason) ?? known(REASONS, reason) ?? reason;
  return words === '' ? undefined : withTimes(words);
}

interface ActorWords {
  words: string;
  /** The address of the account's page. */
  href?: string;
}

const ACTORS: Readonly<Record<string, string>> = {
  bridge: 'grantbridge itself',
  command: 'an operator (command)',
  demo: 'the demo',
};

/** Actions that only staff can do. A staff member may be the holder of the token too. */
const OF_STAFF: ReadonlySet<string> = new Set([
  'app_extended',
  'extension_ended',
  'extension_taken_back',
  'grant_probed',
  'link_made',
  'mail_settled',
  'reminder_asked',
  'token_assigned',
  'token_looked_up',
  'token_taken_back',
]);

function accountWho(id: string, { names, holderId, holderIs }: ActorNames, action: string): ActorWords {
  const name = names.get(id) ?? `account ${id}`;
  const as = OF_STAFF.has(action)
    ? ' (as support)'
    : id === holderId
      ? ` (${holderIs ?? 'the account holder'})`
      : '';
  const words = `${name}${as}`;
  return { words, href: `/support/accounts/${encodeURIComponent(id)}` };
}

/** A name is the word of the company and may change; issuer and subject name the person for good. */
function companyWords(id: string, { names }: ActorNames): string {
  const [issuer = '', ...rest] = id.split('#');
  const place = `${rest.join('#')} at ${issuer}`;
  const name = names.get(`company:${id}`);
  return name === undefined ? place : `${name} (${place})`;
}

interface ActorNames {
  /** By account id, and of the company's staff by the whole actor. */
  names: ReadonlyMap<string, string>;
  /** The account that holds the token, or that owns the app. */
  holderId: string | undefined;
  /** What that account is; without a word the holder. */
  holderIs?: string | undefined;
}

/** Programs that call: an app, or a token without a proven app. */
const PROGRAMS: Readonly<Record<string, { words: string; at: string }>> = {
  app: { words: 'the app', at: '/support/apps' },
  token: { words: 'a call with the token', at: '/support/mappings' },
};

/** The beginning tells keys apart. */
const shownKey = (id: string) => (id.length > 12 ? `${id.slice(0, 12)}…` : id);

/** Who has no page here. */
const OUTSIDERS: Readonly<Record<string, (id: string, readers: ActorNames) => string>> = {
  company: companyWords,
  leaks: (id) => `a scanner of leaked tokens (key ${shownKey(id)})`,
  command: (id) => `${id} (command)`,
  key: (id) => `a program (API key ${id})`,
};

/**
 * Who did it: an account by its name, a calling program, an operator, or the bridge. The action decides in which role a
 * person acted.
 */
export function whoWords(actor: string, readers: ActorNames, action = ''): ActorWords {
  const [kind = '', ...rest] = actor.split(':');
  const id = rest.join(':');
  if (kind === 'account' && id !== '') return accountWho(id, readers, action);
  const program = known(PROGRAMS, kind);
  if (program) return { words: program.words, href: `${program.at}/${encodeURIComponent(id)}` };
  const outside = id === '' ? undefined : known(OUTSIDERS, kind)?.(id, readers);
  return { words: outside ?? known(ACTORS, actor) ?? actor };
}

/** One entry as a row of the timeline. */
export function timelineLine(event: ShownEvent, readers: ActorNames) {
  const what = whatWords(event.action);
  return {
    at: event.at,
    what: what.words,
    kind: what.kind ?? '',
    why: whyWords(event),
    who: whoWords(event.actor, readers, event.action),
    requestId: event.request_id === null ? undefined : encodeURIComponent(event.request_id),
  };
}
