import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';

const RUN = ['run', 'write a haiku', '--agent', 'scripted'];
const NOTE = /^Note: no gate checks this run\. To (.*): supervisor init$/m;

describe('a run that no gate checks', () => {
  it('names init, and the check that init would find', async () => {
    await using cli = await inProcessCli();
    const { err } = await cli.say(RUN);
    assert.equal(NOTE.exec(err)?.[1], 'set up this project', err);
    await writeFile(join(cli.project, 'pytest.ini'), '[pytest]\n');
    await writeFile(join(cli.project, 'test_cart.py'), 'def test_cart(): pass\n');
    const python = await cli.say(RUN);
    assert.match(NOTE.exec(python.err)?.[1] ?? '', /^check the work with .*pytest/);
  });

  it('has no such line in JSON, with a gate, with settings of the project or of the user', async () => {
    await using cli = await inProcessCli();
    assert.doesNotMatch((await cli.say([...RUN, '--json'])).err, NOTE);
    await mkdir(join(cli.project, '.supervisor'));
    await writeFile(join(cli.project, '.supervisor/config.yaml'), 'version: 1\n');
    assert.doesNotMatch((await cli.say([...RUN, '--untrusted'])).err, NOTE);
    await using other = await inProcessCli('gates: [{name: a, command: ["true"]}]\n');
    assert.doesNotMatch((await other.say([...RUN, '--detach'])).err, NOTE);
  });
});
