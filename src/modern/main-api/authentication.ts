import type { NextFunction, Request, Response } from 'express';

/** Whom a valid token acts for, and what it may do. */
export interface Caller {
  accountId: string;
  scopes: string[];
  /** Who is asking, as the quotas count it: `app:<client_id>` or `key:<id of the API key>`. */
  client: string;
}

/** Whether a person's own API key is asking, not an app. */
export const isKey = ({ client }: Caller): boolean => client.startsWith('key:');

/** Null for a token that is unknown, expired or revoked. */
export type Authenticate = (token: string) => Promise<Caller | null>;

function refuse(res: Response, message: string): void {
  res
    .status(401)
    .set('WWW-Authenticate', 'Bearer')
    .json({ errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] });
}

/**
 * Bearer tokens in the header alone, checked before the body is read. Two headers are no token: Node would read the
 * first, others the last. Texts as recorded.
 */
export function requireBearer(authenticate: Authenticate) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const [authorization, another] = req.headersDistinct['authorization'] ?? [];
    if (!authorization && another === undefined) {
      refuse(res, 'An authentication JWT or Access Token is required');
      return;
    }
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    const caller = token === undefined || another !== undefined ? null : await authenticate(token);
    if (!caller) {
      refuse(res, 'Access token is not valid');
      return;
    }
    res.locals['caller'] = caller;
    next();
  };
}
