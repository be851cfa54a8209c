/** Tells the program that started this peer where it listens. */
export function tellPort(server) {
  process.stdout.write(`${server.address().port}\n`);
}
