import type { MailSettings } from '../shared/mail/mailer.ts';
import type { Quotas } from './main-api/quotas.ts';

/** What a started modern generation needs to know. It arrives over IPC or from a test, never from argv or environment. */
export interface ModernSettings {
  host: string;
  /** 0 takes any free port; an issuer whose own port is 0 then gets the real one. */
  port: number;
  /** Public origin without a trailing slash: authorization server and main API both live there. */
  issuer: string;
  /** Where people find the apps that use their account: error pages lead there. Unset: there is no such place. */
  appsUrl?: string | undefined;
  /** SQLite file. Its keys lie beside it in `<databaseFile>.keys.json`. */
  databaseFile: string;
  /** Lifetime of an access token, in seconds. */
  accessTokenSeconds: number;
  /** Calls of the main API for each client in 15 minutes, 24 hours and 30 days. Unset: generous ones. */
  quotas?: Quotas | undefined;
  logLevel: string;
  mail: MailSettings;
  /** Written over the stored clients of the same id at every start. */
  clients: ClientSettings[];
  /** Seed the demo accounts and show their credentials on the sign-in page. */
  demo: boolean;
}

export interface ClientSettings {
  clientId: string;
  /** Absent for a public client, which authenticates by PKCE alone (RFC 6749 §2.1). */
  clientSecret?: string;
  name: string;
  /** Compared as whole strings; http is allowed, because the local demo runs on loopback. */
  redirectUris: string[];
}

/** What a person needs to sign in to the demo; handed to the parent process to print. */
export interface DemoCredentials {
  accountId: string;
  email: string;
  /** Absent once it was changed. */
  password?: string;
}
