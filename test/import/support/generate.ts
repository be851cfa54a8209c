import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/** Files to import, the same for the same numbers: made from counters, so that a test can say what stands in them. */

const hex = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

const clientIdOf = (app: number): string => hex(`app ${app}`, 24);
const accountIdOf = (account: number): string => hex(`account ${account}`, 24);
const legacyIdOf = (account: number): string => hex(`legacy account ${account}`, 24);
export const tokenOf = (token: number): string => `1/${hex(`token ${token}`, 32)}`;

const START = Date.UTC(2015, 0, 1) / 1000;

export const appRow = (app: number) => ({
  type: 'app',
  client_id: clientIdOf(app),
  client_secret: hex(`secret ${app}`, 32),
  name: `App ${app}`,
  callback_urls: [`http://app-${app}.example/callback`],
  owner_email: `owner-${app}@app.example`,
  contacts: [`help-${app}@app.example`],
  created_at: START + app,
});

export const accountRow = (account: number) => ({
  type: 'account',
  legacy_id: legacyIdOf(account),
  modern_id: accountIdOf(account),
});

/** Every fourth by its digest, every fifth by an e-mail address alone, every tenth account by its legacy id. */
export function tokenRow(token: number, apps: number) {
  const account = Math.floor(token / 3);
  const secret =
    token % 4 === 0
      ? { access_token_sha256: createHash('sha256').update(tokenOf(token)).digest('hex') }
      : { access_token: tokenOf(token) };
  const byId = { account_id: account % 10 === 0 ? legacyIdOf(account) : accountIdOf(account) };
  const holder = token % 5 === 0 ? { account_email: `person-${account}@mail.example` } : byId;
  return {
    type: 'token',
    ...secret,
    client_id: clientIdOf(token % apps),
    ...holder,
    created_at: START + token,
    last_used_at: START + 2 * token,
  };
}

/** Tokens first and their apps and accounts after them, with a defect every thousand lines. */
function* linesOf({ tokens, apps }: { tokens: number; apps: number }): Generator<string> {
  for (let token = 0; token < tokens; token += 1) {
    yield `${JSON.stringify(tokenRow(token, apps))}\n`;
    if (token % 1000 === 999) yield '{"type":"token","access_token":\n';
  }
  for (let account = 0; account <= tokens / 3; account += 10)
    yield `${JSON.stringify(accountRow(account))}\n`;
  for (let app = 0; app < apps; app += 1) yield `${JSON.stringify(appRow(app))}\n`;
}

/** Writes such a file a piece at a time. */
export async function generateFile(path: string, size: { tokens: number; apps: number }): Promise<void> {
  const file = createWriteStream(path);
  let held = '';
  for (const line of linesOf(size)) {
    held += line;
    if (held.length < 1 << 20) continue;
    if (!file.write(held)) await once(file, 'drain');
    held = '';
  }
  file.end(held);
  await once(file, 'close');
}
