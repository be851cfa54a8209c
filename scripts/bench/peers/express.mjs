// The bridge's peer (b): what somebody would write in an afternoon. Express 5, one look-up, `res.json`.
import express from 'express';
import { answer, isKnown, tokenInHead } from './answer.mjs';
import { tellPort } from './tell-port.mjs';

const app = express();
app.use(express.urlencoded({ extended: false }));
const handle = (req, res) => {
  const token = tokenInHead(req.headers.authorization, req.url) ?? req.body?.access_token;
  if (!isKnown(token)) res.status(401).json({ error: 'invalid_token' });
  else res.json(answer);
};
app.get('/1/profiles.json', handle);
app.post('/1/profiles.json', handle);
app.get('/1/profiles/:id/updates/pending.json', handle);
app.get('/1/profiles/:id/updates/sent.json', handle);
const server = app.listen(0, '127.0.0.1', () => tellPort(server));
