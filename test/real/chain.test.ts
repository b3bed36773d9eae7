/**
 * One task through a chain of contained agents: each finds the work of the agent before it, and
 * gate output reaches the next attempt.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { SandboxedHarness } from './sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

function custom(id: string, script: string): object {
  return { id, cli: 'custom', command: ['sh', '-c', script, 'sh', '{prompt}'] };
}

async function played(
  at: SandboxedHarness,
  agents: readonly string[],
  more: { gates?: string[]; set?: string[] } = {},
): Promise<readonly StoredEvent[]> {
  const { id } = await at.client.submit({
    task: 'Write a file.',
    project: at.project,
    chain: [...agents],
    ...more,
    set: ['sandbox.backend=bubblewrap', 'attempt.grace=5s', ...(more.set ?? [])],
  });
  return at.factsOf(id);
}

function agentsOf(facts: readonly StoredEvent[]): readonly string[] {
  return facts.flatMap((fact) => {
    if (fact.type !== 'command.begun' || fact.payload.command !== 'attempt') return [];
    return [(fact.payload.input['agent'] as { id: string }).id];
  });
}

function outcomeOf(facts: readonly StoredEvent[]): unknown {
  const last = facts.at(-1);
  return last?.type === 'run.ended' ? last.payload.outcome.kind : undefined;
}

describe('a chain of contained agents', { skip, timeout: 300_000 }, () => {
  test('the second finds the work of the first, and its prompt describes it', async () => {
    const config = {
      agents: [
        custom('one', 'echo half >work.txt; echo it broke >&2; exit 3'),
        custom('two', 'printf %s "$1" >told.txt; echo whole >>work.txt; echo done'),
      ],
    };
    await using at = await SandboxedHarness.create({ config });
    const facts = await played(at, ['one', 'two']);
    assert.deepEqual([agentsOf(facts), outcomeOf(facts)], [['one', 'two'], 'unverified']);
    const run = facts[0]?.stream.slice('run/'.length) ?? '';
    const { text } = await at.client.diff(run);
    assert.match(text, /^\+half\n\+whole$/m);
    assert.match(text, /^\+This is attempt 2 .*Attempt 1, by one, did not finish it/m);
    assert.match(text, /^\+work\.txt$/m);
  });

  test('the same agent fixes what a gate reports, and then the work is verified', async () => {
    const config = {
      agents: [custom('one', 'test -e tried && echo right >answer; touch tried; echo done')],
    };
    await using at = await SandboxedHarness.create({ config });
    const facts = await played(at, ['one'], { gates: ['grep -q right answer'] });
    assert.deepEqual([agentsOf(facts), outcomeOf(facts)], [['one', 'one'], 'succeeded']);
  });

  test('a user who asks for the next agent gets it', async () => {
    const config = {
      agents: [custom('one', 'sleep 600'), custom('two', 'echo done')],
    };
    await using at = await SandboxedHarness.create({ config });
    const { id } = await at.client.submit({
      task: 'Write a file.',
      project: at.project,
      chain: ['one', 'two'],
      set: ['sandbox.backend=bubblewrap', 'attempt.grace=5s'],
    });
    for await (const fact of at.client.followRun(id, 0)) {
      const isStarted = fact.type === 'command.noted' && fact.payload.note['kind'] === 'started';
      if (isStarted && fact.payload.key === 'attempt-1')
        await at.client.signal(id, { kind: 'next' });
    }
    const facts = await at.factsOf(id);
    assert.deepEqual([agentsOf(facts), outcomeOf(facts)], [['one', 'two'], 'unverified']);
  });
});
