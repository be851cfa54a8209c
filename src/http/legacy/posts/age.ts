import type { Response } from 'express';
import type { LegacyDeps } from '../deps.ts';

/** Tells the age of a kept answer that replaces a new answer (RFC 9111 §5.1). */
export function tellAge(
  { clock }: LegacyDeps,
  res: Response,
  { fetchedAt, isStale }: { fetchedAt: number; isStale: boolean },
): void {
  if (isStale) res.setHeader('Age', String(Math.floor((clock.now() - fetchedAt) / 1000)));
}
