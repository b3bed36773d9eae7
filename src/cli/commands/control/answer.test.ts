import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { eventually } from '../../../../test/support/eventually.ts';

describe('answer', { timeout: 300_000 }, () => {
  test('without an answer repeats the question and the command', async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    const ask = ['run', 'do it', '--agent', 'scripted:asks-a-question', '--detach'];
    const id = (await cli.say(ask)).out.trim();
    await eventually('it asks', async () => (await cli.say(['inbox'])).out.startsWith(id));
    assert.deepEqual(await cli.say(['answer', 'last']), {
      code: 2,
      out: '',
      err:
        `error: The answer to run ${id} is missing. Its question: scripted:asks-a-question asks: Which config file?\n` +
        `Answer the question with: supervisor answer ${id} "…"\n`,
    });
    await cli.say(['kill', id]);
    const ended = await cli.say(['answer', id]);
    assert.match(ended.err, /It asks nothing\.\nTo see all open questions: supervisor inbox\n$/);
  });
});
