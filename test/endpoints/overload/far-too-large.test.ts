import { connect } from 'node:net';
import { once } from 'node:events';
import { until } from '../../support/servers/held-answer.ts';
import { type Door, openDoor } from '../support/door.ts';

/** Bodies that are far too large are read slowly, so that they leave time to others. */

const MEGABYTE = Buffer.alloc(1 << 20, 'x');
const SENT = 40;
/** 16 MB a second, of what the kernel does not hold. A busy machine takes longer. */
const AT_LEAST = 1000;

let door: Door;

beforeAll(async () => {
  door = await openDoor();
});

afterAll(() => door.stop());

test.each(['/1/profiles.json', '/1/oauth2/token.json', '/apps', '/nothing'])(
  'a body of 40 MB to %s is answered, and its rest does not come as fast as it can',
  async (path) => {
    const { hostname, port } = new URL(door.bridgeUrl);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    await once(socket, 'connect');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    const begun = performance.now();
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${SENT * MEGABYTE.length}\r\n\r\n`,
    );
    for (let n = 0; n < SENT; n += 1) await new Promise((resolve) => socket.write(MEGABYTE, resolve));
    const took = performance.now() - begun;
    await until(async () => /^HTTP\/1.1 4\d\d /.test(answer));
    socket.destroy();
    expect(took).toBeGreaterThan(AT_LEAST);
  },
);
