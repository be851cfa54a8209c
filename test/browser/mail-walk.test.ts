import { walkFromMail } from './support/mail-walks.ts';

walkFromMail(['signed out, four clicks lead from the mail to connected and what can be read']);
