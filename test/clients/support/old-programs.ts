import { DAY } from '../../../src/shared/lifetimes.ts';
import { json, multipart, type RawRequest, rawForm } from '../../support/callers/raw-request.ts';

/** Posts as the old programs in PHP, Python, Ruby, Go and TypeScript write them: every byte as their code puts it there. */

/** What a program was told to send. */
export interface Wanted {
  token: string;
  profile: string;
  text: string;
}

/** A week from now at ten in UTC, which some programs write in the zone of Berlin in winter. */
export const DAY_OF_DUE = new Date(Date.now() + 7 * DAY).toISOString().slice(0, 10);
export const DUE = Date.parse(`${DAY_OF_DUE}T10:00:00Z`) / 1000;

export interface OldProgram {
  create(wanted: Wanted): RawRequest;
  list(wanted: Wanted): RawRequest;
  change(wanted: Wanted, id: string): RawRequest;
  destroy(wanted: Wanted, id: string): RawRequest;
}

export const CREATE = '/1/updates/create.json';
const changePath = (id: string) => `/1/updates/${id}/update.json`;
const destroyPath = (id: string) => `/1/updates/${id}/destroy.json`;
const listPath = (id: string) => `/1/profiles/${id}/updates/pending.json`;

const slashEncoded = (token: string) => token.replace('/', '%2F');
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const post = (path: string, rest: Partial<RawRequest>): RawRequest => ({
  method: 'POST',
  path,
  ...rest,
});
const encoded = encodeURIComponent;

/** A PHP array as cURL sends it: parts of a form, the token among them, after asking whether the body is wanted. */
const parts = (fields: Record<string, string>): Partial<RawRequest> => {
  const { headers, body } = multipart(fields);
  return { headers: { ...headers, expect: '100-continue' }, ...(body !== undefined && { body }) };
};

const bufferappPhp: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, parts({ text, 'profile_ids[]': profile, shorten: '', access_token: token })),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?count=100&access_token=${slashEncoded(token)}`,
  }),
  change: ({ token, text }, id) => post(changePath(id), parts({ text, utc: '1', access_token: token })),
  destroy: ({ token }, id) => post(destroyPath(id), parts({ access_token: token })),
};

/** Its GET has a form with nothing in it, and some of its paths begin with one slash too many. */
const wordPressPlugin: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${token}`,
      rawForm(`profile_ids%5B0%5D=${profile}&text=${encoded(text)}&shorten=1&now=0&top=0&media%5Blink%5D=`),
    ),
  list: ({ token, profile }) => ({
    path: `/1//profiles/${profile}/updates/pending.json?access_token=${token}`,
  }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${token}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${token}`, rawForm('')),
};

/** Nothing in its forms is encoded, and each ends with an ampersand; yes and no are Python's. */
const buffpy: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, rawForm(`text=${text}&profile_ids[]=${profile}&shorten=True&top=True&`, bearer(token))),
  list: ({ token, profile }) => ({ path: listPath(profile), headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${text}&utc=True&`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), rawForm('', bearer(token))),
};

/** The form once more in the address, under the name `body`. */
const rubyGem: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${slashEncoded(token)}&body[text]=${encoded(text)}&body[profile_ids][]=${profile}`,
      rawForm(`text=${encoded(text)}&profile_ids[]=${profile}`),
    ),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?access_token=${slashEncoded(token)}` }),
  change: ({ token, text }, id) =>
    post(
      `${changePath(id)}?access_token=${slashEncoded(token)}&body[text]=${encoded(text)}`,
      rawForm(`text=${encoded(text)}`),
    ),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${slashEncoded(token)}`, rawForm('')),
};

/** By hand, with a separator before the first field. */
const kanedaRuby: OldProgram = {
  create: ({ token, profile, text }) =>
    post(`${CREATE}?access_token=${token}`, rawForm(`&text=${encoded(text)}&profile_ids[]=${profile}`)),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?access_token=${token}&utc=true` }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${token}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${token}`, {}),
};

/** `DateTime::ISO8601` of PHP has no colon in the offset. */
const bufferPhpSdk: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      CREATE,
      rawForm(
        `text=${encoded(text)}&profile_ids%5B0%5D=${profile}&shorten=1&now=&top=&scheduled_at=${DAY_OF_DUE}T11%3A00%3A00%2B0100`,
        bearer(token),
      ),
    ),
  list: ({ token, profile }) => ({ path: `${listPath(profile)}?`, headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${encoded(text)}&now=`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), { headers: bearer(token) }),
};

/** A form content type on every request, names in the order of the alphabet, and `bool` where `now` is meant. */
const bufferGo: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      CREATE,
      rawForm(
        `bool=false&profile_ids%5B%5D=${profile}&text=${encoded(text).replaceAll('%20', '+')}`,
        bearer(token),
      ),
    ),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?count=50&page=1`,
    ...rawForm('', bearer(token)),
  }),
  change: ({ token, text }, id) => post(changePath(id), rawForm(`text=${encoded(text)}`, bearer(token))),
  destroy: ({ token }, id) => post(destroyPath(id), rawForm('', bearer(token))),
};

const bufferCli: OldProgram = {
  create: ({ token, profile, text }) =>
    post(
      `${CREATE}?access_token=${slashEncoded(token)}`,
      rawForm(
        `profile_ids%5B%5D=${profile}&text=${encoded(text)}&scheduled_at=${encoded(`${DAY_OF_DUE}T10:00:00Z`)}`,
      ),
    ),
  list: ({ token, profile }) => ({
    path: `${listPath(profile)}?access_token=${slashEncoded(token)}&count=20&page=1`,
  }),
  change: ({ token, text }, id) =>
    post(`${changePath(id)}?access_token=${slashEncoded(token)}`, rawForm(`text=${encoded(text)}`)),
  destroy: ({ token }, id) => post(`${destroyPath(id)}?access_token=${slashEncoded(token)}`, {}),
};

const handWrittenJson: OldProgram = {
  create: ({ token, profile, text }) =>
    post(CREATE, json({ access_token: token, profile_ids: [profile], text, now: false, media: null })),
  list: ({ token, profile }) => ({ path: listPath(profile), headers: bearer(token) }),
  change: ({ token, text }, id) => post(changePath(id), json({ access_token: token, text })),
  destroy: ({ token }, id) => post(destroyPath(id), json({ access_token: token })),
};

/** By their names. */
export const PROGRAMS: Array<[string, OldProgram]> = [
  ['bufferapp-php', bufferappPhp],
  ['the WordPress plugin', wordPressPlugin],
  ['buffpy', buffpy],
  ['the Ruby gem', rubyGem],
  ['another Ruby client', kanedaRuby],
  ['buffer-php-sdk', bufferPhpSdk],
  ['buffer-go', bufferGo],
  ['buffer-cli', bufferCli],
  ['a program that sends JSON', handWrittenJson],
];
