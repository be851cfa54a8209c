// Replaces pieces of the build's modules as they are loaded.

const WRITES = 'domain/posts/writes';

const SEND = 'const outcome = await writePost({ mainApi, connection, accessToken, document, now });';
const CLAIM = 'attempt.claim ??= await claimWrite(context, parts);';

/** Build -> module -> what stands there, and what stands there instead. */
const BUILDS = {
  /** What a library's automatic retry does: a write whose answer did not come is sent once more. */
  'second-write': {
    [`${WRITES}/send-write.js`]: [
      [
        SEND,
        `let outcome = await writePost({ mainApi, connection, accessToken, document, now });
         if (outcome.kind === 'in_doubt')
           outcome = await writePost({ mainApi, connection: await mainApi.connect(), accessToken, document, now });`,
      ],
    ],
  },
  /** The row of the journal is kept while the write is on its way. */
  'row-after-first-byte': {
    [`${WRITES}/send-write.js`]: [
      [CLAIM, ''],
      ['requireSendable(context, attempt);', ''],
      [
        SEND,
        `const sending = writePost({ mainApi, connection, accessToken, document, now });
         ${CLAIM}
         const outcome = await sending;`,
      ],
    ],
  },
  /** A lost answer is told as a failure. */
  'lost-is-failed': {
    [`${WRITES}/keep-outcome.js`]: [
      [
        "context.logger.warn('the answer to a write was lost', { writeId: rowId, error: outcome.cause });",
        `await endRow(context, rowId, { state: 'refused', refusal: 'not_sent' });
         return { kind: 'refused', refusal: { kind: 'RestProxyError', message: 'Not sent.', code: 1022 } };`,
      ],
    ],
  },
  /** Any post of the channel is taken for the one that was lost. */
  'any-post-is-it': {
    [`${WRITES}/is-of-row.js`]: [['vault.digests(content).includes(digest)', 'content !== null']],
  },
  /** The caller is answered before the row of its write says what became of it. */
  'answered-before-its-row': {
    [`${WRITES}/send-write.js`]: [
      [
        'const end = await settle(context, { claimed, call: parts.call }, outcome);',
        `const settling = () => settle(context, { claimed, call: parts.call }, outcome);
         const end = outcome.kind === 'done' ? outcome : await settling();
         if (outcome.kind === 'done') setTimeout(settling, 3000);`,
      ],
    ],
  },
};

const build = BUILDS[process.env.WRITE_SABOTAGE];
if (!build) throw new Error(`there is no sabotage ${process.env.WRITE_SABOTAGE}`);

function sabotaged(source, replacements) {
  return replacements.reduce((text, [piece, instead]) => {
    if (!text.includes(piece)) throw new Error(`the build has no ${piece}`);
    return text.replace(piece, instead);
  }, source);
}

/** A hook of Node's. What is joined in dist/program cannot be replaced file by file: the modules run in its place. */
export async function load(url, context, nextLoad) {
  if (url.endsWith('/dist/program/main.js'))
    return { format: 'module', shortCircuit: true, source: "import '../main.js';" };
  const loaded = await nextLoad(url, context);
  const [, replacements] = Object.entries(build).find(([path]) => url.endsWith(`/dist/${path}`)) ?? [];
  return replacements ? { ...loaded, source: sabotaged(String(loaded.source), replacements) } : loaded;
}
