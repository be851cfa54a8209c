import { WithoutStack } from '../../../shared/refusals/without-stack.ts';

/** Every problem that the staff API answers (RFC 9457): its status and its title. The names never change. */
export const PROBLEMS = {
  'unreadable-request': [400, 'The request cannot be read'],
  'no-key': [401, 'A key is missing'],
  'wrong-key': [401, 'The key is not valid'],
  'https-only': [403, 'This address is served over HTTPS only'],
  'role-too-low': [403, 'The role of the key does not allow this'],
  'not-found': [404, 'There is no such thing'],
  'no-such-address': [404, 'The address is not served'],
  'method-not-allowed': [405, 'The address does not take this method'],
  'not-possible': [409, 'It cannot be done as things stand'],
  'needs-confirmation': [409, 'It has to be confirmed'],
  'request-open': [409, 'The same request runs, or ended without an answer'],
  'body-too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body is not JSON'],
  'invalid-request': [422, 'The request holds a mistake'],
  'key-used-otherwise': [422, 'The Idempotency-Key belongs to another request'],
  'too-many-requests': [429, 'Too many requests'],
  failed: [500, 'Something went wrong'],
  unavailable: [503, 'Not available at the moment'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemName = keyof typeof PROBLEMS;

export const PROBLEM_NAMES = Object.keys(PROBLEMS) as ProblemName[];

/** A mistake at one place of a request: where it is (`/reason`), and what is wrong there. */
export interface RequestMistake {
  in: 'path' | 'query' | 'body';
  pointer: string;
  detail: string;
}

/** What an answer holds beside the words. */
export interface ProblemParts {
  errors?: RequestMistake[];
  /** Whole seconds. */
  retryAfter?: number;
  /** The methods that an address takes. */
  allow?: string;
}

/** A refusal of the staff API. */
export class ApiProblem extends WithoutStack {
  override readonly name = 'ApiProblem';
  readonly problem: ProblemName;
  readonly parts: ProblemParts;

  constructor(problem: ProblemName, detail: string, parts: ProblemParts = {}) {
    super(detail);
    this.problem = problem;
    this.parts = parts;
  }
}

/** The refusal of what does not exist. */
export const nothingThere = (detail: string): ApiProblem => new ApiProblem('not-found', detail);
