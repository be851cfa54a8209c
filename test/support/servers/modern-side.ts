import type { Person } from '../callers/authorize.ts';

export interface ModernSideOptions {
  /** Where it listens; what others see is the issuer. */
  port: number;
  issuer: string;
  redirectUri: string;
  accessTokenSeconds: number;
  /** Makes the bridge a confidential client there. */
  clientSecret?: string;
  /** Clients that apps have of their own there, with the same callback. */
  ownClients?: readonly OwnClient[];
}

/** Public without a secret. */
export interface OwnClient {
  clientId: string;
  clientSecret?: string;
  name: string;
  /** The app that a public one is for, whose return address it has. */
  ofApp?: string;
}

export interface ModernSide {
  url: string;
  person: Person;
  close(): Promise<void>;
}

export type StartModernSide = (options: ModernSideOptions) => Promise<ModernSide>;

/** The bridge's client at either modern side, a public one unless it is given a secret. */
export const BRIDGE_CLIENT = 'grantbridge-under-test';
