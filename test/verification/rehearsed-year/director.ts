import type { MailPoint } from '../shared/mail-server.ts';
import type { Kill } from './world/schedule.ts';
import type { Stage } from './stage.ts';

/** Kills a machine where the schedule says: after some milliseconds of its work, or when a mail of its has come so far. */
export interface Director {
  /** A kill that has not struck waits on; one more takes its turn after it. */
  expect(kill: Kill | undefined): void;
  begin(work: 'plan' | 'deliver'): void;
  end(): void;
  /** The machine that was killed since the last question. */
  takeKilled(): number | undefined;
  waiting(): number;
}

const MOMENT: Record<'planning' | 'delivering', 'plan' | 'deliver'> = {
  planning: 'plan',
  delivering: 'deliver',
};

/** One for the machines and the mail server of a stage. */
export function createDirector({ machines, mail }: Pick<Stage, 'machines' | 'mail'>): Director {
  const kills: Kill[] = [];
  let killed: number | undefined;
  let seen = 0;
  let timer: NodeJS.Timeout | undefined;
  const strike = (kill: Kill) => {
    if (killed !== undefined || kills[0] !== kill) return;
    kills.shift();
    killed = kill.machine;
    machines[kill.machine]?.kill();
  };
  mail.onPoint = (point: MailPoint, machine) => {
    const [kill] = kills;
    if (kill?.machine !== machine || kill.point.when !== point) return;
    seen += 1;
    if (seen >= kill.point.mails) strike(kill);
  };
  return {
    expect(kill) {
      if (kill) kills.push(kill);
    },
    begin(work) {
      const [kill] = kills;
      seen = 0;
      if (kill && 'after' in kill.point && MOMENT[kill.point.when] === work)
        timer = setTimeout(() => strike(kill), kill.point.after);
    },
    end: () => clearTimeout(timer),
    takeKilled() {
      const taken = killed;
      killed = undefined;
      return taken;
    },
    waiting: () => kills.length,
  };
}
