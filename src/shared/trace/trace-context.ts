import { randomBytes } from 'node:crypto';

/**
 * W3C Trace Context: which trace a request belongs to, for the servers that are asked on its behalf
 * (https://www.w3.org/TR/trace-context/). Any caller can send any header. So only the exact form counts, every other value is
 * dropped as if it had not come, and nothing longer than the limits here is read.
 */

export interface TraceContext {
  /** 32 hex digits, as the caller sent them. */
  traceId: string;
  /** 16 hex digits: the step of the trace that asks. */
  parentId: string;
  /** Whether somebody before records this trace. */
  isSampled: boolean;
  /** `tracestate` as it came; undefined where it did not come or was not in order. */
  state: string | undefined;
  /** Whether this process records the trace: `parentId` is its own step then, and stands in the calls that belong to it. */
  isRecorded: boolean;
}

/**
 * Version, trace, parent and flags. A later version may have more behind a dash (§3.2.4); version ff, and ids of zeros
 * alone, are not valid.
 */
const TRACEPARENT =
  /^(?<version>(?!ff)[0-9a-f]{2})-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<parentId>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?:$|-)/;

const LENGTH_OF_VERSION_00 = 55;

const STATE_MAX = 512;
const STATE_MEMBERS_MAX = 32;

const STATE_KEY = '[a-z0-9][a-z0-9_*/-]{0,255}(?:@[a-z][a-z0-9_*/-]{0,13})?';
const STATE_MEMBER = new RegExp(
  `^(?<key>${STATE_KEY})=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{0,255}[\\x21-\\x2b\\x2d-\\x3c\\x3e-\\x7e]$`,
);

/** The list, unless one member is not in order, or a key stands there twice (§3.3.1). */
function readState(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > STATE_MAX) return undefined;
  const members = given.split(',').map((member) => member.trim());
  const named = members.filter((member) => member !== '');
  const keys = named.map((member) => STATE_MEMBER.exec(member)?.groups?.['key']);
  const isOrdered = !keys.includes(undefined) && new Set(keys).size === keys.length;
  return isOrdered && named.length > 0 && named.length <= STATE_MEMBERS_MAX ? named.join(',') : undefined;
}

/** The trace that a request brings; undefined where it brings none, or none in order. */
export function readTraceContext(headers: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const given = headers['traceparent'];
  if (typeof given !== 'string') return undefined;
  const { version, traceId, parentId, flags } = TRACEPARENT.exec(given)?.groups ?? {};
  if (traceId === undefined || parentId === undefined) return undefined;
  if (version === '00' && given.length !== LENGTH_OF_VERSION_00) return undefined;
  const isSampled = (Number.parseInt(flags ?? '0', 16) & 1) === 1;
  return { traceId, parentId, isSampled, state: readState(headers['tracestate']), isRecorded: false };
}

const newId = (bytes: number) => randomBytes(bytes).toString('hex');

/** A new step of a trace. */
export const newSpanId = (): string => newId(8);

/** A trace that begins here and that nobody records. */
export function newTrace(): TraceContext {
  return { traceId: newId(16), parentId: newSpanId(), isSampled: false, state: undefined, isRecorded: false };
}

/** The headers of a call that belongs to a trace; none without a trace. The call has an id of its own in the trace. */
export function traceHeaders(trace: TraceContext | undefined): Record<string, string> {
  if (!trace) return {};
  const { traceId, isRecorded, isSampled, state } = trace;
  const parentId = isRecorded ? trace.parentId : newSpanId();
  const traceparent = `00-${traceId}-${parentId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}
