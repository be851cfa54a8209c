import type { Request, RequestHandler, Response } from 'express';
import { challenge, INVALID_TOKEN, sendOldRefusal } from './answers.ts';
import type { OldAccount } from './settings.ts';

/** Who calls the old API, by the token in the header, the query or the body. */

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The fields of the body; none where it was not read. */
export const bodyFields = (req: Request): Record<string, unknown> =>
  typeof req.body === 'object' && req.body !== null ? (req.body as Record<string, unknown>) : {};

function tokenOf(req: Request): string | undefined {
  const header = /^(?:bearer|oauth) +(.*)$/i.exec(req.get('authorization') ?? '')?.[1];
  return header ?? textOf(req.query['access_token']) ?? textOf(bodyFields(req)['access_token']);
}

/** The account behind a call, where `requireToken` let the call through. */
export const calledAccount = (res: Response): OldAccount => res.locals['account'] as OldAccount;

/** Lets only calls with a token of one of the accounts through. */
export function requireToken(accounts: readonly OldAccount[]): RequestHandler {
  return (req, res, next) => {
    const token = tokenOf(req);
    if (token === undefined) return challenge(res);
    const account = accounts.find(({ tokens }) => tokens.includes(token));
    if (!account) return sendOldRefusal(res, 401, INVALID_TOKEN);
    res.locals['account'] = account;
    return next();
  };
}
