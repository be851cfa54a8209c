import type { Response } from 'express';
import type { Context } from '../../../domain/context.ts';

/** Says how old an answer is that stands in for a new one (RFC 9111 §5.1). */
export function tellAge(
  { clock }: Context,
  res: Response,
  { fetchedAt, isStale }: { fetchedAt: number; isStale: boolean },
): void {
  if (isStale) res.setHeader('Age', String(Math.floor((clock.now() - fetchedAt) / 1000)));
}
