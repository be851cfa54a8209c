import { newIdField } from '../../../src/http/site/new-id.ts';
import type { System } from '../../support/bridge/system.ts';
import { accountOf, emailOf, type Visitor } from './people.ts';
import { clientInUseOf, CONTACT, formerClientOf, OWN_CLIENT, type Scene, UNPROVEN } from './scene.ts';
import { WEBHOOK_URL } from './webhook-scene.ts';

interface Sending {
  system: System;
  scene: Scene;
  visitor: Visitor;
}

type FormFields = (sending: Sending) => Record<string, string>;

const newId: FormFields = ({ system, visitor }) => ({
  new_id: newIdField(system.bridge.context, visitor.accountId),
});

const formerClient: FormFields = ({ scene }) => ({
  modern_client_id: formerClientOf(scene.ids['apps/modern-client/remove'] ?? ''),
});

const because = () => ({ reason: 'the holder asked for it' });

/** The extra time of the app, as the page of the form shows it. */
const seenTime: FormFields = ({ system, scene }) => {
  const extensions = system.bridge.context.lifecycle.current().extensions.get(scene.clientId);
  return { seen_retirement: String(extensions?.retirement ?? '') };
};

/** What a form holds that would do something, beside its proof; a form that is not here has nothing else. */
export const FORMS: Readonly<Record<string, FormFields>> = {
  'POST /apps/register': (sending) => ({
    ...newId(sending),
    name: 'New app',
    callbacks: 'https://new.example/cb',
    contacts: '',
  }),
  'POST /apps/paste-token': ({ scene }) => ({ token: scene.token }),
  'POST /apps/:clientId/secrets': newId,
  'POST /apps/:clientId/modern-client': () => ({
    modern_client_id: OWN_CLIENT.clientId,
    client_secret: OWN_CLIENT.clientSecret,
  }),
  'POST /apps/:clientId/modern-client/remove': ({ scene }) => ({
    modern_client_id: clientInUseOf(scene.ids['apps/modern-client/remove'] ?? ''),
  }),
  'POST /apps/:clientId/modern-client/handovers': (sending) => ({
    ...formerClient(sending),
    keep_handovers: 'on',
  }),
  'POST /apps/:clientId/modern-client/retire-secret': formerClient,
  'POST /apps/:clientId/contacts': () => ({ address: 'two@team.example' }),
  'POST /apps/:clientId/contacts/remove': () => ({ address: CONTACT }),
  'POST /apps/:clientId/contacts/access': () => ({ address: CONTACT, access: 'read' }),
  'POST /apps/:clientId/webhooks': (sending) => ({
    ...newId(sending),
    url: WEBHOOK_URL,
    'token.stopped': 'on',
  }),
  'POST /apps/:clientId/webhooks/:webhookId/again': ({ scene }) => ({ message: scene.messages.app }),
  'POST /apps/:clientId/webhooks/:webhookId/secret': newId,
  'POST /support/webhooks': (sending) => ({ ...newId(sending), url: WEBHOOK_URL, 'queues.daily': 'on' }),
  'POST /support/webhooks/:webhookId/again': ({ scene }) => ({ message: scene.messages.support }),
  'POST /support/webhooks/:webhookId/secret': newId,
  'POST /support/search': ({ scene }) => ({ q: scene.token }),
  'POST /apps/:clientId/rehearse': () => ({ rehearses: 'retirement' }),
  'POST /support/mappings/:id/revoke': because,
  'POST /support/mappings/:id/remind': () => ({ ...because(), to: 'holder', seen_holder: emailOf('holder') }),
  'POST /support/mappings/:id/link': because,
  'POST /support/mappings/:id/probe': because,
  'POST /support/mappings/:id/assign': ({ scene }) => ({
    ...because(),
    seen_app: scene.observedClientId,
    client_id: scene.clientId,
  }),
  'POST /support/mappings/:id/pin': () => ({
    ...because(),
    account_id: accountOf('stranger'),
    seen_email: UNPROVEN,
  }),
  'POST /support/apps/:clientId/give': () => ({
    ...because(),
    account_id: accountOf('stranger'),
    seen_owner: accountOf('owner'),
  }),
  'POST /support/apps/:clientId/extend': (sending) => ({
    ...because(),
    ...seenTime(sending),
    date: 'retirement',
    until: '2099-01-01',
  }),
  'POST /support/apps/:clientId/unextend': (sending) => ({
    ...because(),
    ...seenTime(sending),
    date: 'retirement',
  }),
  'POST /support/api-keys': (sending) => ({
    ...newId(sending),
    name: 'A program',
    role: 'agent',
    days: '30',
  }),
  'POST /support/api-keys/:id/end': because,
  'POST /support/history/:entryId/take-back': because,
  'POST /support/mails/:id/settle': because,
};
