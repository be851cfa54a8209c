const bufferApi = require('buffer-node');

const calls = {
  user: (api) => api.user.get(),
  profiles: (api) => api.profiles.get(),
  profile: (api, id) => api.profile(id).get(),
  // the library has no deauthorize of its own; its core takes any path
  deauthorize: (api) => api.post('user/deauthorize', { authorize: true }),
};

process.on('message', ({ token, call, id }) => {
  calls[call](bufferApi(token), id).then(
    (data) => process.send({ data }),
    (error) => process.send({ error: error.message, errorCode: error.errorCode, httpCode: error.httpCode }),
  );
});
process.send('ready');
