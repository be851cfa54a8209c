import type { z } from 'zod';
import type { KeyCaller } from '../../domain/api-keys/api-caller.ts';
import type { StaffRole } from '../../domain/accounts/staff.ts';
import type { Origin } from '../../domain/origin.ts';
import type { HttpStaffApiDeps } from './deps.ts';
import type { ProblemName } from './problems/problems.ts';

/**
 * One operation of the staff API, described once: its router, its part of the OpenAPI document and the tables of the
 * tests are made of this (docs/decisions/0029).
 */

/** A request that was read by the schemas of its operation. */
interface ApiCall<Path, Query, Body> {
  path: Path;
  query: Query;
  body: Body;
  caller: KeyCaller;
  origin: Origin;
}

type AnySchema = z.ZodObject;

interface Definition<P extends AnySchema, Q extends AnySchema, B extends AnySchema, A extends AnySchema> {
  /** The name in clients that are generated from the document. */
  id: string;
  method: 'get' | 'post';
  /** Below /api/v1, with the names of parameters in braces. */
  path: string;
  needs: StaffRole;
  summary: string;
  tag: ApiTag;
  parameters?: P;
  query?: Q;
  body?: B;
  answer: A;
  /** Whether it changes something: then it takes an Idempotency-Key. */
  isWrite?: boolean;
  /** The most bytes of its body, where that is more than others take. */
  bodyLimit?: number;
  /**
   * Looks at a long body before its schema, which would collect every mistake in it.
   * @throws {ApiProblem}
   */
  lookFirst?(body: unknown): void;
  /** The problems that it answers beside those of every operation. */
  problems?: readonly ProblemName[];
  /** Fields of the answer that are shown once. A repeated answer has null there. */
  secrets?: readonly string[];
  run(context: HttpStaffApiDeps, call: ApiCall<z.output<P>, z.output<Q>, z.output<B>>): Promise<z.output<A>>;
}

type ApiTag =
  | 'keys'
  | 'search'
  | 'tokens'
  | 'apps'
  | 'accounts'
  | 'desks'
  | 'numbers'
  | 'dates'
  | 'reminders'
  | 'history'
  | 'jobs'
  | 'import'
  | 'machine';

/** An operation of any types. */
export type ApiOperation = Definition<AnySchema, AnySchema, AnySchema, AnySchema>;

/** Lets the schemas of an operation give the types of what it does. */
export function operation<
  P extends AnySchema = AnySchema,
  Q extends AnySchema = AnySchema,
  B extends AnySchema = AnySchema,
  A extends AnySchema = AnySchema,
>(definition: Definition<P, Q, B, A>): ApiOperation {
  return definition;
}
