import { ALARM_KINDS } from '../../../src/shared/metrics/alarm-kinds.ts';
import { CALL_COURSES, CALLS_OF_GOOD_DAY } from './call-alert-courses.ts';
import {
  type AlertCourses,
  type Course,
  durations,
  gauge,
  grows,
  GROWS_ONCE,
  MINUTES,
  stays,
} from './minutes.ts';

/** For each alert what makes it fire, and what almost does: written by hand from docs/operate/alerts.md. */

/** Refreshes and statements of a good day, each minute. */
const REFRESHES = 60;
const STATEMENTS = 6000;

const refreshes = (values: string): Course => ({
  metric: 'grantbridge_refreshes_total',
  labels: { outcome: 'renewed' },
  values,
});

const lost = (values: string): Course => ({
  metric: 'grantbridge_grants_ended_total',
  labels: { cause: 'lost' },
  values,
});

const refused = (grants: number): Course => ({
  metric: 'grantbridge_grants_ended_total',
  labels: { cause: 'refused' },
  values: `0+0x${MINUTES - 50} ${grants}+0x50`,
});

/** Grants that work. */
const working = (grants: number): Course => gauge('grantbridge_grants', grants, { state: 'ready' });

/** One mail, most of three hours ago: one that is put off may be tried again hours later, and the rule has to stand until then. */
const oneMail = (outcome: string): Course => ({
  metric: 'grantbridge_mail_hand_overs_total',
  labels: { outcome },
  values: `0+0x10 1+0x${MINUTES - 10}`,
});

/** One mail with a link that proves an address, as long ago. */
const oneProof = (outcome: string): Course => ({
  ...oneMail(outcome),
  metric: 'grantbridge_proof_mails_total',
});

const alarm = (kind: string, values: string): Course => ({
  metric: 'grantbridge_alarms_total',
  labels: { alarm: kind },
  values,
});

/** The good day, on which no alert fires. Times count from its beginning: jobs succeed every minute. */
export const GOOD_DAY: Course[] = [
  ...CALLS_OF_GOOD_DAY,
  refreshes(grows(REFRESHES)),
  { metric: 'grantbridge_database_seconds_bucket', values: grows(STATEMENTS) },
  { metric: 'grantbridge_database_wait_seconds_bucket', values: grows(STATEMENTS) },
  { metric: 'grantbridge_job_last_success_timestamp_seconds', values: grows(60) },
  gauge('grantbridge_event_loop_delay_seconds', 0.03),
];

const DATABASE_LIMITS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1];

const ofDatabase = (metric: string, above: number, slow: number): Course[] =>
  durations(metric, DATABASE_LIMITS, { all: STATEMENTS, slow, above });

const STATEMENT = 'grantbridge_database_seconds';
const WAIT = 'grantbridge_database_wait_seconds';

/** Four restarts in the last hour. */
const restarts = (times: number): Course => ({
  metric: 'grantbridge_start_timestamp_seconds',
  values: `0+0x${MINUTES - 40} ${Array.from({ length: times }, (_, n) => n + 1).join(' ')} ${times}+0x40`,
});

const alarms = Object.fromEntries(
  ALARM_KINDS.map((kind) => [kind, { fires: [alarm(kind, GROWS_ONCE)], quiet: [alarm(kind, stays(7))] }]),
);

/** What the alarm of each rule is called is read from the rule itself. */
export const coursesOfAlarm = (kind: string): AlertCourses | undefined => alarms[kind];

const job = (values: string): Course => ({
  metric: 'grantbridge_job_last_success_timestamp_seconds',
  labels: { task: 'settle-doubts' },
  values,
});

/** The job is known for so many minutes. */
const knownFor = (minutes: number): Course => ({
  metric: 'grantbridge_job_interval_seconds',
  labels: { task: 'settle-doubts' },
  values: `_x${MINUTES - minutes} 10+0x${minutes}`,
});

const jobFailures = (values: string): Course => ({
  metric: 'grantbridge_job_failures_total',
  labels: { task: 'settle-doubts' },
  values,
});

/** A state that lasts, whose alarm comes once. */
const ofState = (metric: string, kind: string): AlertCourses[] => [
  {
    fires: [gauge(metric, 1)],
    quiet: [{ metric, values: `1+0x${MINUTES - 10} 0+0x10` }, alarm(kind, GROWS_ONCE)],
  },
];

/** Every rule that is not about an alarm alone. */
export const COURSES: Record<string, AlertCourses[]> = {
  ...CALL_COURSES,
  GrantbridgeDown: [
    {
      fires: [{ metric: 'up', values: '1+0x170 0+0x10' }],
      quiet: [{ metric: 'up', values: '1+0x178 0+0x2' }],
    },
  ],
  GrantbridgeNotReady: [
    {
      fires: [gauge('grantbridge_ready', 0)],
      quiet: [{ metric: 'grantbridge_ready', values: '1+0x178 0+0x2' }],
    },
  ],
  GrantbridgeProcessEnded: [
    { fires: [restarts(4)], quiet: [restarts(3)] },
    {
      fires: [gauge('grantbridge_last_end_unclean', 1)],
      quiet: [{ metric: 'grantbridge_last_end_unclean', values: `1+0x${MINUTES - 10} 0+0x10` }],
    },
  ],
  GrantbridgeWorkersSilent: [
    {
      fires: [gauge('grantbridge_workers_silent', 1)],
      quiet: [{ metric: 'grantbridge_workers_silent', values: '0+0x178 1+0x2' }],
    },
  ],
  GrantbridgeEventLoopBlocked: [
    {
      fires: [gauge('grantbridge_event_loop_delay_seconds', 0.26, { percentile: '99' })],
      quiet: [
        gauge('grantbridge_event_loop_delay_seconds', 0.24, { percentile: '99' }),
        gauge('grantbridge_event_loop_delay_seconds', 3, { percentile: '100' }),
      ],
    },
  ],
  // In an hour 3,600 refreshes: six lost ones are more than 14.4 of 10,000, and five are not.
  GrantbridgeChainBroken: [
    {
      fires: [lost(`0+0x${MINUTES - 50} 6+0x50`)],
      quiet: [lost(`0+0x${MINUTES - 50} 5+0x50`)],
    },
  ],
  GrantbridgeGrantsRefused: [
    { fires: [refused(5)], quiet: [refused(4)] },
    // One of 200.
    { fires: [refused(11), working(2000)], quiet: [refused(9), working(2000)] },
  ],
  GrantbridgeDoubtOld: [
    {
      fires: [gauge('grantbridge_grants_in_doubt_oldest_seconds', 3700)],
      quiet: [gauge('grantbridge_grants_in_doubt_oldest_seconds', 3500)],
    },
  ],
  GrantbridgeRevocationOwed: [
    {
      fires: [gauge('grantbridge_owed_revocations_oldest_seconds', 3700)],
      quiet: [gauge('grantbridge_owed_revocations_oldest_seconds', 3500)],
    },
  ],
  GrantbridgeSpillWaits: [
    {
      fires: [gauge('grantbridge_spill_files', 1)],
      quiet: [{ metric: 'grantbridge_spill_files', values: '0+0x175 1+0x5' }],
    },
  ],
  GrantbridgeDatabaseSlow: [
    { fires: ofDatabase(WAIT, 1, STATEMENTS * 0.02), quiet: ofDatabase(WAIT, 1, STATEMENTS * 0.005) },
    {
      fires: ofDatabase(STATEMENT, 0.5, STATEMENTS * 0.02),
      quiet: ofDatabase(STATEMENT, 0.5, STATEMENTS * 0.005),
    },
    {
      fires: ofDatabase(STATEMENT, 0.1, STATEMENTS * 0.6),
      quiet: ofDatabase(STATEMENT, 0.05, STATEMENTS * 0.6),
    },
  ],
  GrantbridgeStateUnreadable: [
    {
      fires: [gauge('grantbridge_state_readable', 0)],
      quiet: [{ metric: 'grantbridge_state_readable', values: '1+0x178 0+0x2' }],
    },
  ],
  GrantbridgeHistoryUnsealed: [
    {
      fires: [gauge('grantbridge_history_unsealed_entries', 1001)],
      quiet: [{ metric: 'grantbridge_history_unsealed_entries', values: '5000+0x150 999 5000+0x29' }],
    },
    {
      fires: [gauge('grantbridge_history_unsealed_oldest_seconds', 1900)],
      quiet: [gauge('grantbridge_history_unsealed_oldest_seconds', 1700)],
    },
  ],
  GrantbridgeRestoredCopy: ofState('grantbridge_restored_copy', 'restored_copy'),
  GrantbridgeKeys: ofState('grantbridge_keys_unusable', 'keys'),
  GrantbridgeCertificate: ofState('grantbridge_certificate_unusable', 'certificate'),
  GrantbridgeJobLate: [
    { fires: [job(stays(60))], quiet: [job(`0+60x${MINUTES - 10} 10200+0x10`)] },
    // The machine that ran the job is gone, and the one that runs it now last succeeded long ago.
    { fires: [job(`0+60x${MINUTES - 20} 0+0x20`)], quiet: [job(`0+60x${MINUTES - 10} 0+0x10`)] },
    // No success is known: the time counts since the job is known.
    { fires: [job(stays(0))], quiet: [job(`_x${MINUTES - 10} 0+0x10`), knownFor(10)] },
  ],
  GrantbridgeJobFails: [{ fires: [jobFailures(grows(0.2))], quiet: [jobFailures(grows(0.08))] }],
  GrantbridgeMailServer: [
    { fires: [oneMail('not_taken')], quiet: [oneMail('not_taken'), oneMail('taken')] },
    { fires: [oneProof('failed')], quiet: [oneProof('failed'), oneProof('sent'), oneProof('refused')] },
  ],
  GrantbridgeMailsOverdue: [
    {
      fires: [gauge('grantbridge_mails_overdue', 5, { stage: 'died' })],
      quiet: [gauge('grantbridge_mails_overdue', 4, { stage: 'died' })],
    },
  ],
  GrantbridgeMailsUndeliverable: [
    {
      fires: [{ metric: 'grantbridge_mails_undeliverable_total', values: GROWS_ONCE }],
      quiet: [{ metric: 'grantbridge_mails_undeliverable_total', values: '0+0x180' }],
    },
  ],
  // The lost ones of the last hour alone break this rule and not the faster one.
  GrantbridgeChainObjective: [
    {
      fires: [refreshes(grows(200)), lost('0+0x60 4+0x120')],
      quiet: [refreshes(grows(200)), lost('0+0x60 3+0x120')],
    },
  ],
};
