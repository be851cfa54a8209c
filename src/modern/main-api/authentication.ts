import type { NextFunction, Request, Response } from 'express';

/** The account that a valid access token acts for, and the scopes of the token. */
export interface ApiCaller {
  accountId: string;
  scopes: string[];
  /** The client that the quotas count: `app:<client_id>` or `key:<id of the API key>`. */
  client: string;
}

/** Whether the caller uses a personal API key and is not an app. */
export const isKey = ({ client }: ApiCaller): boolean => client.startsWith('key:');

/** Answers null for a token that is unknown, expired or revoked. */
export type CallerAuthenticator = (token: string) => Promise<ApiCaller | null>;

function refuse(res: Response, message: string): void {
  res
    .status(401)
    .set('WWW-Authenticate', 'Bearer')
    .json({ errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] });
}

/**
 * Takes bearer tokens from the Authorization header only, and checks the token before the body is read. A request with
 * two Authorization headers is refused: Node would read the first header, other software the last. The texts are the
 * recorded texts.
 */
export function requireBearer(authenticate: CallerAuthenticator) {
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
