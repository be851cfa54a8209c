/** Whether a host name or address never leaves the machine (RFC 8252 §7.3 and 8.3). */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = (host ?? '').replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}
