// The file that an import of a large installation reads: apps of very different sizes, people with a token or a few, some
// known by their account and some by an address alone. The same numbers give the same file.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

const DAY = 86_400;

export const hexOf = (text, length = 24) => createHash('sha256').update(text).digest('hex').slice(0, length);

/** How large an installation with this many tokens is: at a million tokens 367,000 people and 2,000 apps. */
export const sizeOf = (tokens) => ({
  tokens,
  people: Math.max(10, Math.round(tokens * 0.367)),
  apps: Math.max(10, Math.round(tokens / 500)),
});

/** Numbers from 0 to 1 that look random and are the same each time. */
function createNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks apps as installations have them: the largest has an eighth of all tokens, the smallest a few. */
function createApps(apps, next) {
  const sums = [];
  let sum = 0;
  for (let app = 0; app < apps; app += 1) sums.push((sum += 1 / (app + 1)));
  return () => {
    const wanted = next() * sum;
    let [low, high] = [0, apps - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

export const tokenOf = (token) => `1/${hexOf(`token ${token}`, 32)}`;
export const clientIdOf = (app) => hexOf(`app ${app}`);
export const accountIdOf = (person) => hexOf(`account ${person}`);
export const addressOf = (person) => `person-${person}@mail-${person % 40}.example`;

/** Two people of five are known by their account. */
export const hasAccount = (person) => person % 5 < 2;

/** 1,400 owners of 2,000 apps. */
const ownerOf = (app, apps) => Math.floor((app * 7919) % Math.ceil(apps * 0.7));

const appRow = (app, { apps, now }) => ({
  type: 'app',
  client_id: clientIdOf(app),
  client_secret: hexOf(`secret ${app}`, 32),
  name: `App ${app}`,
  callback_urls: [`https://app-${app}.example/callback`],
  owner_email: `owner-${ownerOf(app, apps)}@apps.example`,
  contacts: [`help-${app}@app-${app}.example`],
  created_at: now - 3000 * DAY,
});

/** Three tokens of five were used within a month, some long ago, some never. */
function lastUseOf(chance, now) {
  if (chance < 0.6) return now - Math.floor(chance * 45 * DAY);
  return chance < 0.85 ? now - Math.floor(chance * 900 * DAY) : undefined;
}

function tokenRow(token, { person, app, chance, now }) {
  const holder = hasAccount(person)
    ? { account_id: accountIdOf(person) }
    : { account_email: addressOf(person) };
  const own = tokenOf(token);
  const secret = token % 4 === 0 ? { access_token_sha256: hexOf(own, 64) } : { access_token: own };
  return {
    type: 'token',
    ...secret,
    client_id: clientIdOf(app),
    ...holder,
    created_at: now - 1000 * DAY - (token % 1000) * DAY,
    last_used_at: lastUseOf(chance, now),
  };
}

/** Who holds each token and at which app: everybody has one, and the other tokens are spread unevenly. */
function* holdings({ tokens, people, apps }) {
  const next = createNumbers(7);
  const nextApp = createApps(apps, next);
  for (let token = 0; token < tokens; token += 1) {
    const person = token < people ? token : Math.floor(people * next() ** 1.5);
    yield { token, person, app: nextApp(), chance: next() };
  }
}

/** The rows of an import: apps, then tokens. `now` in Unix seconds. */
export function* peopleRows(size, now) {
  for (let app = 0; app < size.apps; app += 1) yield appRow(app, { ...size, now });
  for (const { token, ...of } of holdings(size)) yield tokenRow(token, { ...of, now });
}

/** Writes the file. `now` in Unix seconds. */
export async function writePeople(path, size, now) {
  const file = createWriteStream(path);
  let held = '';
  for (const row of peopleRows(size, now)) {
    held += `${JSON.stringify(row)}\n`;
    if (held.length < 1 << 20) continue;
    if (!file.write(held)) await once(file, 'drain');
    held = '';
  }
  file.end(held);
  await once(file, 'close');
}
