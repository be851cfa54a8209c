import { createHmac, type KeyObject, sign } from 'node:crypto';

/** ID tokens (RFC 7519) as the company, or somebody who is not the company, would make them. */

type Claims = Record<string, unknown>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decodedPart = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;

const contentOf = (claims: Claims, header: Claims) => `${encoded(header)}.${encoded(claims)}`;

export const headerOf = (token: string): Claims => decodedPart(token.split('.')[0]);
export const claimsIn = (token: string): Claims => decodedPart(token.split('.')[1]);

/** Signed with a private key. */
export function signedToken(claims: Claims, { key, kid }: { key: KeyObject; kid: unknown }): string {
  const content = contentOf(claims, { alg: 'RS256', kid });
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}

/** Signed with a text that others may know. */
export function tokenByPassword(claims: Claims, password: string): string {
  const content = contentOf(claims, { alg: 'HS256' });
  return `${content}.${createHmac('sha256', password).update(content).digest('base64url')}`;
}

/** Signed by nobody. */
export const unsignedToken = (claims: Claims, alg: string): string => `${contentOf(claims, { alg })}.`;

/** The claims of a real token, changed, under its real header and signature. */
export function editedToken(token: string, changes: Claims): string {
  const [header, , signature] = token.split('.');
  return [header, encoded({ ...claimsIn(token), ...changes }), signature].join('.');
}
