import { WRITE_BEGUN_WITHIN } from '../../../shared/lifetimes.ts';
import { withTimeout } from '../../work/with-timeout.ts';
import type { PostsDeps } from '../deps.ts';
import type { Writer } from './writes.ts';

/**
 * Waits for a read before a write. After the time limit the write would not begin any more, so its caller need not wait.
 * @throws {Unavailable} nothing was written
 */
export function readInTime<Answer>(
  { clock }: Pick<PostsDeps, 'clock'>,
  { came }: Pick<Writer, 'came'>,
  reading: Promise<Answer>,
): Promise<Answer> {
  return withTimeout(reading, came + WRITE_BEGUN_WITHIN - clock.elapsed());
}
