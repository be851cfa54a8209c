import type { MailSettings } from '../shared/mail/mailer.ts';
import type { Quotas } from './main-api/quotas.ts';

/** The settings of an embedded new API. They arrive over IPC or from a test, never from argv or the environment. */
export interface ModernSettings {
  host: string;
  /** 0 takes any free port. An issuer with port 0 then gets the actual port. */
  port: number;
  /** Public origin without a trailing slash, of the authorization server and of the main API. */
  issuer: string;
  /**
   * The page on which people find the apps that use their account. Error pages link to this page. Unset: there is no
   * such page.
   */
  appsUrl?: string | undefined;
  /** SQLite file. The keys are beside the file, in `<databaseFile>.keys.json`. */
  databaseFile: string;
  /** Lifetime of an access token, in seconds. */
  accessTokenSeconds: number;
  /** Calls of the main API for each client in 15 minutes, 24 hours and 30 days. Unset: generous quotas. */
  quotas?: Quotas | undefined;
  logLevel: string;
  mail: MailSettings;
  /** Overwrites the stored clients of the same id at every start. */
  clients: ClientSettings[];
  /** Seed the demo accounts and show their credentials on the sign-in page. */
  demo: boolean;
}

export interface ClientSettings {
  clientId: string;
  /** Absent for a public client, which authenticates by PKCE alone (RFC 6749 §2.1). */
  clientSecret?: string;
  name: string;
  /** Compared as whole strings. http is allowed because the local demo runs on loopback. */
  redirectUris: string[];
  /** Whether a person who has allowed this app once signs in to it again without the consent page. */
  remembersSignIn?: boolean;
}

/** The credentials with which a person signs in to the demo. The parent process prints the credentials. */
export interface DemoCredentials {
  accountId: string;
  email: string;
  /** Absent after the person changed the password. */
  password?: string;
}
