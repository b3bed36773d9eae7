/** A setup in containers: the agent and the gate find its result at the path where it was made. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesOf, SandboxedHarness } from '../real/sandboxed-harness.ts';
import { dockerEngine } from './docker-engine.ts';

test(
  "a setup, an agent and a gate share the setup's result in docker",
  { timeout: 600_000 },
  async (t) => {
    let why = '';
    await using engine = await dockerEngine((words) => (why = words));
    if (engine === undefined) {
      if (process.env['CI'] !== undefined) assert.fail(why);
      return t.skip(`missing: docker (${why})`);
    }
    const made =
      'mkdir made; printf "#!%s/made/self\\n" "$PWD" >made/tool; ln -s /bin/sh made/self';
    await using at = await SandboxedHarness.create({
      env: { DOCKER_HOST: engine.host },
      config: {
        agents: [
          {
            id: 'mine',
            cli: 'custom',
            command: [
              'sh',
              '-e',
              '-c',
              'read -r line <made/tool; echo $line >tool.txt; echo mine >made/tool; echo done',
            ],
          },
        ],
        setup: { command: ['sh', '-c', made] },
        gates: [
          {
            name: 'whole',
            command: ['sh', '-c', 'read -r line <made/tool; test $line = "#!/project/made/self"'],
            allow_shell: true,
          },
          { name: 'there', command: ['sh', '-c', 'test -x /project/made/self'], allow_shell: true },
        ],
        sandbox: { image: engine.image, pull: 'never' },
      },
    });
    const run = await at.submit('mine', { set: ['sandbox.backend=docker'] });
    const facts = await at.factsOf(run);
    const last = facts.at(-1);
    assert.ok(last?.type === 'run.ended');
    assert.equal(last.payload.outcome.kind, 'succeeded', JSON.stringify(last.payload));
    assert.deepEqual(
      new Set(notesOf(facts, 'started').map((note) => note['sandbox'])),
      new Set(['docker']),
    );
    assert.equal((await at.client.apply(run)).files, 1);
    assert.equal(await readFile(join(at.project, 'tool.txt'), 'utf8'), '#!/project/made/self\n');
  },
);
