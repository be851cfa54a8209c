const bufferApi = require('buffer-node');

const calls = {
  user: (api) => api.user.get(),
  profiles: (api) => api.profiles.get(),
  profile: (api, id) => api.profile(id).get(),
  pending: (api, id) => api.profile(id).updates.pending({ count: 2, since: new Date(2000, 1, 1), utc: true }),
  sent: (api, id) => api.profile(id).updates.sent({ count: 2, page: 2, filter: 'all' }),
  pendingAll: (api, id) =>
    api.profile(id).updates.pending({ count: 100, since: new Date(2000, 1, 1), utc: true }),
  sentNewest: (api, id) => api.profile(id).updates.sent({ count: 5 }),
  schedules: (api, id) => api.profile(id).schedules.get(),
  updateSchedules: (api, id) =>
    api.profile(id).schedules.update([{ days: ['mon'], times: ['12:00', '17:00'] }]),
  reorder: (api, id, order) => api.profile(id).updates.reorder(order, { utc: true }),
  shuffle: (api, id) => api.profile(id).updates.shuffle({ count: 2 }),
  update: (api, id) => api.update(id).get(),
  create: (api, id) =>
    api.updates.create('Written by buffer-node', [id], {
      scheduled_at: new Date(Date.now() + 86_400_000),
      media: api.helpers.picture('https://images.example/a.png', 'https://images.example/b.png'),
      shorten: false,
    }),
  createWithLink: (api, id) =>
    api.updates.create('Linked by buffer-node', id, {
      top: true,
      media: api.helpers.link('https://example.com/', 'A description', 'A title'),
    }),
  createForNobody: (api) => api.updates.create('Written by buffer-node', []),
  change: (api, id) => api.update(id).update('Changed by buffer-node', { utc: true }),
  moveToTop: (api, id) => api.update(id).moveToTop(),
  share: (api, id) => api.update(id).share(),
  destroy: (api, id) => api.update(id).destroy(),
  // An object of the library hides its own method of the same name.
  interactions: (api, id) => api.update(id).interactions.get(),
  shares: (api) => api.links.shares('https://example.com/'),
  configuration: (api) => api.info.configuration(),
  // the library has no deauthorize of its own; its core takes any path
  deauthorize: (api) => api.post('user/deauthorize', { authorize: true }),
};

process.on('message', ({ token, call, id, order }) => {
  calls[call](bufferApi(token), id, order).then(
    (data) => process.send({ data }),
    (error) => process.send({ error: error.message, errorCode: error.errorCode, httpCode: error.httpCode }),
  );
});
process.send('ready');
