import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { Mailer } from '../shared/mail/mailer.ts';
import type { Vault } from '../shared/secrets.ts';
import type { DatabaseClock } from '../store/driver/database-clock.ts';
import type { Spill } from '../store/files/spill.ts';
import type { Store } from '../store/driver/store.ts';
import type { AuthorizationServer } from '../upstream/authorization-server.ts';
import type { ModernSides } from '../upstream/modern-sides.ts';
import type { OldBackend } from '../upstream/old-backend.ts';
import type { ClaimAge } from './grants/refresh/claim-age.ts';
import type { Keyring } from './keys/keyring.ts';
import type { SingleFlight } from './work/single-flight.ts';
import type { FleetSize } from './grants/refresh/fleet-size.ts';
import type { Places } from './grants/refresh/refresh-limit.ts';
import type { InstanceWatch } from './instance/instance-watch.ts';
import type { DeferredTokenLookup } from './usage/deferred-token-lookup.ts';
import type { LifecycleWatch } from './lifecycle/lifecycle-watch.ts';
import type { LiveFeed } from './live/live-feed.ts';
import type { SharedCounts } from './limits/shared-counts.ts';
import type { UsageLog } from './usage/usage.ts';
import type { Shutdown } from './work/shutdown.ts';
import type { TroubleLog } from './work/trouble-log.ts';

/** The settings that rules depend on; times in milliseconds. */
interface DomainSettings {
  publicUrl: string;
  scopes: string;
  inDoubtQuiet: number;
  keepAlive: number;
  profilesFresh: number;
  profilesStale: number;
  codeReplay: 'deny' | 'revoke';
  /** Who may register an app on the owners' pages. */
  appRegistration: 'open' | 'staff' | 'off';
  shadow: boolean;
  trustModernEmails: boolean;
  /** Where people change at the modern side what programs cannot. */
  modernSettingsUrl: string;
  /** How many days before a date people are reminded, the most first. */
  reminderDays: readonly number[];
  /** When reminders are planned, in UTC. */
  reminderCron: string;
  /** Whether the jobs plan and send any. */
  sendsReminders: boolean;
}

/** What every use case is given; built once in bridge.ts. */
export interface Context {
  settings: DomainSettings;
  store: Store;
  clock: Clock;
  /** What is known of the database's clock; nothing where a test brought its own. */
  databaseClock: Pick<DatabaseClock, 'machineOffset' | 'sampleAge'> | undefined;
  vault: Vault;
  keyring: Keyring;
  logger: Logger;
  /** Where background work that fails again and again is told. */
  troubles: { jobs: TroubleLog; leases: TroubleLog };
  mailer: Mailer;
  /** As the bridge's own client meets it. */
  server: AuthorizationServer;
  /** As every client does: the bridge's, and those that apps have of their own. */
  sides: ModernSides;
  /** The old API, while it still runs. */
  oldBackend: OldBackend | undefined;
  flights: SingleFlight;
  /** For refreshes that only a few may begin at once. */
  places: Places;
  /** How this process comes to its end; a command's never begins. */
  shutdown: Shutdown;
  watch: ClaimAge;
  /** How many grants are alive. */
  fleet: FleetSize;
  /** Whether the database is the original; `server` and `sides` send nothing while it is not. */
  instance: InstanceWatch;
  /** The dates, extensions and brownouts that are in force. */
  lifecycle: LifecycleWatch;
  spill: Spill;
  counts: SharedCounts;
  /** What tokens are used for. */
  usage: UsageLog;
  /** Whose tokens came with calls that were refused unread. */
  lateTokens: DeferredTokenLookup;
  /** The calls of apps that somebody looks at. */
  live: LiveFeed;
  /** Where this machine keeps what it saw of the history's chain. */
  anchorsFile: string;
  /** Names this process among all that share the databases, until it ends. */
  processId: string;
  /** A random number in [0, 1), for jitter. */
  chance(): number;
}

/** Who or what asks for a change, for the history. */
export interface Origin {
  actor: string;
  requestId: string | null;
}
