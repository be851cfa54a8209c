// What a machine can be made to do wrong, so that the checker is seen to find it. Each goes wrong once only.
import { randomBytes } from 'node:crypto';

/** Of the mails that a machine sends, the one with which something goes wrong. */
const VICTIM = 5;

const sendings = {
  /** Handed over, and then taken for one that was put off. */
  async 'skipped-mark'(send, mail) {
    await send(mail);
    throw Object.assign(new Error('a mark is skipped'), {
      name: 'MailError',
      isRefused: false,
      isAboutMail: false,
    });
  },
  async 'second-id'(send, mail) {
    await send(mail);
    await send({ ...mail, messageId: randomBytes(16).toString('hex') });
  },
  async 'dropped-reminder'() {},
};

/** How a machine hands one mail over, by its sabotage. */
function wrongly(sabotage) {
  const wrong = sendings[sabotage];
  let sent = 0;
  if (sabotage === 'lost-refusal')
    return (send, mail) =>
      send(mail).catch((error) => {
        if (!error.isRefused) throw error;
      });
  return wrong && ((send, mail) => ((sent += 1) === VICTIM ? wrong(send, mail) : send(mail)));
}

/** @returns a context whose machine goes wrong as it is told; 'none' leaves it as it is */
export function sabotaged(context, sabotage) {
  const handOver = wrongly(sabotage);
  if (!handOver) return context;
  const { mailer } = context;
  const openRun = () => {
    const run = mailer.openRun();
    return { ...run, send: (mail) => handOver((each) => run.send(each), mail) };
  };
  return { ...context, mailer: { ...mailer, openRun } };
}
