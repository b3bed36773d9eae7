/** Under real supervisors: what is said to an agent that is down, while its supervisor waits before the next life. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mkdir, writeFile } from 'node:fs/promises';
import type { AttemptInput } from '../../attempts/attempt.ts';
import { runStream } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/event.ts';
import { AgentHarness } from '../../../test/support/agent-harness.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import { trustProject } from '../../../test/support/trust-project.ts';

const WITHIN_MS = 120_000;
const SLOW = {
  type: 'transient',
  restartsMax: 3,
  withinMs: 600_000,
  backoff: { baseMs: 60_000, maxMs: 60_000 },
} as const;
const HELLO: Signal = { kind: 'message', from: null, text: 'hello there' };
const WRONG: Signal = {
  kind: 'trigger',
  trigger: { kind: 'wrong-changeset', feedback: 'no tests' },
};

/** What each turn was told, as its CLI hears it, and the tree that it was given. */
async function turnsOf(stage: AgentHarness): Promise<readonly AttemptInput[]> {
  const facts = await stage.journal.readAll({ after: 0, limit: 100_000 });
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt'
      ? [fact.payload.input as unknown as AttemptInput]
      : [],
  );
}

describe('an agent that is down', () => {
  for (const dies of [false, true])
    test(`hears in its next life what was said before it began${dies ? ', though its owner died' : ''}`, async () => {
      const stage = new AgentHarness();
      await stage.open();
      const run = await stage.spawn('a', { restart: SLOW });
      await stage.crash('a');
      for (const signal of [HELLO, WRONG]) await stage.up.engine.signal(run, signal);
      await stage.settle();
      if (dies) {
        await stage.die();
        await stage.open();
      }
      assert.equal(stage.isAtWork('a'), false);
      await stage.pass(120_000);
      assert.equal(stage.agent('a').standing.life, 2);
      await stage.ends('a', { kind: 'completed', summary: '', said: { last: '', notes: [] } });
      const [, second = assert.fail(), third] = await turnsOf(stage);
      assert.equal(second.tree, 2);
      for (const words of ['hello there', 'no tests']) {
        assert.equal(second.prompt.split(words).length, 2, words);
        assert.equal(third?.prompt.includes(words), false, words);
      }
      await stage.close();
    });

  test('may have its work rejected', async () => {
    await using at = await testOwner('');
    const project = join(at.dir, 'shop');
    await mkdir(join(project, '.supervisor'), { recursive: true });
    const restart = { backoff_base: '1h', backoff_max: '1h' };
    const agent = { name: 'ada', assignment: 'fall', agent: 'scripted:crashes', restart };
    const file = join(project, '.supervisor', 'config.yaml');
    await writeFile(file, JSON.stringify({ tree: { children: [agent] } }));
    await trustProject(at.dir, project);
    const { agents } = at.owner;
    await agents.declare(project);
    const isDown = (): boolean => agents.view('ada', project).state === 'failed-reaped';
    await eventually('that it is down', isDown, WITHIN_MS);
    const { run } = await agents.reject('ada', 'no tests', project);
    const facts = await at.owner.journal.readStream(runStream(run), { after: 0, limit: 1000 });
    const last = facts.findLast(({ type }) => type === 'signal.received');
    assert.deepEqual(last?.payload, { signal: WRONG });
  });
});
