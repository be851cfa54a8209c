import { createTransport } from 'nodemailer';
import { MailError } from './mail-error.ts';
import { TIMEOUTS } from './mailer.ts';
import { readSmtpUrl } from './smtp-url.ts';

/**
 * Goes to the mail server as far as a mail would before it names its sender: connection, TLS, login. Without `forceAuth`
 * a server that offers no login would count as one that took it.
 * @throws {MailError} where any of these is refused
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
