import { refusalOfField, refusalOfMove, refusalOfWrite } from '../../src/domain/translation/old-refusal.ts';
import type { RefusalKind } from '../../src/upstream/posts/write-post.ts';

/** A refusal of the new API in the form of the old one, row by row. */

type Row = [kind: RefusalKind, message: string, place: 'profile' | 'update', status: number, code: number];

const refusal = (kind: RefusalKind, message: string, code?: number) => ({
  kind,
  message,
  code,
  link: undefined,
});

test.each<Row>([
  ['NotFoundError', 'm', 'profile', 404, 1010],
  ['NotFoundError', 'm', 'update', 404, 1020],
  ['UnauthorizedError', 'm', 'profile', 403, 1011],
  ['UnauthorizedError', 'm', 'update', 403, 1021],
  ['Forbidden', 'm', 'profile', 403, 1011],
  ['Forbidden', 'm', 'update', 403, 1021],
  ['LimitReachedError', 'm', 'profile', 403, 1023],
  ['InvalidInputError', 'a text is required', 'profile', 400, 1004],
  ['InvalidInputError', 'this service requires a picture', 'update', 400, 1004],
  ['InvalidInputError', 'Instagram posts require a picture', 'update', 400, 1004],
  ['InvalidInputError', 'the title is missing', 'update', 400, 1004],
  ['InvalidInputError', 'the text is too long', 'update', 400, 1004],
  ['InvalidInputError', 'Text on twitter has at most 280 characters.', 'update', 400, 1004],
  ['InvalidInputError', 'the post exceeds 63,206 characters', 'update', 400, 1004],
  ['InvalidInputError', 'over the character limit', 'update', 400, 1004],
  ['InvalidInputError', 'the text has unusual characters', 'update', 400, 1022],
  ['InvalidInputError', 'at least 3 characters', 'update', 400, 1022],
  ['InvalidInputError', 'the minimum is 3 characters', 'update', 400, 1022],
  ['InvalidInputError', 'too short: 3 characters', 'update', 400, 1022],
  ['InvalidInputError', 'tattoo longer', 'update', 400, 1022],
  ['InvalidInputError', 'a prerequirement', 'update', 400, 1022],
  ['VoidMutationError', 'Post not found', 'update', 404, 1020],
  ['VoidMutationError', 'the channel does not exist', 'profile', 404, 1010],
  ['VoidMutationError', 'it no longer exists', 'update', 404, 1020],
  ['VoidMutationError', 'it was sent', 'update', 400, 1022],
  ['UnexpectedError', 'm', 'update', 500, 1000],
  ['RestProxyError', 'm', 'update', 400, 1022],
  ['BadRequest', 'm', 'profile', 400, 1022],
])('%s “%s” about a %s is %d with %d', (kind, message, place, status, code) => {
  expect(refusalOfWrite(refusal(kind, message), place)).toMatchObject({ status, code });
});

test.each<[RefusalKind, string, code: number]>([
  ['VoidMutationError', 'Only a scheduled post stands in a queue', 1027],
  ['VoidMutationError', 'only scheduled posts are moved', 1027],
  ['VoidMutationError', 'Scheduled post not found', 1020],
  ['VoidMutationError', 'Failed to move scheduled post', 1022],
  ['VoidMutationError', 'This post is not scheduled', 1027],
  ['VoidMutationError', 'An unexpected error occurred', 1022],
  ['UnauthorizedError', 'No scheduled post of yours', 1021],
])('%s “%s” about a move to the top has the code %d', (kind, message, code) => {
  expect(refusalOfMove(refusal(kind, message))).toMatchObject({ code });
});

test('what stands in no queue is refused in the words of the old API', () => {
  expect(refusalOfMove(refusal('VoidMutationError', 'This post is not scheduled'))).toEqual({
    status: 400,
    code: 1027,
    message: 'Update must be in buffer and not custom scheduled in order to move to top.',
  });
  expect(refusalOfMove(refusal('InvalidInputError', 'This post is not scheduled')).code).toBe(1022);
});

/** The code that the new API hands on, and what an old client gets. */
test.each<[handed: number, place: 'profile' | 'update', status: number, code: number]>([
  [401, 'profile', 403, 1011],
  [403, 'update', 403, 1021],
  [1001, 'update', 403, 1021],
  ...[1002, 1011, 1013, 1014, 1015, 1021, 1023, 1024, 1028, 1051].map(
    (code) => [code, 'update', 403, code] as [number, 'update', number, number],
  ),
  ...[404, 1010, 1020, 1050].map((code) => [code, 'update', 404, code] as [number, 'update', number, number]),
  [405, 'update', 405, 405],
  [429, 'update', 429, 429],
  [1000, 'update', 500, 1000],
  [1005, 'update', 406, 1005],
  [1025, 'update', 400, 1025],
  [1034, 'profile', 400, 1034],
])('the code %d, handed on for a %s, is %d with %d', (handed, place, status, code) => {
  expect(refusalOfWrite(refusal('RestProxyError', 'm', handed), place)).toMatchObject({ status, code });
});

test('a limit that is handed on says when to come again; no other refusal does', () => {
  expect(refusalOfWrite(refusal('RestProxyError', 'm', 429), 'update').retryAfter).toBe(60);
  expect(refusalOfWrite(refusal('LimitReachedError', 'm'), 'update').retryAfter).toBeUndefined();
});

const words = (kind: RefusalKind, place: 'profile' | 'update', code?: number) =>
  refusalOfWrite(refusal(kind, 'Post was not found', code), place).message;

test('an unknown update has the words of the old API; what the old API itself said keeps its words', () => {
  expect(words('NotFoundError', 'update')).toBe('Update could not be found.');
  expect(words('VoidMutationError', 'update')).toBe('Update could not be found.');
  expect(words('NotFoundError', 'profile')).toBe('Post was not found');
  expect(words('RestProxyError', 'update', 1020)).toBe('Post was not found');
  expect(words('UnexpectedError', 'update')).toBe('Post was not found');
});

test('the field of the new API has its old name, and a link goes on', () => {
  const link = 'https://x.example/why';
  const told = refusalOfWrite(
    { kind: 'InvalidInputError', message: 'dueAt: dueAt2 and dueAt', code: undefined, link },
    'update',
  );
  expect(told).toMatchObject({ message: 'scheduled_at: dueAt2 and scheduled_at', link });
});

test.each([
  [1004, 400],
  [1006, 400],
  [1010, 404],
])('a parameter refused with %d is %d', (code, status) => {
  expect(refusalOfField({ code, message: 'm' })).toEqual({ status, code, message: 'm' });
});
