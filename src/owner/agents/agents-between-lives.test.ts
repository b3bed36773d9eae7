/**
 * Runs real supervisors. Covers signals to an agent that is down while its supervisor waits before
 * the next life.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { runStream } from '../../protocol/streams.ts';
import type { Signal } from '../../protocol/signal.ts';
import { AgentHarness } from '../../../test/support/agent-harness.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testOwner } from '../../../test/support/test-owner.ts';
import { trustProject } from '../../../test/support/trust-project.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';

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

/** The input of each turn: the prompt that the CLI gets, and the tree that it works in. */
async function readTurns(harness: AgentHarness): Promise<readonly AttemptInput[]> {
  const facts = await harness.journal.readAll({ after: 0, limit: 100_000 });
  return facts.flatMap((fact) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt' ? [fact.payload.input] : [],
  );
}

describe('an agent that is down', () => {
  for (const dies of [false, true])
    test(`gets in its next life the messages that were sent before it${dies ? ', even if its owner died' : ''}`, async () => {
      const harness = new AgentHarness();
      await harness.open();
      const run = await harness.spawn('a', { restart: SLOW });
      await harness.crash('a');
      for (const signal of [HELLO, WRONG]) await harness.up.engine.signal(run, signal);
      await harness.settle();
      if (dies) {
        await harness.die();
        await harness.open();
      }
      assert.equal(harness.isAtWork('a'), false);
      await harness.pass(120_000);
      assert.equal(harness.agent('a').status.life, 2);
      await harness.ends('a', {
        kind: 'completed',
        summary: '',
        turnNotes: { statusLine: '', notes: [] },
      });
      const [, second = assert.fail(), third] = await readTurns(harness);
      assert.equal(second.tree, 2);
      for (const text of ['hello there', 'no tests']) {
        assert.equal(second.prompt.split(text).length, 2, text);
        assert.equal(third?.prompt.includes(text), false, text);
      }
      await harness.close();
    });

  test('accepts a rejection of its work', async () => {
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
    await eventually('the agent to be down', isDown, WITHIN_MS);
    const { run } = await agents.reject('ada', 'no tests', project);
    const facts = await at.owner.journal.readStream(runStream(run), { after: 0, limit: 1000 });
    const last = facts.findLast(({ type }) => type === 'signal.received');
    assert.deepEqual(last?.payload, { signal: WRONG });
  });
});
