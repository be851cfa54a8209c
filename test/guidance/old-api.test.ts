import { OLD_CALL_NAMES, OLD_CALLS } from '../../src/domain/old-calls/old-calls.ts';
import { HELD, readDocument, rowsBelow } from '../support/guidance.ts';

/** The table of old addresses names every address of the old API and no other, with the methods that it takes. */

const OAUTH = new Map([
  ['/oauth2/authorize', ['GET']],
  ['/1/oauth2/authorize', ['GET']],
  ['/1/oauth2/token', ['POST']],
]);

const served = new Map([
  ...OAUTH,
  ...OLD_CALL_NAMES.flatMap((name) =>
    OLD_CALLS[name].paths.map((path): [string, readonly string[]] => [path, OLD_CALLS[name].methods]),
  ),
]);

const rows = rowsBelow(readDocument(HELD.addresses), '| address | what it does |').map(([cell = '']) => ({
  methods: cell.match(/GET|POST/g) ?? [],
  paths: [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace(/\.json$/, '')),
}));

test('the table of addresses names every old address, and no other', () => {
  expect(rows.flatMap(({ paths }) => paths).toSorted()).toEqual([...served.keys()].toSorted());
});

test('each address takes the methods that the table names', () => {
  const named = rows.flatMap(({ methods, paths }) => paths.map((path) => [path, methods] as const));
  const wrong = named.filter(
    ([path, methods]) => !methods.every((method) => served.get(path)?.includes(method)),
  );
  expect(wrong).toEqual([]);
  expect(named.every(([, methods]) => methods.length > 0)).toBe(true);
});

test('every quirk has an anchor of its own number', () => {
  const anchors = [...readDocument(HELD.addresses).matchAll(/^- <a id="q(\d+)"><\/a>\*\*Q(\d+)\. /gm)];
  expect(anchors.map(([, anchor, number]) => [anchor, number])).toEqual(
    Array.from({ length: 20 }, (_, index) => [String(index + 1), String(index + 1)]),
  );
});
