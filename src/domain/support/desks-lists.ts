import {
  extensionDeskRows,
  grantDeskRows,
  handoverDeskRows,
  mailDeskRows,
  tokenDeskRows,
  unprovenDeskRows,
  waitingDeskRows,
} from '../../store/support/desks-rows.ts';
import { namesThatWait } from '../../store/support/desks-without-account.ts';
import type { SupportDeps } from './deps.ts';
import { changesCalls } from '../lifecycle/lifecycle.ts';
import { type DeskQuery, pageOf } from './desks-pages.ts';

/** The lists of the desks, page by page. */

type RowOf<List extends (context: SupportDeps, query: DeskQuery) => Promise<{ rows: unknown[] }>> = Awaited<
  ReturnType<List>
>['rows'][number];

/** Grants in doubt, each with the moment before which the bridge sends nothing for the grant. */
export async function doubtful(context: SupportDeps, query: DeskQuery) {
  const { store, settings } = context;
  return pageOf(context, { desk: 'in-doubt', query }, async (ids) =>
    (await grantDeskRows(store.durable, ids)).map((row) => ({
      ...row,
      quietUntil: (row.presented_at ?? 0) + settings.inDoubtQuiet,
    })),
  );
}

/** Undeliverable mails. */
export function undeliverable(context: SupportDeps, query: DeskQuery) {
  return pageOf(context, { desk: 'undeliverable', query }, (ids) => mailDeskRows(context.store.durable, ids));
}

/** People without a known account, by address or old user id, each person with one token. */
export function nobodysTokens(context: SupportDeps, query: DeskQuery) {
  const { durable } = context.store;
  return pageOf(context, { desk: 'no-account', query }, async (ids) => {
    const names = await namesThatWait(durable, ids);
    const wanted = names.flatMap(({ tokenId }) => tokenId ?? []);
    const tokens = new Map((await tokenDeskRows(durable, wanted)).map((row) => [row.id, row]));
    return names.flatMap(({ tokenId, tokens: count, ...name }) => {
      const token = tokens.get(tokenId ?? '');
      return token ? [{ ...token, ...name, mapping_id: token.id, count }] : [];
    });
  });
}

/** Hand-overs without the confirmation of their app. */
export function unconfirmed(context: SupportDeps, query: DeskQuery) {
  return pageOf(context, { desk: 'hand-overs', query }, (ids) =>
    handoverDeskRows(context.store.durable, ids),
  );
}

/** Apps for which people wait. */
export function waitingApps(context: SupportDeps, query: DeskQuery) {
  return pageOf(context, { desk: 'waiting', query }, (ids) => waitingDeskRows(context.store.durable, ids));
}

/** Extensions that end soon or are over, each with the date of all apps that the extension puts off. */
export function endingExtensions(context: SupportDeps, query: DeskQuery) {
  const { dates } = context.lifecycle.current();
  const hasOldApi = context.oldBackend !== undefined;
  return pageOf(context, { desk: 'extensions', query }, async (ids) =>
    (await extensionDeskRows(context.store.durable, ids)).map((row) => ({
      ...row,
      ofAll: dates[row.milestone],
      changesCalls: changesCalls(row.milestone, hasOldApi),
    })),
  );
}

/** Tokens that work, and whose app no person has confirmed. */
export function unprovenTokens(context: SupportDeps, query: DeskQuery) {
  return pageOf(context, { desk: 'unproven', query }, (ids) => unprovenDeskRows(context.store.durable, ids));
}

export type DoubtfulGrant = RowOf<typeof doubtful>;
export type UndeliverableMail = RowOf<typeof undeliverable>;
export type OwnerlessTokens = RowOf<typeof nobodysTokens>;
export type UnconfirmedHandover = RowOf<typeof unconfirmed>;
export type WaitingApp = RowOf<typeof waitingApps>;
export type UnprovenToken = RowOf<typeof unprovenTokens>;
export type EndingExtension = RowOf<typeof endingExtensions>;
