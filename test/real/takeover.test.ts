/** Real CLIs in the terminal of a person: in a sandbox, in the conversation of the attempt before, through the gateway. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { notesOf, SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing } from './sandboxed-clis.ts';

const TIMEOUT_MS = 400_000;
const WITHIN_MS = 150_000;
const SIZE = { rows: 40, columns: 120, term: 'xterm-256color' };
/** The run waits for a person, with a conversation that is over. */
const GATE = { name: 'never', command: ['test', '-f', 'never'], on_fail: 'ask' };

for (const cli of ['claude', 'gemini', 'opencode'] as const)
  test(`${cli} opens its conversation for a person`, { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, cli)) return;
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: ({ units }) => ({
        text: JSON.stringify(units).includes('violet') ? 'It is a flower.' : 'The first answer.',
      }),
    });
    await using at = await harnessFor([cli], server.url, { config: { gates: [GATE] } });
    const run = await at.submit(cli);
    const isAsked = async (text: string): Promise<boolean> =>
      (await at.client.inbox()).some(({ question }) => question.includes(text));
    await eventually('the red gate', () => isAsked('gate never failed'), WITHIN_MS);

    let shown = '';
    const { takeover } = at.client;
    const reading = (async () => {
      for await (const item of takeover.take(run, { ...SIZE, shell: false, joins: false }))
        if (item.kind === 'output') shown += Buffer.from(item.data, 'base64').toString();
    })();
    reading.catch(() => {}); // what is missing on the screen says more
    const type = (text: string): Promise<void> =>
      takeover.type(run, { data: Buffer.from(text).toString('base64') });
    // Programs draw words at their places, so spaces may be moves of the cursor.
    const shows = (text: RegExp): Promise<void> =>
      eventually(`${text} on the screen`, () => text.test(shown), WITHIN_MS).catch((error) => {
        throw new Error(`${String(error)}:\n${shown.slice(-3000)}`);
      });
    await shows(/first[^]{1,12}answer/);
    // Gemini CLI takes no key while it opens the conversation, and Enter right after a text as a part of it.
    const typeUntil = async (keys: string, word: string): Promise<void> => {
      for (let tries = 0; tries < 60 && !shown.includes(word); tries += 1) {
        await type(keys);
        await eventually(word, () => shown.includes(word), 2000).catch(() => {});
      }
    };
    await typeUntil('violet', 'violet');
    await typeUntil('\r', 'flower');
    await shows(/flower/);
    await takeover.type(run, { leave: true });
    await reading;
    await eventually('the question', () => isAsked('in your terminal'), WITHIN_MS);
    await at.client.answer(run, { choice: 'stop' });
    const facts = await at.factsOf(run);
    assert.deepEqual(
      // The gate on the base starts in a sandbox too.
      notesOf(
        facts.filter(
          ({ type, payload }) => type === 'command.noted' && payload.command === 'attempt',
        ),
        'started',
      ).map((note) => note['sandbox']),
      ['bubblewrap', 'bubblewrap'],
    );
    assert.equal(notesOf(facts, 'takeover-ended')[0]?.['how'], 'left');
    assert.doesNotMatch(shown, new RegExp(SECRET));
  });
