import { readConfig } from '../../src/config/config.ts';
import { reduceError } from '../../src/shared/log/redaction.ts';

/** Settings as the environment holds them. */
export type Given = Record<string, string>;

/** The lines that an operator reads, without the first one, as the programs print them. */
export function complaints(given: Given): string[] {
  try {
    readConfig(given);
    return [];
  } catch (error) {
    const lines = reduceError(error).message.split('\n').slice(1);
    return lines.map((line) => line.trim());
  }
}

/** The settings of the new API. */
export const UPSTREAM = {
  MODERN_AUTH_URL: 'https://auth.example',
  MODERN_API_URL: 'https://api.example',
  MODERN_CLIENT_ID: 'bridge',
};
/** Settings that a start in production takes. */
export const PRODUCTION = {
  ...UPSTREAM,
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://bridge.example',
  TRUST_PROXY: 'loopback',
  KEYS_FILE: 'package.json',
};
