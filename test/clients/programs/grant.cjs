const express = require('express');
const session = require('express-session');
const grant = require('grant').express();

const { PORT, CLIENT_ID, CLIENT_SECRET } = process.env;
const app = express();
app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: true }));
app.use(
  grant({
    defaults: { origin: `http://127.0.0.1:${PORT}`, transport: 'session', state: true },
    buffer: {
      key: CLIENT_ID,
      secret: CLIENT_SECRET,
      callback: '/done',
      response: ['tokens', 'raw', 'profile'],
    },
  }),
);
app.get('/done', (req, res) => res.json(req.session.grant.response));
app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  process.send('ready');
});
