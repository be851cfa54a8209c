/**
 * The notices at the top of a page after an action (`?done=…`). The address names one of these notices, so that nobody
 * can put words of their own there. flash-notice.ts ensures that a mere link shows no notice either.
 */
const NOTICES: Readonly<Record<string, string>> = {
  'nothing-waits': 'No token of this app waits to be connected. There is nothing to do.',
  'nothing-waits-any-more':
    'Nothing was connected: while you confirmed it, what waited was revoked or has moved. Below is how it is now.',
  'of-another-app':
    'The token is yours now. While you confirmed it, it was found out to belong to this app. Connect it once more here.',
  'old-api-ended': 'Nothing was connected: the old API has ended for this app. See the dates below.',
  'rehearsal-stopped': 'Stopped. Calls of this app are answered as before.',
  revoked: 'Revoked. The app cannot use your account any more.',
  'revoked-not-moved':
    'Revoked. What the app took over to the new API is not ended by this: end it in your account settings.',
  'nothing-revoked':
    'Nothing was revoked: no token of this app works for you any more. Below is how it is now.',
  'mail-sent': 'A mail with a link is on its way to you. Open the link within 24 hours.',
  proven: 'Thank you. What waited under your e-mail address is yours now.',
  'secret-retired': 'Retired. The secret is refused from now on.',
  'client-entered': 'Tested and in use. People who connect the app from now on are asked by this client.',
  'client-in-use': 'Tested and in use.',
  'client-removed': 'The client is not used for new connections any more.',
  'client-in-doubt':
    'Nothing was changed: of posts that were sent by this client it is not known yet whether they are there. Try again in ten minutes; after a day it works in any case. Its secret can be retired at once.',
  'client-secret-retired': 'Retired. The exchange refuses this secret from now on.',
  'handovers-kept': 'Hand-overs with this client go on.',
  'handovers-ended': 'Ended. No more connection goes to this client.',
  'contact-added':
    'Added. Mails about this app that cannot be delivered to its owner can go there from now on.',
  'contact-removed': 'Removed. No more mails about this app go there.',
  'access-given':
    'Changed. Once they have shown that the address is theirs, the app stands on their page “Your apps”.',
  'access-taken':
    'Taken away. They see this app no more, from now on. Mails that cannot be delivered to you can still go there.',
  'app-left':
    'You left the app. It is not on your pages any more, and its owner cannot share it with you again.',
  'apps-left':
    'You left these apps. They are not on your pages any more, and their owner cannot share them with you again.',
  'app-allowed': 'Its owner can share the app with you again. Tell them.',
  'webhook-test': 'A test leaves within seconds. Load this page again to see what became of it.',
  'webhook-test-waits': 'A test is on its way already. Below you see what becomes of it.',
  'webhook-again': 'The message leaves within seconds. Load this page again to see what became of it.',
  'webhook-not-again': 'Nothing was sent: the message is not given up any more. Below is how it is now.',
  'webhook-removed': 'Removed. No more messages go there.',
  'token-revoked': 'Revoked. Calls with this token are refused from now on.',
  'token-revoked-last':
    'Revoked. It was the last token of this app and account, so the connection behind it has ended too.',
  'token-ended': 'Nothing was changed: this token had ended before. Below is how it is now.',
  'too-late':
    'Nothing was changed: it is not as it was when you opened the form, or this was done already. Below is how it is now.',
  'reminder-asked':
    'The reminder leaves within a minute, if something still waits by then. Below you see what becomes of it.',
  'probe-works': 'Tested: the new API answers for this connection. It works.',
  'probe-not-covered':
    'Tested: the connection lives, but its consent does not cover what the old calls read. The holder has to connect once more.',
  'probe-died': 'Tested: the connection has just ended. The holder has to connect once more.',
  'probe-no-answer':
    'Tested: the new API gave no answer, so nothing is known. Try again in some minutes; what was answered last is served meanwhile.',
  'probe-unknown-client':
    'Nothing was asked: the connection was made with another client of the new API than this bridge has now. Tell the operator.',
  'probe-doubt-served':
    'Tested: it is not known whether the last refresh arrived, but the access token still works, and calls are answered.',
  'probe-doubt-refused':
    'Tested: it is not known whether the last refresh arrived, and the access token is refused already. Nothing was forced.',
  'probe-doubt-live':
    'Tested: the sign-in service says that the connection lives. The bridge looks into it by itself within minutes.',
  'probe-doubt-spent':
    'Tested: the sign-in service says that the connection is spent. The bridge ends it within minutes, and the holder has to connect once more.',
  'probe-doubt-unsure':
    'Nothing could be asked: it is not known whether the last refresh arrived, and it is too early to look. The bridge looks by itself.',
  'token-assigned': 'Assigned. The token belongs to the app below from now on.',
  'token-assigned-last':
    'Assigned. The token belongs to the app below from now on. It was the last token of its earlier connection, so that connection has ended too.',
  'token-assigned-moved':
    'Assigned. The app below has taken over the connection of the account, so the token has ended as moved: its calls are refused from now on.',
  'account-pinned': 'Done. What waited under the address belongs to the account from now on.',
  'account-pinned-moved':
    'Done. What waited under the address belongs to the account from now on. Where the app of a token has taken over the connection of the account, the token has ended as moved, and its calls are refused.',
  'app-given': 'Done. The app belongs to the account that you named.',
  'taken-back': 'Taken back. It is as it was before, and the history says so.',
  extended: 'The app has more time from now on.',
  'extended-not-in-full':
    'The app has more time from now on, but less than was entered: the sunset comes first. Look at the dates below.',
  'extension-shortened': 'Changed. The app has less extra time than before. Look at the dates below.',
  'extension-ended': 'Ended. The date of all applies to the app again.',
  'api-key-ended': 'Ended. The next request of the key is refused.',
  'mail-settled': 'Marked as dealt with. The mail is off the list.',
};

/** Notices of outcomes that the person did not want. */
const WARNINGS = new Set([
  'token-assigned-moved',
  'account-pinned-moved',
  'nothing-waits-any-more',
  'client-in-doubt',
  'of-another-app',
  'old-api-ended',
  'revoked-not-moved',
  'nothing-revoked',
  'token-ended',
  'too-late',
  'probe-not-covered',
  'probe-died',
  'probe-no-answer',
  'probe-unknown-client',
  'probe-doubt-refused',
  'probe-doubt-spent',
  'extended-not-in-full',
  'extension-shortened',
]);

/** The action changed no data, and no error occurred. */
const NEUTRAL = new Set([
  'nothing-waits',
  'webhook-test-waits',
  'webhook-not-again',
  'probe-doubt-served',
  'probe-doubt-live',
  'probe-doubt-unsure',
]);

/** A notice on a page. */
export interface PageNotice {
  text: string;
  /** The class of the notice. Only a completed action is green. */
  kind: 'ok' | 'warning' | '';
}

function kindOf(done: string): PageNotice['kind'] {
  if (WARNINGS.has(done)) return 'warning';
  return NEUTRAL.has(done) ? '' : 'ok';
}

/** The notice of a name; undefined for an unknown name. */
export function pageNoticeOf(done: string): PageNotice | undefined {
  const text = Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
  return text === undefined ? undefined : { text, kind: kindOf(done) };
}
