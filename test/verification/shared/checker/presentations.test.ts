import { Socket } from 'node:net';
import { digestOf, type Presentation } from './history.ts';
import { watchPresentations } from './presentations.ts';

/** Which refresh tokens are seen in what a bridge sends. */

const form = (token: string) => `client_id=bridge&grant_type=refresh_token&refresh_token=${token}`;

const request = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: modern\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

function seenIn(...pieces: string[]): string[] {
  const seen: Presentation[] = [];
  const [watch, connection] = [watchPresentations(seen), new Socket()];
  for (const piece of pieces) watch(connection, Buffer.from(piece));
  return seen.map(({ token }) => token);
}

test('every token request of a connection is seen, whole or in pieces', () => {
  const [first, second] = [request('/token', form('one')), request('/token', form('two'))];
  const both = ['one', 'two'].map(digestOf);
  expect(seenIn(first, second)).toEqual(both);
  expect(seenIn(first + second)).toEqual(both);
  expect(seenIn(...Array.from(first + second))).toEqual(both);
});

test('a request after another kind of request is seen', () => {
  const api = 'GET /graphql HTTP/1.1\r\nhost: modern\r\n\r\n';
  expect(seenIn(api, request('/token', form('one')))).toEqual([digestOf('one')]);
});

test('a request that is not whole presents nothing, and neither does another address', () => {
  expect(seenIn(request('/token', form('one')).slice(0, -1))).toEqual([]);
  expect(seenIn(request('/token/introspection', form('one')))).toEqual([]);
});
