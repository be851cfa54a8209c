import express, { type Request, type RequestHandler } from 'express';
import { SHORT_BODY } from '../../wire/body-limits.ts';
import { untilRead } from '../../wire/read-body.ts';
import type { ApiOperation } from '../operation.ts';
import { ApiProblem } from '../problems/problems.ts';

/** Reads the body of a write, once its sender is known. */

const parserUpTo = (limit: number) =>
  express.json({ type: 'application/json', limit, inflate: false, strict: true });

const hasBody = ({ headers }: Request) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isObject = (body: unknown) => typeof body === 'object' && body !== null && !Array.isArray(body);

/** @throws {UnreadableBody | ApiProblem} */
export function readJson({ bodyLimit = SHORT_BODY }: Pick<ApiOperation, 'bodyLimit'>): RequestHandler {
  const parse = parserUpTo(bodyLimit);
  return async (req, _res, next) => {
    if (!hasBody(req)) return next();
    if (!req.is('application/json'))
      throw new ApiProblem('not-json', 'Send the body as JSON, with Content-Type: application/json.');
    await untilRead(parse, req);
    if (!isObject(req.body))
      throw new ApiProblem('unreadable-request', 'The body is not one whole JSON object.');
    next();
  };
}
