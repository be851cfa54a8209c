const Buffer = require('node-buffer');

process.on('message', ({ token, method, path, params }) => {
  const client = new Buffer({ access_token: token });
  client[method](path, params ?? {}, (error, data, response) => {
    process.send({ error: error ? error.message : null, data, status: response?.statusCode });
  });
});
process.send('ready');
