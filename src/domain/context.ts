import type { Clock } from '../shared/clock.ts';
import type { RefusalRecorder } from '../shared/log/refusal-log.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { Mailer } from '../shared/mail/mailer.ts';
import type { Metrics } from '../shared/metrics/metrics.ts';
import type { Vault } from '../shared/secrets.ts';
import type { TraceRecorder } from '../shared/trace/tracing.ts';
import type { DatabaseClock } from '../store/driver/database-clock.ts';
import type { Spill } from '../store/files/spill.ts';
import type { Store } from '../store/driver/store.ts';
import type { AuthorizationServer } from '../upstream/authorization-server.ts';
import type { CompanyProvider } from '../upstream/company/company-provider.ts';
import type { ModernApiClients } from '../upstream/modern-sides.ts';
import type { OldBackend } from '../upstream/old-backend.ts';
import type { ClaimAge } from './grants/refresh/claim-age.ts';
import type { Keyring } from './keys/keyring.ts';
import type { SingleFlight } from './work/single-flight.ts';
import type { FleetSize } from './grants/refresh/fleet-size.ts';
import type { RefreshSlots } from './grants/refresh/refresh-limit.ts';
import type { SilentTurn } from './grants/refresh/stop/breaker-rules.ts';
import type { WaitingCallers } from './grants/refresh/waiting-callers.ts';
import type { InstanceWatch } from './instance/instance-watch.ts';
import type { DeferredTokenLookup } from './usage/deferred-token-lookup.ts';
import type { LifecycleWatch } from './lifecycle/lifecycle-watch.ts';
import type { LiveFeed } from './live/live-feed.ts';
import type { Overload } from './limits/overload/overload.ts';
import type { WantedCount } from './progress/wanted-count.ts';
import type { SharedCounts } from './limits/shared-counts.ts';
import type { UsageLog } from './usage/usage.ts';
import type { Shutdown } from './work/shutdown.ts';
import type { TroubleLog } from './work/trouble-log.ts';
import type { WebhooksDeps } from './webhooks/deps.ts';
import type { DomainSettings } from './domain-settings.ts';

/** The dependencies of every use case. `openContext` builds the context once. */
export interface Context {
  settings: DomainSettings;
  store: Store;
  clock: Clock;
  /** The offset and age of the database clock; undefined where a test brings its own clock. */
  databaseClock: Pick<DatabaseClock, 'machineOffset' | 'sampleAge'> | undefined;
  vault: Vault;
  keyring: Keyring;
  logger: Logger;
  /** What this process counts about itself. */
  metrics: Metrics;
  /** Records traces; undefined where no endpoint is set. */
  tracing: TraceRecorder | undefined;
  /** The logs of work that fails repeatedly. */
  troubles: { jobs: TroubleLog; leases: TroubleLog; reads: TroubleLog };
  /** Tells of answers that were not new, with a limit for each app. */
  lastKnownLines: RefusalRecorder;
  mailer: Mailer;
  /** Where webhooks may lead, and the places in which their messages are sent. */
  webhooks: WebhooksDeps['webhooks'];
  /** The authorization server, reached with the client of the bridge. */
  server: AuthorizationServer;
  /** The new API, reached with any client: the client of the bridge or an app's own client. */
  sides: ModernApiClients;
  /** The identity provider of the operator; undefined where staff sign in with their account at the new API. */
  company: CompanyProvider | undefined;
  /** The running old API; undefined when no old API runs. */
  oldBackend: OldBackend | undefined;
  flights: SingleFlight;
  /** Limits refreshes while the breaker lets only a few begin at once. */
  places: RefreshSlots;
  /** The shutdown of this process. The shutdown of a command never begins. */
  shutdown: Shutdown;
  watch: ClaimAge;
  /** How many grants are alive. */
  fleet: FleetSize;
  /** When the authorization server was silent while answers to refreshes were lost. */
  silentTurn: SilentTurn;
  /** For which grants callers of this process wait. */
  callers: WaitingCallers;
  /** Whether the database is the original. `server` and `sides` send nothing while the database is a copy. */
  instance: InstanceWatch;
  /** The dates, extensions and brownouts that are in force. */
  lifecycle: LifecycleWatch;
  spill: Spill;
  counts: SharedCounts;
  /** Whether this process has more to do than it can. */
  overload: Overload;
  /** Whether an import waits to be counted. */
  wantedCount: WantedCount;
  /** The usage of tokens. */
  usage: UsageLog;
  /** Finds the tokens of calls that were refused unread. */
  lateTokens: DeferredTokenLookup;
  /** The calls of the apps whose live page is open. */
  live: LiveFeed;
  /** The file in which this machine keeps the anchors of the history. */
  anchorsFile: string;
  /** Names this process among all processes that share the databases, until the process ends. */
  processId: string;
  /** A random number in [0, 1), for jitter. */
  chance(): number;
}
