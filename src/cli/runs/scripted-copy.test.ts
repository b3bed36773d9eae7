/** A scripted agent works as every other agent does: in a copy, whose work is reviewed, applied and undone. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import type { InProcessCli } from '../../../test/support/cli-harness.ts';
import { systemClock } from '../../host/machine/system-clock.ts';

const openCli = (): Promise<InProcessCli> =>
  inProcessCli('', [], systemClock, { scriptedInProject: false });

describe('a scripted agent', { timeout: 300_000 }, () => {
  it('leaves the project alone until its work is applied, and the apply can be undone', async () => {
    await using cli = await openCli();
    const file = join(cli.project, 'WORK.md');
    const { code, out } = await cli.say(['run', 'write a haiku', '--agent', 'scripted']);
    assert.equal(code, 0, out);
    assert.match(out, /^ {2}changes {3}1 file, \+\d+ -0 lines$/m);
    assert.match(out, /^Your files are unchanged\. No gate has checked the work\.$/m);
    assert.ok(!existsSync(file));
    assert.match((await cli.say(['diff'])).out, /^\+\+\+ b\/WORK\.md$/m);
    assert.equal((await cli.say(['apply'])).code, 0);
    assert.ok(existsSync(file));
    assert.equal((await cli.say(['apply', '--undo'])).code, 0);
    assert.ok(!existsSync(file));
  });

  it('continues in the same copy after another one failed', async () => {
    await using cli = await openCli();
    const asked = ['run', 'write a haiku', '--chain', 'scripted:dies-mid-write,scripted'];
    const { code, out } = await cli.say(asked);
    assert.equal(code, 0, out);
    assert.match(out, /attempt-2 completed/);
    assert.deepEqual(existsSync(join(cli.project, 'WORK.md')), false);
  });
});
