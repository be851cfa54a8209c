import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/**
 * The keys of services that report leaked tokens, in the form in which GitHub publishes its own
 * (https://api.github.com/meta/public_keys/secret_scanning). No message quotes the setting: somebody may put a private key
 * there by mistake.
 */

export type LeakReportKeys = ReadonlyMap<string, KeyObject>;

const FORM =
  'must be {"public_keys":[{"key_identifier":"…","key":"-----BEGIN PUBLIC KEY-----…"}]}, as GitHub publishes its keys';

const KEYS_MAX = 20;

/** The whole of it is one public key, and nothing that a private key could be derived from. */
const PUBLIC_KEY = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/;

const keyList = z.object({
  public_keys: z
    .array(
      z.object({ key_identifier: z.string().regex(/^[\w-]{1,100}$/), key: z.string().regex(PUBLIC_KEY) }),
    )
    .min(1)
    .max(KEYS_MAX),
});

/** Undefined for a key of another kind: ECDSA on P-256 is what reports are signed with. */
function p256KeyOf(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

function readList(text: string): z.infer<typeof keyList> | undefined {
  try {
    return keyList.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The keys by identifier, or the problem in plain words. */
function readKeys(text: string): LeakReportKeys | string {
  const list = readList(text)?.public_keys;
  if (!list) return FORM;
  const keys = new Map<string, KeyObject>();
  for (const [at, { key_identifier: id, key: pem }] of list.entries()) {
    const key = p256KeyOf(pem);
    if (!key) return `key ${at + 1} is no ECDSA key on the curve P-256`;
    if (keys.has(id)) return `key ${at + 1} has the identifier of another key`;
    keys.set(id, key);
  }
  return keys;
}

export const leakReportKeys = z.string().transform((text, check): LeakReportKeys => {
  const keys = readKeys(text);
  if (typeof keys !== 'string') return keys;
  check.addIssue({ code: 'custom', message: keys });
  return new Map();
});
