import { PROBLEM_NAMES, type ProblemName, PROBLEMS } from '../problems/problems.ts';
import { PROBLEMS_PATH } from '../problems/send-problem.ts';

/** The schema of a problem, and the answers with one. */

const mistake = {
  type: 'object',
  required: ['in', 'pointer', 'detail'],
  properties: {
    in: { enum: ['path', 'query', 'body'] },
    pointer: { type: 'string', description: 'Where the mistake is, such as /reason.' },
    detail: { type: 'string' },
  },
};

/** Every problem (RFC 9457). */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'request_id'],
  properties: {
    type: { enum: PROBLEM_NAMES.map((name) => PROBLEMS_PATH + name) },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    request_id: { type: 'string' },
    errors: { type: 'array', items: mistake },
  },
};

const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** The answers with these problems, by status. */
export function problemAnswers(names: readonly ProblemName[]): Record<string, unknown> {
  const answers: Record<string, { description: string; content: typeof content }> = {};
  for (const name of names) {
    const [status, title] = PROBLEMS[name];
    const before = answers[status]?.description;
    answers[status] = { description: before === undefined ? title : `${before}; ${title}`, content };
  }
  return answers;
}
