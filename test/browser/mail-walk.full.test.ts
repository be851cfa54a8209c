import { walkFromMail } from './support/mail-walks.ts';

walkFromMail(
  [
    'signed out, four clicks lead from the mail to connected and what can be read',
    'after it the next app that waits is one click and one consent away',
    'signed in, three clicks lead from the mail to connected',
    'signed in with another account, one click switches and four in all connect',
    'with another account on the account page nothing is connected, and one click leads on',
    'a sign-out says what stays, the next sign-in asks for no consent, and the next morning for nothing',
    'without script the mail leads to connected too',
  ],
  { looks: true },
);
