import { MINUTE, SECOND } from '../shared/lifetimes.ts';
import { jsonObject, send } from './http-client.ts';
import { Unavailable } from './outcomes.ts';

/** The authorization server's metadata (RFC 8414). The paths /auth and /token are fixed. */
export interface ServerMetadata {
  issuer: string | undefined;
  introspectionEndpoint: string | undefined;
  revocationEndpoint: string | undefined;
  /** OpenID Connect RP-Initiated Logout 1.0: where a person ends the session at the new API. */
  endSessionEndpoint: string | undefined;
  /** RFC 9207: every answer of the authorization endpoint carries `iss`. */
  sendsIssuer: boolean;
  /** The endpoints that the metadata name at another origin, by their names there. None of them is used. */
  elsewhere: readonly string[];
}

const PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const;

const KNOWN_FOR = 10 * MINUTE;

/** Each sign-in asks for the metadata, so a server in trouble would be asked as often. */
const FAILED_FOR = 3 * SECOND;

/**
 * An endpoint counts only on the configured origin: tokens and secrets are sent to no other origin (docs/threats.md
 * E106). The origin of a `blob:` address is that of the address inside it, and people are led to an endpoint too.
 */
function endpointOn(authUrl: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, origin, username, password } = new URL(value);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
  return isPlain && origin === new URL(authUrl).origin ? value : undefined;
}

const ENDPOINTS = ['introspection_endpoint', 'revocation_endpoint', 'end_session_endpoint'] as const;

function readMetadata(authUrl: string, document: Record<string, unknown>): ServerMetadata {
  return {
    issuer: typeof document['issuer'] === 'string' ? document['issuer'] : undefined,
    introspectionEndpoint: endpointOn(authUrl, document['introspection_endpoint']),
    revocationEndpoint: endpointOn(authUrl, document['revocation_endpoint']),
    endSessionEndpoint: endpointOn(authUrl, document['end_session_endpoint']),
    sendsIssuer: document['authorization_response_iss_parameter_supported'] === true,
    elsewhere: ENDPOINTS.filter(
      (name) => typeof document[name] === 'string' && endpointOn(authUrl, document[name]) === undefined,
    ),
  };
}

/** Undefined when the server says that the document does not exist. Any other failure may pass and proves nothing. */
async function fetchDocument(url: string): Promise<Record<string, unknown> | undefined> {
  const answer = await send({ method: 'GET', url });
  if (answer.status === 404 || answer.status === 410) return undefined;
  const document = answer.status === 200 ? jsonObject(answer) : undefined;
  if (!document) throw new Error(`discovery answered ${answer.status} without a document`);
  return document;
}

/** Whether the server answers a request for its metadata, with any answer but a fault. */
export async function answersDiscovery(authUrl: string): Promise<boolean> {
  return send({ method: 'GET', url: `${authUrl}${PATHS[0]}` }).then(
    ({ status }) => status < 500,
    () => false,
  );
}

interface FoundMetadata {
  metadata: ServerMetadata;
  /** Whether the server has a document. */
  isThere: boolean;
}

async function fetchMetadata(authUrl: string): Promise<FoundMetadata> {
  for (const path of PATHS) {
    const document = await fetchDocument(`${authUrl}${path}`);
    if (document) return { metadata: readMetadata(authUrl, document), isThere: true };
  }
  return { metadata: readMetadata(authUrl, {}), isThere: false };
}

/** The metadata of one server, shared by everything that asks for it. */
export interface Discovery {
  /**
   * Fetched at first use and again after ten minutes. While the server cannot be reached, or does not find a document
   * that it had before, the last known metadata stays valid.
   * @throws {Unavailable} when no metadata is known yet
   */
  metadata(): Promise<ServerMetadata>;
  /** What is known already. Asks nobody, so a page that strangers open may use it (docs/threats.md F200). */
  known(): ServerMetadata | undefined;
}

/**
 * Runs one fetch at a time, however many ask; after a failure none for some seconds. A document that was there and is
 * not found any more is a failure: during a deployment a gateway answers 404 for everything.
 */
function createFetch(authUrl: string, now: () => number): () => Promise<FoundMetadata> {
  let wasThere = false;
  let failed: { cause: unknown; at: number } | undefined;
  let underWay: Promise<FoundMetadata> | undefined;
  const fetchOnce = async () => {
    try {
      const found = await fetchMetadata(authUrl);
      if (wasThere && !found.isThere) throw new Error('the metadata are not found any more');
      wasThere = found.isThere;
      return found;
    } catch (cause) {
      failed = { cause, at: now() };
      throw cause;
    } finally {
      underWay = undefined;
    }
  };
  return () => {
    if (failed && now() - failed.at < FAILED_FOR) return Promise.reject(failed.cause);
    underWay ??= fetchOnce();
    return underWay;
  };
}

/** The discovery of the server at `authUrl`. `now` is in milliseconds from any moment. */
export function createDiscovery(authUrl: string, now = () => performance.now()): Discovery {
  const fetchShared = createFetch(authUrl, now);
  let known: { metadata: ServerMetadata; at: number } | undefined;
  return {
    known: () => known?.metadata,
    async metadata() {
      if (known && now() - known.at < KNOWN_FOR) return known.metadata;
      try {
        const { metadata } = await fetchShared();
        known = { metadata, at: now() };
      } catch (cause) {
        if (!known)
          throw new Unavailable('the metadata of the authorization server cannot be read', { cause });
      }
      return known.metadata;
    },
  };
}
