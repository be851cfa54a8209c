import { createTransport } from 'nodemailer';
import { MailError } from './mail-error.ts';
import { TIMEOUTS } from './mailer.ts';
import { readSmtpUrl } from './smtp-url.ts';

/**
 * Connects to the mail server like a mail does before it names its sender: connection, TLS, login. Without `forceAuth`
 * a server that offers no login would pass as a server that accepted the login.
 * @throws {MailError} when one of these steps is refused
 */
export async function verifySmtp(smtpUrl: string): Promise<{ hasLogin: boolean }> {
  const server = readSmtpUrl(smtpUrl);
  if (!server) throw new Error('SMTP_URL is not usable');
  const hasLogin = server.auth !== undefined;
  const transport = createTransport({ ...server, ...TIMEOUTS, forceAuth: hasLogin });
  try {
    await transport.verify();
    return { hasLogin };
  } catch (error) {
    throw new MailError(error as Error, { auth: server.auth });
  } finally {
    transport.close();
  }
}
