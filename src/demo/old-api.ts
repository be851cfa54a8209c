import axios from 'axios';
import type { Message } from './message.ts';
import type { WireExchange, Wire } from './wire.ts';

/** As long as the most patient of the old programs waits: a write without an answer may have been carried out. */
const TIMEOUT_MS = 20_000;

/** Calls of the old API as integrations of the time made them. Each call returns the bytes that went over the wire. */
export interface OldApi {
  /** Whether a server answers at the bridge's address. */
  answers(): Promise<boolean>;
  /** `GET /1/user.json`, the token in the header. */
  readUser(token: string): Promise<WireExchange>;
  /** `GET /1/profiles.json`, the token in the query with its slash unescaped, as many old programs send it. */
  readProfiles(token: string): Promise<WireExchange>;
  /** `POST /1/user/deauthorize.json`, the token in the header, an empty form body. */
  deauthorize(token: string): Promise<WireExchange>;
  /** A GET to any other address below /1, the token in the query as for the profiles. */
  read(token: string, path: string): Promise<WireExchange>;
  /**
   * A POST to any other address below /1, the token in the form beside the fields, as old PHP programs send the token.
   */
  write(token: string, path: string, fields: FormFields): Promise<WireExchange>;
}

/** Names and values of a form, in order. A list is its name with brackets, repeated once for each value. */
export type FormFields = ReadonlyArray<readonly [name: string, value: string]>;

interface OldApiCall {
  method: 'GET' | 'POST';
  path: string;
  token?: string;
  fields?: FormFields;
}

const formBody = (fields: FormFields): string =>
  new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString();

/** The JSON value of an answer's body; undefined when the body is not JSON. */
export function readAnswer(answer: Message | undefined): unknown {
  try {
    return JSON.parse(answer?.body ?? '');
  } catch {
    return undefined;
  }
}

/** The old API behind `bridgeUrl`, reached over `wire`. */
export function createOldApi(bridgeUrl: string, wire: Wire): OldApi {
  const client = axios.create({
    baseURL: bridgeUrl,
    timeout: TIMEOUT_MS,
    maxRedirects: 0,
    maxContentLength: 1_000_000,
    decompress: false,
    proxy: false,
    httpAgent: wire.agent,
    httpsAgent: wire.agent,
    responseType: 'text',
    transformResponse: (text: string) => text,
    validateStatus: () => true,
    headers: {
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'old-integration-demo/1.0',
    },
  });

  function call({ method, path, token, fields = [] }: OldApiCall): Promise<WireExchange> {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const form = method === 'POST' ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {};
    const data = method === 'POST' ? formBody(fields) : undefined;
    return wire.record(async (exchanges) => {
      // A failed connection is not an exception here: the exchange has no answer then.
      await client
        .request({ method, url: path, headers: { ...headers, ...form }, data })
        .catch(() => undefined);
      return (
        exchanges()[0] ?? { request: { line: `${method} ${path}`, headers: '', body: '' }, answer: undefined }
      );
    });
  }

  return {
    answers: async () => (await call({ method: 'GET', path: '/health' })).answer !== undefined,
    readUser: (token) => call({ method: 'GET', path: '/1/user.json', token }),
    readProfiles: (token) => call({ method: 'GET', path: `/1/profiles.json?access_token=${token}` }),
    deauthorize: (token) => call({ method: 'POST', path: '/1/user/deauthorize.json', token }),
    read: (token, path) =>
      call({ method: 'GET', path: `/1/${path}${path.includes('?') ? '&' : '?'}access_token=${token}` }),
    write: (token, path, fields) =>
      call({ method: 'POST', path: `/1/${path}`, fields: [['access_token', token], ...fields] }),
  };
}
