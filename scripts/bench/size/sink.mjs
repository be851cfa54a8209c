// A mail server that takes every mail and keeps none.
import { SMTPServer } from 'smtp-server';

export async function startSink() {
  let mails = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.resume();
      stream.once('end', () => {
        mails += 1;
        done();
      });
    },
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    await new Promise((resolve) => server.close(resolve));
    return mails;
  };
  return { url: `smtp://127.0.0.1:${server.server.address().port}?requireTLS=false`, stop };
}
