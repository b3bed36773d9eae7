import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { TestOwner } from '../../../test/support/test-owner.ts';
import { testOwner } from '../../../test/support/test-owner.ts';

/** A run whose first attempt has begun. */
async function working(at: TestOwner, chain: readonly string[]): Promise<RunId> {
  const { id } = await at.owner.submit({ task: 'x', project: at.project, chain: [...chain] });
  const run = id as RunId;
  const signal = new AbortController().signal;
  for await (const event of at.owner.engine.follow(run, 0, signal))
    if (event.type === 'command.begun' && event.payload.command === 'attempt') return run;
  throw new Error('no attempt began');
}

async function next(at: TestOwner, run: RunId): Promise<string> {
  try {
    await at.owner.questions.signal(run, { kind: 'next' });
    return 'sent';
  } catch (error) {
    return isRefusal(error, 'run.no-next-agent') ? error.data.message : String(error);
  }
}

describe('next', { timeout: 60_000 }, () => {
  test('is refused if the run has only one agent', async () => {
    await using at = await testOwner();
    const run = await working(at, ['scripted:never-speaks']);
    assert.equal(await next(at, run), `Run ${run} has only one agent. It continues as before.`);
    await at.owner.questions.signal(run, { kind: 'kill' });
  });

  test('is sent while another agent is left, and refused after that', async () => {
    await using at = await testOwner(
      "agents: [{ id: 'other:never-speaks', cli: scripted, args: ['2'] }]\n",
    );
    const run = await working(at, ['scripted:never-speaks', 'other:never-speaks']);
    assert.equal(await next(at, run), 'sent');
    const signal = new AbortController().signal;
    for await (const event of at.owner.engine.follow(run, 0, signal))
      if (event.type === 'command.begun' && event.payload.key === 'attempt-2') break;
    assert.equal(
      await next(at, run),
      `Run ${run} has no other agent that can start now. It continues as before.`,
    );
    await at.owner.questions.signal(run, { kind: 'kill' });
  });
});
