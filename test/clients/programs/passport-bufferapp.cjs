const express = require('express');
const { Passport } = require('passport');
const { Strategy } = require('passport-bufferapp');

const { PORT, CLIENT_ID, CLIENT_SECRET } = process.env;
const passport = new Passport();
const settings = {
  clientID: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  callbackURL: `http://127.0.0.1:${PORT}/auth/bufferapp/callback`,
};
passport.use(
  new Strategy(settings, (...given) => {
    const [accessToken, refreshToken, { provider, id, username }, done] = given;
    done(null, { accessToken, refreshToken, provider, id, username });
  }),
);

const app = express();
app.use(passport.initialize());
app.get('/auth/bufferapp', passport.authenticate('bufferapp', { session: false }));
app.get('/auth/bufferapp/callback', passport.authenticate('bufferapp', { session: false }), (req, res) =>
  res.json(req.user),
);
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
app.use((error, _req, res, _next) => res.status(500).send(String(error)));
app.listen(Number(PORT), '127.0.0.1', (error) => {
  if (error) throw error;
  process.send('ready');
});
