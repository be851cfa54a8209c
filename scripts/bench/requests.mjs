// The requests of a benchmark, byte for byte, each made of one line of a file.
import { CALLBACK, channelIdOf, indexOf, organizationIdOf } from './rows.mjs';

const HEAD = 'Host: bridge.example\r\nX-Forwarded-Proto: https\r\n';
const FORM = 'application/x-www-form-urlencoded';

const get = (path, headers = '') => `GET ${path} HTTP/1.1\r\n${HEAD}${headers}\r\n`;

const post = (path, type, body) =>
  `POST ${path} HTTP/1.1\r\n${HEAD}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const bearer = (token) => `Authorization: Bearer ${token}\r\n`;

const PROFILES = '/1/profiles.json';

const listOf = (list) => (token) =>
  get(`/1/profiles/${channelIdOf(indexOf(token), 0)}/updates/${list}.json`, bearer(token));

/** The exchange of a code by the credentials of its app. */
const exchangeAt = (path) => (line) => {
  const [clientId, secret, code] = line.split(' ');
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: secret,
    redirect_uri: CALLBACK,
    code,
  };
  return post(path, FORM, new URLSearchParams(fields).toString());
};

const CHANNEL =
  'id organizationId name displayName descriptor service serviceId type avatar timezone isDisconnected isLocked isQueuePaused createdAt postingSchedule { day times paused }';

/** The same question that the bridge asks the new API. */
export function graphqlOf(index) {
  const account =
    'account { id email name timezone createdAt preferences { timeFormat startOfWeek } organizations { id } }';
  const query = `query Read($o0: ChannelsInput!) { ${account} o0: channels(input: $o0) { ${CHANNEL} } }`;
  return JSON.stringify({ query, variables: { o0: { organizationId: organizationIdOf(index) } } });
}

/** By name: the request of a line, which is a token or the credentials with a code. */
export const requests = {
  header: (token) => get(PROFILES, bearer(token)),
  query: (token) => get(`${PROFILES}?access_token=${encodeURIComponent(token)}`),
  body: (token) => post(PROFILES, FORM, `access_token=${encodeURIComponent(token)}`),
  user: (token) => get('/1/user.json', bearer(token)),
  pending: listOf('pending'),
  sent: listOf('sent'),
  exchange: exchangeAt('/1/oauth2/token.json'),
  oidc: exchangeAt('/token'),
  graphql: (token) => post('/', 'application/json', graphqlOf(indexOf(token))),
};
