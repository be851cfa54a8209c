import fc from 'fast-check';
import { createLiveIds, liveIdAt } from '../../src/domain/live/live-id.ts';
import { networkOf } from '../../src/domain/live/network.ts';
import { type LiveCursor, placeText, readPlace, tellFrom } from '../../src/domain/live/place.ts';
import type { LiveCallRow } from '../../src/store/usage/live-calls.ts';
import { newHexId } from '../../src/shared/ids.ts';

/** The rules of the live page that need no database. */

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:12:34::1', '2001:db8:12::/48'],
  ['2001:0db8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['', 'unknown'],
  [undefined, 'unknown'],
  ['somewhere', 'unknown'],
])('of the address %s the network %s is shown', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('the ids of a process rise, also where its clock stands or goes back', () => {
  const newId = createLiveIds(newHexId());
  const ids = [5, 5, 5, 9, 3, 9, 10].map((now) => newId(1_800_000_000_000 + now));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[0-9a-f]{24}$/);
  expect(liveIdAt(1_800_000_000_005) < String(ids[0])).toBe(true);
});

/** What happens one after another: a process writes what it has, or the reader looks; `isCut` after a new connection. */
const steps = fc.array(
  fc.oneof(
    fc.record({ writes: fc.integer({ min: 0, max: 2 }), late: fc.integer({ min: 0, max: 500 }) }),
    fc.record({ isCut: fc.boolean() }),
  ),
  { maxLength: 60 },
);

test('every call is told once, in whatever order processes write and however often the reader is cut', () => {
  fc.assert(
    fc.property(steps, (happenings) => {
      const processes = [newHexId(), newHexId(), newHexId()].map(createLiveIds);
      const latest = [0, 0, 0];
      const written: LiveCallRow[] = [];
      const told: string[] = [];
      let now = 1_800_000_000_000;
      let place: LiveCursor = { told: 0, floor: liveIdAt(now - 1000), last: new Map() };
      const look = () => {
        const rows = written.toSorted((one, other) => (one.id < other.id ? 1 : -1));
        const { fresh, place: next } = tellFrom(place, rows);
        place = next;
        told.push(...fresh.map(({ id }) => id));
      };
      for (const step of happenings) {
        now += 7;
        if ('writes' in step) {
          // It came earlier than what another process has written meanwhile, but not than its own last one.
          const at = Math.max(latest[step.writes] ?? 0, now - step.late);
          latest[step.writes] = at;
          written.push({ id: processes[step.writes]?.(at) ?? '' } as LiveCallRow);
        } else {
          look();
          if (step.isCut) place = readPlace(placeText(place)) ?? fail();
        }
      }
      look();
      expect(told.toSorted()).toEqual(written.map(({ id }) => id).toSorted());
      expect(place.told).toBe(written.length);
    }),
  );
});

function fail(): never {
  throw new Error('a place could not be read again');
}

test.each(['', '1', 'x-0', `1-${'0'.repeat(23)}`, `-1-${'0'.repeat(24)}`, `1-${'0'.repeat(24)}-<b>`])(
  'a place that nobody gave is none: %s',
  (text) => {
    expect(readPlace(text)).toBeUndefined();
  },
);
