import { send } from '../http-client.ts';
import { Unavailable } from '../outcomes.ts';

/**
 * The way of the OpenID Connect library to the identity provider: the client of the new API, with its limits of time and
 * size, without redirects, and through the outbound proxy (docs/decisions/0020).
 */

interface LibraryRequest {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** `Response` refuses a body with these. */
const WITHOUT_BODY = [204, 205, 304];

const UNAVAILABLE = (status: number) => status >= 500 || status === 429;

function methodOf({ method }: LibraryRequest): 'GET' | 'POST' {
  if (method === 'GET' || method === 'POST') return method;
  throw new Error('the library asked for another method');
}

/** The library sends forms alone. */
function bodyOf({ body }: LibraryRequest): { body?: string } {
  if (body === undefined || body === null) return {};
  if (typeof body === 'string' || body instanceof URLSearchParams) return { body: body.toString() };
  throw new Error('the library sent another body');
}

/**
 * Answers as `fetch` does.
 * @throws {Unavailable} no whole answer came, or the server says that it cannot answer now
 */
export async function safeFetch(url: string, request: LibraryRequest): Promise<Response> {
  const method = methodOf(request);
  // The code of a sign-in works once.
  const isRepeatable = method === 'GET';
  const sent = { method, url, headers: { ...request.headers }, isRepeatable, ...bodyOf(request) };
  const answer = await send(sent).catch((cause: unknown) => {
    throw new Unavailable('the identity provider does not answer', { cause });
  });
  if (UNAVAILABLE(answer.status)) throw new Unavailable(`the identity provider answered ${answer.status}`);
  const body = WITHOUT_BODY.includes(answer.status) ? null : answer.body;
  const { 'content-type': type } = answer.headers;
  return new Response(body, {
    status: answer.status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}
