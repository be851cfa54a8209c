/** Error codes for a host that is no address of this machine. */
const NOT_OURS = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'];

/**
 * Why a server could not start to listen, in plain words for the most common reasons. `setting` is the setting that
 * chose the port.
 */
export function listenFailure(error: unknown, setting: string, at: { host: string; port: number }): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new Error(`${setting}: port ${at.port} on ${at.host} is taken by another program`);
  if (code === 'EACCES') return new Error(`${setting}: port ${at.port} may not be used by this account`);
  // The embedded servers listen on loopback only, so only HOST can be wrong.
  if (NOT_OURS.includes(code ?? ''))
    return new Error(`HOST: ${at.host} is no address of this machine (${code})`);
  return new Error(`${setting}: ${message}`);
}
