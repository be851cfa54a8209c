// The rows of a large installation whose pages are measured: apps of very different sizes, one owner of many apps, one person
// with thousands of tokens, people known by an account or by an address alone. The same numbers give the same rows.
import { createHash } from 'node:crypto';

export const DAY = 86_400_000;
const HOUR = DAY / 24;
export const hexOf = (text, length = 24) => createHash('sha256').update(text).digest('hex').slice(0, length);

export const sizeOf = (tokens) => ({
  tokens,
  people: Math.max(100, Math.round(tokens * 0.367)),
  apps: Math.max(60, Math.round(tokens / 500)),
});

export const clientIdOf = (app) => hexOf(`app ${app}`);
export const accountIdOf = (person) => hexOf(`account ${person}`);
/** Ids rise with time, as those of the bridge do. */
const idOf = (number) => number.toString(16).padStart(24, '0');
export const mappingIdOf = idOf;
/** One request changed a hundred tokens. */
export const requestIdOf = (token) =>
  hexOf(`request ${Math.floor(token / 100)}`, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const FIRST =
  'Ada Ben Chiara Dana Emeka Fatou Giulia Hugo Ines Jonas Kemi Liam Mara Ngozi Olu Petra Quinn Rosa Sami Tove'.split(
    ' ',
  );
const SOUNDS =
  'ba be bo da de do fa fe ka ke ko la le lo ma me mo na ne no ra re ro sa se so ta te to va ve vo'.split(
    ' ',
  );

/** Names as unlike as those of people: some first names, and last names of three or four syllables. */
export function nameOf(person) {
  const at = (place) =>
    SOUNDS[Number.parseInt(hexOf(`name ${person}`).slice(place * 2, place * 2 + 2), 16) % SOUNDS.length];
  const last = [0, 1, 2, ...(person % 2 === 0 ? [3] : [])].map(at).join('');
  return `${FIRST[person % FIRST.length]} ${last[0].toUpperCase()}${last.slice(1)}`;
}

export const addressOf = (person) =>
  `${nameOf(person).toLowerCase().replace(' ', '.')}.${person}@mail-${person % 40}.example`;

/** Two people of five are known by their account. The first person owns apps, the second holds thousands of tokens. */
export const hasAccount = (person) => person % 5 < 2;
export const [OWNER, HOLDER, STAFF] = [0, 1, 5];
export const OWNED = 44;
const HELD = 5000;

/** The largest app has about an eighth of all tokens. */
function appOf(chance, apps) {
  return Math.min(apps - 1, Math.floor(apps ** chance) - 1);
}

const chanceOf = (text) => Number.parseInt(hexOf(text, 8), 16) / 2 ** 32;

const STATES = [
  'active',
  'active',
  'unmapped',
  'unmapped',
  'unmapped',
  'unmapped',
  'reauthorization_required',
  'revoked',
  'migrated',
  'unmapped',
];

export function* appRows({ apps }, now) {
  for (let app = 0; app < apps; app += 1)
    yield {
      client_id: clientIdOf(app),
      name: `${nameOf(app + 7).split(' ')[1]} planner ${app}`,
      owner_account_id: app < OWNED ? accountIdOf(OWNER) : accountIdOf(10 + (app % 1400) * 5),
      source: 'imported',
      created_at: now - 900 * DAY,
    };
}

export function* callbackRows({ apps }) {
  for (let app = 0; app < apps; app += 1)
    yield { client_id: clientIdOf(app), uri: `https://hooks-${app}.apps.example/callback` };
}

export function* accountRows({ people }, now) {
  for (let person = 0; person < people; person += 1)
    if (hasAccount(person))
      yield {
        account_id: accountIdOf(person),
        email: addressOf(person),
        name: nameOf(person),
        timezone: 'UTC',
        updated_at: now,
      };
}

/** One person of ten without an account is known by an old user id alone. */
const hasOldIdAlone = (person) => person % 10 === 9;

/** A token with what its rows have in common. */
export function* heldTokens({ tokens: count, people, apps }, now) {
  for (let token = 0; token < count; token += 1) {
    const [one, two, three] = [`app of ${token}`, `person of ${token}`, `use of ${token}`].map(chanceOf);
    const person = token < HELD ? HOLDER : Math.floor(two * people);
    const known = hasAccount(person);
    const state = known ? STATES[token % STATES.length] : 'unmapped';
    yield {
      token,
      person,
      known,
      clientId: clientIdOf(appOf(one, apps)),
      state,
      lastUsed: three < 0.85 ? Math.floor((now - three * 400 * DAY) / DAY) * DAY : null,
      isUnproven: state === 'active' && token % 40 === 0,
      isHandedOver: state === 'migrated' && token % 40 === 8,
    };
  }
}

export const mappingRow = (
  { token, person, known, clientId, state, lastUsed, isUnproven, grantId },
  now,
) => ({
  id: mappingIdOf(token),
  token_digest: `bench.${mappingIdOf(token)}`,
  hint_first: hexOf(`hint ${token}`, 4),
  hint_last: hexOf(`end ${token}`, 4),
  client_id: clientId,
  account_id: known ? accountIdOf(person) : null,
  account_email: known || hasOldIdAlone(person) ? null : addressOf(person),
  legacy_account_id: !known && hasOldIdAlone(person) ? hexOf(`old ${person}`) : null,
  grant_id: grantId ?? null,
  state,
  reason: state === 'reauthorization_required' ? 'grant_refused' : null,
  source: isUnproven ? 'observed' : 'imported',
  created_at: now - 800 * DAY - token,
  updated_at: now - (token % 60) * DAY,
  last_used_at: lastUsed,
});

const diedAt = (token, now) => now - (token % 30) * DAY - (token % 900) * 1000;
const handedAt = (token, now) => now - (token % 14) * DAY - (token % 900) * 1000;

/** Of the tokens that have one a grant, and of none another. */
export const grantIdOf = idOf;

export const handoverRow = ({ token, person, clientId }, now) => ({
  grant_id: grantIdOf(token),
  client_id: clientId,
  account_id: accountIdOf(person),
  version: 1,
  migrated_tokens: 1 + (token % 3),
  handed_at: handedAt(token, now),
  confirmed_at: token % 80 === 8 ? null : now - HOUR,
});

/** How and when a grant ended. */
function endOf({ token, isDead, isHandedOver }, now) {
  if (!isDead) return { dead_cause: null, dead_at: null };
  if (isHandedOver) return { dead_cause: 'handed_over', dead_at: handedAt(token, now) };
  return { dead_cause: token % 3 === 0 ? 'lost' : 'refused', dead_at: diedAt(token, now) };
}

/**
 * Stopped tokens have a grant that died within the last month, some moved ones a grant that was handed over within two
 * weeks, and one in a hundred of those that work is in doubt.
 */
export function grantRow({ token, person, clientId, state, isHandedOver }, now) {
  const isDead = state !== 'active';
  const isDoubtful = !isDead && token % 100 === 0;
  return {
    id: grantIdOf(token),
    client_id: clientId,
    account_id: accountIdOf(person),
    modern_client_id: 'bridge',
    state: isDead ? 'dead' : isDoubtful ? 'in_doubt' : 'ready',
    ...endOf({ token, isDead, isHandedOver }, now),
    doubt_since: isDoubtful ? now - 60_000 : null,
    presented_at: isDoubtful ? now - 90_000 : null,
    retry_at: isDoubtful ? now + DAY : 0,
    version: 1,
    scope: 'account:read',
    access_expires_at: now + DAY,
    refresh_at: now + 300 * DAY,
    created_at: now - 100 * DAY,
    updated_at: now,
    rotated_at: now,
  };
}

const dayAt = (now, ago) => new Date(now - ago * DAY).toISOString().slice(0, 10);

export const DAYS = 90;
const ENDPOINTS = ['/1/profiles.json', '/1/user.json', '/1/profiles/:id/updates/pending.json'];

export function* callRows({ apps }, now) {
  for (let app = 0; app < apps; app += 1)
    for (let ago = 0; ago < DAYS; ago += 1)
      for (const endpoint of ENDPOINTS)
        yield {
          client_id: clientIdOf(app),
          day: dayAt(now, ago),
          endpoint,
          carrier: 'header',
          user_agent: `planner/${app % 7}`,
          outcome: 'new',
          calls: 10 + (app % 9),
          last_at: now - ago * DAY,
        };
}

export function* usageRows(token, now) {
  if (token % 5 !== 0) return;
  for (const ago of [0, 1])
    yield {
      mapping_id: mappingIdOf(token),
      day: dayAt(now, ago),
      endpoint: ENDPOINTS[0],
      carrier: 'header',
      user_agent: 'planner/1',
      outcome: 'new',
      calls: 10,
      last_at: now - ago * DAY,
    };
}

export function* mailRows(count, now) {
  for (let mail = 0; mail < count; mail += 1)
    yield {
      id: hexOf(`mail ${mail}`),
      person: `email:lost-${mail}@gone.example`,
      address: `lost-${mail}@gone.example`,
      day: dayAt(now, mail % 60),
      replaces: '',
      state: 'undeliverable',
      attempts: 3,
      next_at: 0,
      failure: 'mailbox unknown',
      created_at: now - mail * 1000,
      ended_at: now - mail * 1000,
    };
}

export function* progressRows({ apps }, now) {
  for (let app = 0; app < apps; app += 1)
    for (let ago = DAYS; ago > 0; ago -= 1)
      yield {
        client_id: clientIdOf(app),
        day: dayAt(now, ago),
        unmapped: 300 + ago,
        active: 200 - ago,
        reauthorization_required: 10,
        revoked: 5,
        migrated: 5,
        waiting_people: 100 + ago,
      };
}

export function* progressOfAll({ apps }, now) {
  for (let ago = DAYS; ago > 0; ago -= 1)
    yield {
      day: dayAt(now, ago),
      unmapped: apps * (300 + ago),
      active: apps * (200 - ago),
      reauthorization_required: apps * 10,
      revoked: apps * 5,
      migrated: apps * 5,
      waiting_people: apps * (100 + ago),
    };
}
