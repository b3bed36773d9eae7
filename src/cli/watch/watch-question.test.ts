import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../host/machine/system-clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';

const RUN = ['run', 'x', '-a', 'scripted:asks-a-question'];

test(
  'a question on the screen of a run has the command that answers it',
  { timeout: 300_000 },
  async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    let shown = '';
    const write = (text: string): void => void (shown += text);
    const watched = cli.say(RUN, { out: write, err: write });
    await eventually('it asks', () => shown.includes('the run waits for you'));
    assert.equal((await cli.say(['stop', 'last'])).code, 0);
    assert.equal((await watched).code, 130);
    assert.match(
      shown,
      /asks: Which config file\?\n {10}Answer .*: supervisor answer \w{10} "…"\n {10}Type this in another terminal\./,
    );
  },
);
