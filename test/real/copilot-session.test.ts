/**
 * Copilot prints the id of its conversation only when it ends. The id that Supervisor chooses
 * survives a kill.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { isMissing } from './real-gateway-harness.ts';
import { startAgent, storyOf } from './run-agent.ts';
import { makePlace } from './run-cli.ts';

const SESSION = '3f1c9d52-7a44-4c1e-9a1b-5d2f8e6b7c90';

function isKept(home: string): boolean {
  const folder = join(home, '.copilot');
  const paths = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  return paths
    .filter((path) => path.includes(SESSION) && path.endsWith('.jsonl'))
    .some((path) => readFileSync(join(folder, path), 'utf8').includes('marzipan'));
}

test(
  'D7: Copilot continues its conversation after it was killed',
  { timeout: 300_000 },
  async (t) => {
    if (isMissing(t, 'copilot')) return;
    await using place = await makePlace();
    const command = 'touch started; sleep 300';
    await using server = await ModelServer.start({
      script: [
        { when: 'And now go on', steps: [{ text: 'I went on.' }] },
        {
          steps: [
            {
              calls: [{ name: 'bash', args: { command, description: 'wait', initial_wait: 200 } }],
            },
          ],
        },
      ],
      tolerate: ['openai-chat:known-message-keys'],
    });
    const prompt = 'Remember the word marzipan.';
    const first = await startAgent('copilot', place, server.url, { prompt, session: SESSION });
    await eventually('the tool runs', () => existsSync(join(place.cwd, 'started')), 60_000);
    // Copilot writes its conversation in the background. If it is killed before that, it has none.
    await eventually('its conversation is on disk', () => isKept(place.home), 60_000);
    assert.equal(storyOf(first).session, null);
    assert.ok(storyOf(first).events > 0);
    await first.group.kill();

    const rest = { prompt: 'And now go on.', resume: SESSION };
    const second = await startAgent('copilot', place, server.url, rest);
    const { end } = await second.classified();
    assert.equal(end.kind, 'completed', JSON.stringify(end));
    const sent = JSON.stringify(server.journal().findLast(({ kind }) => kind === 'main')?.body);
    assert.match(sent, /marzipan/);
  },
);
