import { allMails, type LedgerMail, ledgerMails, listedSince } from './ledger.ts';
import { type Letter, readLetter } from './letters.ts';
import type { Told } from './oracle-parts.ts';
import type { Play } from './rehearsal.ts';

/** What arrived, put beside what the ledger says of it. */

function humanOf({ world }: Play, person: string): string {
  const [, kind, name = ''] = /^(account|email):(.*)$/.exec(person) ?? [];
  if (kind === 'email') return world.humans.find(({ email }) => email?.toLowerCase() === name)?.id ?? person;
  // as make-world.ts names the account of somebody who signs up
  const signedUp = /^account-of-(.*)$/.exec(name)?.[1];
  return signedUp ?? world.humans.find(({ accountId }) => accountId === name)?.id ?? person;
}

/** A mail has to speak of the apps that it is about, and of no other. */
function compareNames({ names, complain }: Play, letter: Letter, { keys }: LedgerMail): void {
  const expected = new Set(keys.map((key) => names.get(key.split(' ')[0] ?? '') ?? key));
  const isSame = expected.size === letter.names.size && [...expected].every((name) => letter.names.has(name));
  if (!isSame)
    complain(
      'mail text',
      `${letter.id} speaks of ${[...letter.names].join(', ')}, not of ${[...expected].join(', ')}`,
    );
}

function toldOf(play: Play, letter: Letter, mails: ReadonlyMap<string, LedgerMail>): Told[] {
  const mail = mails.get(letter.id);
  if (!mail) {
    play.complain(
      'twice',
      `a mail to ${letter.to} has a Message-ID that the ledger does not know: ${letter.id}`,
    );
    return [];
  }
  compareNames(play, letter, mail);
  return [{ human: humanOf(play, mail.person), keys: mail.keys, to: letter.to }];
}

/** A mail comes again only where a machine was killed with it in its hands. */
function judgeRepeats({ repeats, tally, complain }: Play): void {
  for (const messageId of repeats.splice(0)) {
    tally.repeats += 1;
    if (!tally.atRisk.delete(messageId)) complain('unexplained repeat', messageId);
  }
}

/** Everything that was told in one tick: what arrived, and what is listed for support instead. */
export async function readTick(
  play: Play,
  { since, killed }: { since: number; killed: number | undefined },
): Promise<Told[]> {
  const { stage, tally } = play;
  const arrivals = play.arrivals.splice(0);
  judgeRepeats(play);
  for (const { machine, messageId } of arrivals) if (machine === killed) tally.atRisk.add(messageId);
  for (const { messageId } of arrivals) tally.arrived.add(messageId.split('@')[0] ?? '');
  tally.mails += arrivals.length;
  for (const { machine } of arrivals) tally.mailsOf[machine] = (tally.mailsOf[machine] ?? 0) + 1;
  const letters = await Promise.all(arrivals.map(readLetter));
  const known = await ledgerMails(
    stage.store,
    letters.map(({ id }) => id),
  );
  const mails = new Map(known.map((mail) => [mail.id, mail]));
  const listed = await listedSince(stage.store, since);
  return [
    ...letters.flatMap((letter) => toldOf(play, letter, mails)),
    ...listed.map(({ person, keys }) => ({ human: humanOf(play, person), keys, to: undefined })),
  ];
}

/** The ledger says of every mail what the mail server says of it. */
export async function compareAtEnd(play: Play): Promise<void> {
  const { stage, tally, oracle, complain, director } = play;
  judgeRepeats(play);
  for (const key of oracle.missing()) complain('missing', key);
  for (const p of new Set(tally.violations.map((v) => /human-(\d+)/.exec(v.text)?.[1]))) for (const m of await stage.store.durable.selectFrom('mails').selectAll().where('person','in',[`account:account-${p}`, `email:human-${p}@people.example`]).orderBy('created_at').execute()) { const r = await stage.store.durable.selectFrom('reminders').selectAll().where('mail_id','=',m.id).execute(); console.log(m.person, m.day,m.state,m.attempts,m.failure,new Date(m.created_at).toISOString(),m.ended_at&&new Date(m.ended_at).toISOString(), m.claimed_at && new Date(m.claimed_at).toISOString(), tally.arrived.has(m.id), r.map(x=>`${x.client_id} ${x.role} ${x.stage} ${x.planned_for} ${x.dropped_at?'dropped '+new Date(x.dropped_at).toISOString():''}`).join(' | ')); }
  for (const { id, state } of await allMails(stage.store)) {
    const hasArrived = tally.arrived.has(id);
    if (state === 'sent' && !hasArrived) complain('ledger', `mail ${id} is called sent and never arrived`);
    if (hasArrived && state !== 'sent') tally.unmarked.push(`${id}: ${state}`);
  }
  const { figures } = oracle;
  tally.due = figures.due.size;
  tally.delivered = figures.delivered;
  tally.listed = figures.listed;
  tally.killsLeft = director.waiting();
}
