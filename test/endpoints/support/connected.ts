import { LEGACY_CODE_LIFETIME } from '../../../src/shared/lifetimes.ts';
import { newLegacyCode } from '../../../src/shared/ids.ts';
import { insertCode } from '../../../src/store/authorization/legacy-codes.ts';
import type { Grant } from '../../../src/store/tables/tables.ts';
import type { LegacyApp } from '../../support/callers/authorize.ts';
import { exchangeFields, issueToken } from '../../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, type RawRequest } from '../../support/callers/raw-request.ts';
import type { Door } from './door.ts';
import { knock } from './knock.ts';

/** An app that an account holder has let in. */
export interface Connected {
  app: LegacyApp;
  token: string;
  /** A fresh code as the callback would carry it, made in the store so that a row of a table does not need a person. */
  mint: (given?: { redirectUriGiven: boolean }) => Promise<string>;
  /** The live grant behind it. */
  grant: () => Promise<Grant>;
}

/** Walks the whole consent once for an app. */
export async function connectApp(door: Door, app: LegacyApp = door.app): Promise<Connected> {
  const token = await issueToken(door, { app });
  const { store, vault, clock } = door.bridge.context;
  const grant = () =>
    store.durable
      .selectFrom('grants')
      .selectAll()
      .where('client_id', '=', app.clientId)
      .where('state', '<>', 'dead')
      .executeTakeFirstOrThrow();
  return {
    app,
    token,
    grant,
    mint: async (given = { redirectUriGiven: true }) => {
      const { id, account_id } = await grant();
      const [code, now] = [newLegacyCode(), clock.now()];
      await insertCode(store.durable, {
        code_digest: vault.digest(code),
        client_id: app.clientId,
        redirect_uri: app.callback,
        redirect_uri_given: given.redirectUriGiven ? 1 : 0,
        account_id,
        grant_id: id,
        created_at: now,
        expires_at: now + LEGACY_CODE_LIFETIME,
      });
      return code;
    },
  };
}

export const TOKEN_PATH = '/1/oauth2/token.json';

export type Fields = Record<string, string>;

/** A POST to the old token endpoint. */
export async function postToken(door: Door, content: Partial<RawRequest>): Promise<RawAnswer> {
  return knock(door, { method: 'POST', path: TOKEN_PATH, ...content });
}

/** A form; a field with an undefined value is left out. */
export function formOf(fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given).toString();
}

/** An ordinary exchange as a form; `changes` with an undefined value leave a field out. */
export async function exchangeForm(
  door: Door,
  fields: Fields,
  changes: Record<string, string | undefined> = {},
): Promise<RawAnswer> {
  return postToken(door, rawForm(formOf({ ...fields, ...changes })));
}

/** The code is still good: its app gets a token for it now. */
export async function expectUnspent(door: Door, { app }: { app: LegacyApp }, code: string): Promise<void> {
  const answer = await exchangeForm(door, exchangeFields(app, code));
  expect(answer).toMatchObject({
    status: 200,
    text: expect.stringMatching(/^\{"access_token":"1\/[0-9a-f]{32}"\}$/),
  });
}

/** A client id and secret as a Basic header. */
export function basicHeader(id: string, secret: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}
