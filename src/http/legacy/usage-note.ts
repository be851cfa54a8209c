import type { Request } from 'express';
import type { Context } from '../../domain/context.ts';
import { type Brownout, rehearsalId } from '../../domain/lifecycle.ts';
import type { FoundToken } from './bearer-token.ts';

const ENDPOINT_MAX = 100;

/** The path as it is served; what stands for an id in it is left out here, or where usage is kept. */
function endpointOf({ path, params }: Request): string {
  if (params['id'] === undefined) return path.slice(0, ENDPOINT_MAX);
  const suffix = path.endsWith('.json') ? '.json' : '';
  return `${path.slice(0, path.lastIndexOf('/'))}/:id${suffix}`;
}

interface Used extends Pick<FoundToken, 'carrier'> {
  mapping: { id: string } | undefined;
  /** The brownout that makes the call fail. */
  brownout?: Brownout | undefined;
}

/** The token, and the brownout where an owner rehearses with the own app and wants to see what fails. */
function measuredAs({ mapping, brownout }: Used): string[] {
  const isOwners = brownout?.clientId !== undefined;
  return [...(mapping ? [mapping.id] : []), ...(isOwners ? [rehearsalId(brownout.id)] : [])];
}

/** Measures a call with a known token, or of an app that rehearses, once it is answered, whoever answers it and however. */
export function noteUsage({ usage }: Context, used: Used, req: Request): void {
  const { res } = req;
  const names = measuredAs(used);
  if (names.length === 0 || res === undefined) return;
  const call = { endpoint: endpointOf(req), carrier: used.carrier, userAgent: req.get('user-agent') };
  res.once('finish', () => {
    for (const mappingId of names) usage.note({ ...call, mappingId, status: res.statusCode });
  });
}
