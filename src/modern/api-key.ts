/**
 * The form of an API key: a prefix, 256 random bits and a checksum. People and secret scanners recognize the prefix.
 * The checksum refuses a mistyped or made-up key without a database query.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'gbk_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 > 2^256 and 62^6 > 2^32. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^(${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text;
}

const checksum = (text: string) => base62(BigInt(crc32(text)), CHECKSUM_LENGTH);

/**
 * `gbk_`, 43 random letters or digits, and a checksum of 6: CRC-32 of the characters before the checksum, in base 62.
 */
export function newApiKey(): string {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  const body = PREFIX + base62(random, RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether a bearer token looks like an API key. An access token of the authorization server is 43 characters long. */
export const isApiKeyLike = (token: string): boolean => token.startsWith(PREFIX);

export function isWellFormedApiKey(token: string): boolean {
  const [, body, sum] = FORM.exec(token) ?? [];
  return body !== undefined && checksum(body) === sum;
}

/** The prefix and the last four characters: enough to tell keys apart, too little to use a key. */
export const apiKeyHint = (key: string): string => `${PREFIX}…${key.slice(-4)}`;
