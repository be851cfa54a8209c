/** Why a server could not start to listen, in plain words for the commonest reason; `setting` is what chose the port. */
export function listenFailure(error: unknown, setting: string, at: { host: string; port: number }): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new Error(`${setting}: port ${at.port} on ${at.host} is taken by another program`);
  if (code === 'EACCES') return new Error(`${setting}: port ${at.port} may not be used by this account`);
  return new Error(`${setting}: ${message}`);
}
