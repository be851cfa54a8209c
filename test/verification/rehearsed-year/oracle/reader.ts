import { allMails, type LedgerMail, ledgerMails, listedSince } from '../world/ledger.ts';
import { type Letter, readLetter } from '../letters.ts';
import type { Told } from './oracle-parts.ts';
import type { Play } from '../play.ts';
import { idOf } from '../tally.ts';

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

/** A mail comes again only where a machine was killed with it in its hands. Answers whose came again. */
function judgeRepeats({ repeats, tally, complain }: Play): Set<string> {
  const repeated = new Set<string>();
  for (const messageId of repeats.splice(0)) {
    tally.repeats += 1;
    if (!tally.atRisk.delete(messageId)) complain('unexplained repeat', messageId);
    const human = tally.arrived.get(idOf(messageId));
    if (human !== undefined) repeated.add(human);
  }
  return repeated;
}

interface TickRead {
  /** What arrived, and what is listed for support instead. */
  told: Told[];
  repeated: ReadonlySet<string>;
  unmarked: ReadonlySet<string>;
}

/** Reads everything that was told in one tick. */
export async function readTick(
  play: Play,
  { since, killed }: { since: number; killed: number | undefined },
): Promise<TickRead> {
  const { stage, tally } = play;
  const arrivals = play.arrivals.splice(0);
  const repeated = judgeRepeats(play);
  tally.addArrivals(arrivals, killed);
  const letters = await Promise.all(arrivals.map(readLetter));
  const known = await ledgerMails(
    stage.store,
    letters.map(({ id }) => id),
  );
  const mails = new Map(known.map((mail) => [mail.id, mail]));
  for (const { id, person } of known) tally.arrived.set(id, humanOf(play, person));
  const listed = await listedSince(stage.store, since);
  const told = [
    ...letters.flatMap((letter) => toldOf(play, letter, mails)),
    ...listed.map(({ person, keys }) => ({ human: humanOf(play, person), keys, to: undefined })),
  ];
  const unmarked = known
    .filter(({ id, state }) => state === 'sending' && tally.risked.has(id))
    .map(({ person }) => humanOf(play, person));
  return { told, repeated, unmarked: new Set(unmarked) };
}

/** The ledger says of every mail what the mail server says of it. */
export async function compareAtEnd(play: Play): Promise<void> {
  const { stage, tally, oracle, complain, director } = play;
  judgeRepeats(play);
  for (const key of oracle.missing()) complain('missing', key);
  for (const { id, state } of await allMails(stage.store)) {
    const hasArrived = tally.arrived.has(id);
    if (state === 'sent' && !hasArrived) complain('ledger', `mail ${id} is called sent and never arrived`);
    if (hasArrived && state !== 'sent' && !tally.risked.has(id))
      complain('ledger', `mail ${id} arrived, nobody was killed, and it is called ${state}`);
  }
  const { figures } = oracle;
  tally.due = figures.due.size;
  tally.delivered = figures.delivered;
  tally.listed = figures.listed;
  tally.killsLeft = director.waiting();
}
