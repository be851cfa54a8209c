import { Writable } from 'node:stream';

/** A stream to log into, and the lines that came. */
export function logLines(): { stream: Writable; lines: () => string[] } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, lines: () => text.split('\n').filter((line) => line !== '') };
}
