import type { Request } from 'express';
import type { Context } from '../../domain/context.ts';
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
}

/** Measures a call with a known token once it is answered, whoever answers it and however. */
export function noteUsage({ usage }: Context, { mapping, carrier }: Used, req: Request): void {
  const { res } = req;
  if (mapping === undefined || res === undefined) return;
  const call = {
    mappingId: mapping.id,
    endpoint: endpointOf(req),
    carrier,
    userAgent: req.get('user-agent'),
  };
  res.once('finish', () => usage.note({ ...call, status: res.statusCode }));
}
