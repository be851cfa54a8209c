import type { KeyObject } from 'node:crypto';
import type { StaffRole } from '../store/tables/page-tables.ts';

/** The identity provider at which staff sign in, and what its claims mean here (docs/decisions/0032). */
export interface CompanySignInRules {
  issuer: string;
  clientId: string;
  /** The claim that says what a person may do here. */
  roleClaim: string;
  /** The role for each value of that claim. */
  roles: ReadonlyMap<string, StaffRole>;
  /** How long a session of staff lasts at most. */
  sessionLifetime: number;
  /** Whether the accounts of `staff add` also have access, by their own sign-in. */
  alsoLocal: boolean;
}

/** The settings that the rules of the domain depend on. Times are in milliseconds. */
export interface DomainSettings {
  publicUrl: string;
  /** What the service is called on pages and in mails. */
  serviceName: string;
  /** Shown beside the name at the head of every page; read at the start. */
  serviceLogo: { type: string; bytes: Buffer } | undefined;
  /** The language that pages and mails say they are in (BCP 47). */
  serviceLanguage: string;
  /** Where people get help, https or mailto; undefined where nobody named an address. */
  helpUrl: string | undefined;
  scopes: string;
  inDoubtQuiet: number;
  keepAlive: number;
  profilesFresh: number;
  profilesStale: number;
  codeReplay: 'deny' | 'revoke';
  /** The public keys of those who may report leaked tokens, by identifier; undefined: nobody may. */
  leakReportKeys: ReadonlyMap<string, KeyObject> | undefined;
  /** How long a leaked token goes on after its report. */
  leakedTokenGrace: number;
  /** The company sign-in of staff; undefined: staff sign in with their account at the new API. */
  company: CompanySignInRules | undefined;
  /** Who may register an app on the owners' pages. */
  appRegistration: 'open' | 'staff' | 'off';
  shadow: boolean;
  /** The private folder of this machine for the working files of an import. */
  importFolder: string;
  trustModernEmails: boolean;
  /** The page of the new API on which people change settings that programs cannot change. */
  modernSettingsUrl: string;
  /** The dates of the settings, for a database that has none yet; in Unix milliseconds. */
  dates: { deprecation: number | undefined; retirement: number | undefined; sunset: number | undefined };
  /** How many days before a date people get a reminder; the largest number comes first. */
  reminderDays: readonly number[];
  /** When reminders are planned, in UTC. */
  reminderCron: string;
  /** Whether the jobs plan and send reminders. */
  sendsReminders: boolean;
  /**
   * In a preview of another day: until when the uses of tokens are known. What is in use then is taken to be in use on
   * that day too.
   */
  usesKnownUntil?: number;
}
