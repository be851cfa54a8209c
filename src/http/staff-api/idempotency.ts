import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { claimMarkedRequest, type RequestClaim } from '../../domain/api-keys/repeated-request.ts';
import type { HttpStaffApiDeps } from './deps.ts';
import type { ReadCall } from './door/read-call.ts';
import type { ApiOperation } from './operation.ts';
import { OutcomeUnknown } from './problems/outcome-unknown.ts';
import { problemOf } from './problems/problem-of.ts';
import { ApiProblem, PROBLEMS } from './problems/problems.ts';

/** Writes with an `Idempotency-Key` are done once, however often they are sent. */

const KEY_FORM = /^[\x21-\x7e]{1,200}$/;

/** @throws {ApiProblem} */
function requestKeyOf(req: Request): string | undefined {
  const given = req.get('Idempotency-Key');
  if (given === undefined || KEY_FORM.test(given)) return given;
  throw new ApiProblem(
    'unreadable-request',
    'An Idempotency-Key has 1 to 200 printable ASCII characters without blanks.',
  );
}

/** The same request in any order of its fields. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, inOrder(inner)]);
}

/** Of what the schemas read: they bound how deep a request may be. */
const digestOf = ({ id }: ApiOperation, { path, query, body }: ReadCall) =>
  createHash('sha256')
    .update(JSON.stringify([id, inOrder([path, query, body])]))
    .digest('base64url');

interface SentAnswer {
  status: number;
  text: string;
  isRepeated: boolean;
}

const sent = (answer: object): SentAnswer => ({
  status: 200,
  text: JSON.stringify(answer),
  isRepeated: false,
});

/** The answer as it is kept: what is shown once is left out. */
function withoutSecrets({ secrets = [] }: ApiOperation, answer: object): string {
  return JSON.stringify({ ...answer, ...Object.fromEntries(secrets.map((name) => [name, null])) });
}

type NewClaim = Extract<RequestClaim, { is: 'new' }>;

/** A refusal below 500 changed nothing, and would be the same again only by chance: its claim is given back. */
const isRefusal = (error: unknown) => PROBLEMS[problemOf(error).problem][0] < 500;

async function doClaimed(
  one: ApiOperation,
  claim: NewClaim,
  work: () => Promise<object>,
): Promise<SentAnswer> {
  const answer = await work();
  await claim.keep({ status: 200, answer: withoutSecrets(one, answer) });
  return sent(answer);
}

/** @throws {OutcomeUnknown} where the claim stays */
async function doNew(one: ApiOperation, claim: NewClaim, work: () => Promise<object>): Promise<SentAnswer> {
  try {
    return await doClaimed(one, claim, work);
  } catch (error) {
    if (!isRefusal(error)) throw new OutcomeUnknown(error, true);
    await claim.release();
    throw error;
  }
}

const OPEN =
  'The same request runs at this moment, or ended without an answer. It is not done a second time: the history tells what it did.';

/** @throws {OutcomeUnknown} unless it was refused */
async function doUnmarked(work: () => Promise<object>): Promise<SentAnswer> {
  try {
    return sent(await work());
  } catch (error) {
    throw isRefusal(error) ? error : new OutcomeUnknown(error, false);
  }
}

interface MarkedWrite {
  one: ApiOperation;
  req: Request;
  call: ReadCall;
  keyId: string;
}

/** Does a write. With an Idempotency-Key it is done once, and its answer is given again for a day. */
export async function doOnce(
  context: HttpStaffApiDeps,
  { one, req, call, keyId }: MarkedWrite,
  work: () => Promise<object>,
): Promise<SentAnswer> {
  const requestKey = requestKeyOf(req);
  if (requestKey === undefined) return doUnmarked(work);
  const claim = await claimMarkedRequest(context, { keyId, requestKey, digest: digestOf(one, call) });
  switch (claim.is) {
    case 'new':
      return doNew(one, claim, work);
    case 'answered':
      return { status: claim.status, text: claim.answer, isRepeated: true };
    case 'open':
      throw new ApiProblem('request-open', OPEN);
    case 'other':
      throw new ApiProblem(
        'key-used-otherwise',
        'Take a new Idempotency-Key for a new request. Nothing was changed.',
      );
  }
}
