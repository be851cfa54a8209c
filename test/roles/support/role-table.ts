import { ROLES, type Role } from './people.ts';

/**
 * Who may open and send what. Each line is an address and what each role meets there, with a real form of the own
 * session: a status; `sign-in`; `led` (on within the site, nothing was changed), `done` (led on, and something was);
 * `made` (a page, and something was changed); `leaves` (led to the modern side).
 */
const TABLE = `
#                                                     nobody   stranger holder  owner    other   reader   agent    lead     sees     manages
GET  /                                                200      200      200     200      200     200      200      200 200      200
GET  /lifecycle                                       200      200      200     200      200     200      200      200 200      200
GET  /lifecycle.json                                  200      200      200     200      200     200      200      200 200      200
GET  /migrate/calls                                   200      200      200     200      200     200      200      200 200      200
GET  /assets/style.css                                200      200      200     200      200     200      200      200 200      200
GET  /assets/icon.svg                                 200      200      200     200      200     200      200      200 200      200
GET  /favicon.ico                                     200      200      200     200      200     200      200      200 200      200
GET  /assets/local-times.js                           200      200      200     200      200     200      200      200 200      200
GET  /assets/page-aids.js                             200      200      200     200      200     200      200      200 200      200
GET  /assets/live.js                                  200      200      200     200      200     200      200      200 200      200
GET  /assets/htmx.js                                  200      200      200     200      200     200      200      200 200      200
GET  /assets/htmx-sse.js                              200      200      200     200      200     200      200      200 200      200
GET  /sign-in                                         leaves   leaves   leaves  leaves   leaves  leaves   leaves   leaves leaves   leaves
GET  /sign-out                                        200      led      led     led      led     led      led      led led      led
POST /sign-out                                        403      done     done    done     done    done     done     done done     done

GET  /apps                                            sign-in  200      200     200      200     200      200      200 200      200
POST /apps                                            403      led      led     led      led     led      led      led led      led
GET  /apps/account                                    sign-in  200      200     200      200     200      200      200 200      200
POST /apps/account/sign-out-everywhere                403      done     done    done     done    done     done     done done     done
POST /apps/account/switch                             403      led      led     led      led     led      led      led led      led
GET  /apps/account/signed-out                         200      led      led     led      led     led      led      led led      led
GET  /apps/register                                   sign-in  200      200     200      200     200      200      200 200      200
POST /apps/register                                   403      made     made    made     made    made     made     made made     made
GET  /apps/paste-token                                sign-in  200      200     200      200     200      200      200 200      200
POST /apps/paste-token                                403      422      led     422      422     422      422      422 422      422
POST /apps/prove-email                                403      done     done    done     done    done     done     done done     done
GET  /apps/prove-email/:value                         200      404      404     404      404     404      404      404 404      404
POST /apps/prove-email/:value                         403      404      404     404      404     404      404      404 404      404
GET  /apps/connect/:id                                200      200      200     200      200     200      200      200 200      200
POST /apps/connect/:id                                403      led      leaves  led      led     led      led      led led      led
POST /apps/connect/:id/switch                         403      leaves   led     leaves   leaves  leaves   leaves   leaves leaves   leaves

GET  /apps/:clientId                                  200      200      200     200      200     200      200      200 200      200
GET  /apps/:clientId/connect                          sign-in  led      led     led      led     led      led      led led      led
POST /apps/:clientId/connect                          403      led      leaves  leaves   led     led      led      led led      led
GET  /apps/:clientId/connected                        sign-in  led      led     led      led     led      led      led led      led
GET  /apps/:clientId/revoke                           sign-in  led      200     200      led     led      led      led led      led
POST /apps/:clientId/revoke                           403      led      done    done     led     led      led      led led      led
GET  /apps/:clientId/secrets                          sign-in  404      404     200      404     404      404      404 403      403
POST /apps/:clientId/secrets                          403      404      404     made     404     404      404      404 403      403
GET  /apps/:clientId/secrets/:secretId/retire         sign-in  404      404     200      404     404      404      404 403      403
POST /apps/:clientId/secrets/:secretId/retire         403      404      404     done     404     404      404      404 403      403
GET  /apps/:clientId/modern-client                    sign-in  404      404     200      404     404      404      404 200      200
POST /apps/:clientId/modern-client                    403      404      404     done     404     404      404      404 403      403
POST /apps/:clientId/modern-client/remove             403      404      404     done     404     404      404      404 403      403
POST /apps/:clientId/modern-client/handovers          403      404      404     done     404     404      404      404 403      403
POST /apps/:clientId/modern-client/retire-secret      403      404      404     done     404     404      404      404 403      403
GET  /apps/:clientId/handovers/:entryId/take-back     sign-in  404      404      200      404      404      404      404      403      403
POST /apps/:clientId/handovers/:entryId/take-back     403      404      404      done     404      404      404      404      403      403
GET  /apps/:clientId/rehearse                         sign-in  404      404     200      404     404      404      404 200      200
POST /apps/:clientId/rehearse                         403      404      404     done     404     404      404      404 403      done
POST /apps/:clientId/rehearse/stop                    403      404      404     done     404     404      404      404 403      done
GET  /apps/:clientId/tokens                           sign-in  200      200     200      200     200      200      200 200      200
POST /apps/:clientId/tokens                           403      led      led     led      led     led      led      led led      led
GET  /apps/:clientId/calls                            sign-in  200      200     200      200     200      200      200 200      200
GET  /apps/:clientId/tokens.csv                       sign-in  200      200     200      200     200      200      200      200      200
GET  /apps/:clientId/tokens.json                      sign-in  200      200     200      200     200      200      200      200      200
GET  /apps/:clientId/calls.csv                        sign-in  200      200     200      200     200      200      200      200      200
GET  /apps/:clientId/calls.json                       sign-in  200      200     200      200     200      200      200      200      200
GET  /apps/:clientId/live                             sign-in  404      200     200      404     404      404      404 200      200
GET  /apps/:clientId/live/events                      401      404      200     200      404     404      404      404 200      200
GET  /apps/:clientId/move                             sign-in  404      404     200      404     404      404      404 200      200
GET  /apps/:clientId/new-calls                        sign-in  404      404     200      404     404      404      404 200      200
GET  /apps/:clientId/contacts                         sign-in  404      404     200      404     404      404      404 200      200
POST /apps/:clientId/contacts                         403      404      404     done     404     404      404      404 403      done
POST /apps/:clientId/contacts/remove                  403      404      404     done     404     404      404      404 403      done
POST /apps/:clientId/contacts/access                  403      404      404     done     404     404      404      404     403      403
GET  /apps/:clientId/shared                           sign-in  404      404      404      404      404      404      404      200      200
POST /apps/:clientId/shared/leave                     403      404      404      404      404      404      404      404      done     done
POST /apps/:clientId/shared/allow                     403      404      404      404      404      404      404      404      led      led
GET  /apps/:clientId/webhooks                         sign-in  404      404     200      404     404      404      404 200      200
POST /apps/:clientId/webhooks                         403      404      404     made     404     404      404      404 403      403
GET  /apps/:clientId/webhooks/:webhookId              sign-in  404      404     200      404     404      404      404 200      200
POST /apps/:clientId/webhooks/:webhookId/test         403      404      404     done     404     404      404      404 403      done
POST /apps/:clientId/webhooks/:webhookId/again        403      404      404     done     404     404      404      404 403      done
POST /apps/:clientId/webhooks/:webhookId/secret       403      404      404     made     404     404      404      404 403      403
POST /apps/:clientId/webhooks/:webhookId/remove       403      404      404     done     404     404      404      404 403      done
GET  /apps/progress                                   sign-in  200      200     200      200     200      200      200 200      200

GET  /support                                         sign-in  403      403     403      403     200      200      200 403      403
GET  /support/search                                  sign-in  403      403     403      403     led      led      led 403      403
POST /support/search                                  403      403      403     403      403     done     done     done 403      403
GET  /support/mappings/:mappingId                     sign-in  403      403     403      403     200      200      200 403      403
GET  /support/desks                                   sign-in  403      403     403      403     200      200      200 403      403
GET  /support/desks/:desk                             sign-in  403      403     403      403     200      200      200 403      403
POST /support/desks/:desk                             403      403      403     403      403     led      led      led 403      403
GET  /support/numbers                                 sign-in  403      403     403      403     200      200      200 403      403
GET  /support/numbers.csv                             sign-in  403      403     403      403     200      200      200 403      403
GET  /support/numbers.json                            sign-in  403      403     403      403     200      200      200 403      403
GET  /support/webhooks                                sign-in  403      403     403      403     403      403      200 403      403
POST /support/webhooks                                403      403      403     403      403     403      403      made 403      403
GET  /support/webhooks/:webhookId                     sign-in  403      403     403      403     403      403      200 403      403
POST /support/webhooks/:webhookId/test                403      403      403     403      403     403      403      done 403      403
POST /support/webhooks/:webhookId/again               403      403      403     403      403     403      403      done 403      403
POST /support/webhooks/:webhookId/secret              403      403      403     403      403     403      403      made 403      403
POST /support/webhooks/:webhookId/remove              403      403      403     403      403     403      403      done 403      403
GET  /support/accounts                                sign-in  403      403      403      403      200      200      200      403      403
POST /support/accounts                                403      403      403      403      403      led      led      led      403      403
GET  /support/accounts/:accountId                     sign-in  403      403     403      403     200      200      200 403      403
GET  /support/requests/:requestId                     sign-in  403      403     403      403     200      200      200 403      403
GET  /support/apps/:clientId                          sign-in  403      403     403      403     200      200      200 403      403
POST /support/apps/:clientId                          403      403      403     403      403     led      led      led 403      403
GET  /support/mappings/:id/revoke                     sign-in  403      403     403      403     403      200      200 403      403
POST /support/mappings/:id/revoke                     403      403      403     403      403     403      done     done 403      403
GET  /support/mappings/:id/remind                     sign-in  403      403     403      403     403      200      200 403      403
POST /support/mappings/:id/remind                     403      403      403     403      403     403      done     done 403      403
GET  /support/mappings/:id/link                       sign-in  403      403     403      403     403      200      200 403      403
POST /support/mappings/:id/link                       403      403      403     403      403     403      made     made 403      403
GET  /support/mappings/:id/probe                      sign-in  403      403     403      403     403      200      200 403      403
POST /support/mappings/:id/probe                      403      403      403     403      403     403      done     done 403      403
GET  /support/mappings/:id/assign                     sign-in  403      403     403      403     403      200      200 403      403
POST /support/mappings/:id/assign                     403      403      403     403      403     403      done     done 403      403
GET  /support/mappings/:id/pin                        sign-in  403      403     403      403     403      403      200 403      403
POST /support/mappings/:id/pin                        403      403      403     403      403     403      403      done 403      403
GET  /support/apps/:clientId/extend                   sign-in  403      403     403      403     403      403      200 403      403
POST /support/apps/:clientId/extend                   403      403      403     403      403     403      403      done 403      403
GET  /support/apps/:clientId/give                     sign-in  403      403     403      403     403      403      200 403      403
POST /support/apps/:clientId/give                     403      403      403     403      403     403      403      done 403      403
GET  /support/apps/:clientId/unextend                 sign-in  403      403     403      403     403      403      200 403      403
POST /support/apps/:clientId/unextend                 403      403      403     403      403     403      403      done 403      403
GET  /support/api-keys                                sign-in  403      403     403      403     403      403      200 403      403
POST /support/api-keys                                403      403      403     403      403     403      403      made 403      403
GET  /support/api-keys/:id/end                        sign-in  403      403     403      403     403      403      200 403      403
POST /support/api-keys/:id/end                        403      403      403     403      403     403      403      done 403      403
GET  /support/history/:entryId/take-back              sign-in  403      403      403      403      403      200      200      403      403
POST /support/history/:entryId/take-back              403      403      403      403      403      403      done     done     403      403
GET  /support/mails/:id/settle                        sign-in  403      403     403      403     403      200      200 403      403
POST /support/mails/:id/settle                        403      403      403     403      403     403      done     done 403      403
`;

/** Served beside the pages, for programs, or bound to one browser or mail and to no role; their own tests are theirs. */
export const WITHOUT_ROLE =
  /^\w+ \/(1\/|oauth2\/|user\/deauthorize|health$|ready$|metrics$|api\/|approve\/|connect\/|callback|mails\/)|^ALL \/(\^|lifecycle|migrate)/;

interface Row {
  route: string;
  cells: string[];
}

/** The lines, each with the cells that it has. */
export const ROWS: Row[] = TABLE.split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => line.trim().split(/\s+/))
  .map(([method, path, ...cells]) => ({ route: `${method} ${path}`, cells }));

/** What a role meets by the table. */
export const cellOf = ({ cells }: Row, role: Role): string | undefined => cells[ROLES.indexOf(role)];
