import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { settle } from '../../testing/fakes/manual-clock.ts';
import { AGENT_SETTINGS } from '../../../test/support/drive-agent.ts';
import { delegatedBy } from './delegated-budgets.ts';
import { AgentRegistry } from './agent-registry.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const ROOT = 'f000000000' as RunId;
const SHOWN_MAX = 200;

function idOf(number: number): RunId {
  return number.toString(16).padStart(10, '0') as RunId;
}

async function spawn(journal: MemoryJournal, run: RunId, parent: RunId | null): Promise<void> {
  const life = { ...AGENT_SETTINGS, name: `agent-${run}`, parent };
  const payload = {
    program: AGENT_PROGRAM,
    task: 't',
    project: '/p',
    settings: { longLived: life },
  };
  await journal.append(runStream(run), 0, [runEvent({ type: 'run.submitted', payload })], at(1000));
}

/** The agent spends a dollar in one call, then its run ends. */
async function end(journal: MemoryJournal, run: RunId): Promise<void> {
  const note = { kind: 'spent', tokens: 10, usd: 1, calls: 1 };
  const facts: NewRunEvent[] = [
    runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note } }),
    { type: 'run.ended', payload: { outcome: { kind: 'failed', reason: 'it broke' } } },
  ];
  await journal.append(runStream(run), 1, facts, at(2000));
}

test('the spending of children still counts after they leave the registry, under this owner and the next', async () => {
  const journal = new MemoryJournal();
  const registry = await AgentRegistry.open(
    journal,
    () => {},
    () => {},
  );
  await spawn(journal, ROOT, null);
  const count = SHOWN_MAX + 100;
  const all = Array.from({ length: count }, (_, number) => idOf(number));
  // Each third agent is a child of the one before it.
  const parentOf = (number: number): RunId => (number % 3 === 2 ? idOf(number - 1) : ROOT);
  for (const [number, run] of all.entries()) await spawn(journal, run, parentOf(number));
  for (const run of all) await end(journal, run);
  await settle();
  const expected = { usd: count, tokens: 10 * count, calls: count };
  assert.equal(registry.all().length, 1 + SHOWN_MAX);
  assert.deepEqual(delegatedBy(ROOT, registry.all()), expected);
  await registry.close();

  const next = await AgentRegistry.open(
    journal,
    () => {},
    () => {},
  );
  assert.ok(next.all().length <= 2 + SHOWN_MAX); // an agent is shown only together with its parent
  assert.deepEqual(delegatedBy(ROOT, next.all()), expected);
  await next.close();
});
