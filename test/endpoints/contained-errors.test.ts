import { once } from 'node:events';
import { createServer } from 'node:http';
import { containErrors } from '../../src/shared/contain-errors.ts';
import { portOf } from '../support/free-port.ts';
import { sendRaw } from '../support/raw-request.ts';

test('a write to an answer that has ended harms nobody', async () => {
  const written: Array<Error | null | undefined> = [];
  const server = createServer((req, res) =>
    containErrors(req, res, () => {
      res.end('whole');
      res.write('late', (error) => written.push(error));
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${portOf(server)}`;
  for (let n = 0; n < 2; n++) expect(await sendRaw(origin, { path: '/' })).toMatchObject({ text: 'whole' });
  expect(written).toMatchObject([
    { code: 'ERR_STREAM_WRITE_AFTER_END' },
    { code: 'ERR_STREAM_WRITE_AFTER_END' },
  ]);
  server.close();
});
