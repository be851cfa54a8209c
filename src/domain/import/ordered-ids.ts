import { randomBytes } from 'node:crypto';

/**
 * Ids of 24 hex digits that rise, as the older service made its own: time, process, counter. A million random ones would
 * be written all over their index; these are written at its end.
 */
export function createOrderedIds(now: number): () => string {
  const time = Math.floor(now / 1000)
    .toString(16)
    .padStart(8, '0');
  const run = randomBytes(5).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    const isRoom = count < 2 ** 24;
    return isRoom ? `${time}${run}${count.toString(16).padStart(6, '0')}` : randomBytes(12).toString('hex');
  };
}
