import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import { begins, submitted } from '../../../test/support/run-history-fixture.ts';
import { agentIdentity } from '../../attempts/choice/identity.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { runsLimitedBy, runsToRetry } from './runs-to-retry.ts';

const [RUN, CHILD, OTHER] = ['0123456789', '123456789a', '23456789ab'] as [RunId, RunId, RunId];

const WAITS = begins('wait-1', 'wait', { until: 1, reason: 'cooldown', why: 'claude is limited' });
const RETRIES = begins('wait-1', 'wait', { until: 1, reason: 'retry', why: 'soon' });
const ASKS = begins('ask-1', 'ask', { question: 'Which port?' });
const WORKS = begins('attempt-1', 'attempt', {});
const starts = (run: RunId): NewRunEvent => begins(`run-${run}`, 'run', { run });

async function journalOf(
  runs: Readonly<Record<string, readonly NewRunEvent[]>>,
): Promise<MemoryJournal> {
  const journal = new MemoryJournal(new MemoryDisk());
  for (const [run, events] of Object.entries(runs))
    await journal.append(runStream(run), 0, events, at(0));
  return journal;
}

describe('retry-now', () => {
  const cases: [
    why: string,
    runs: Readonly<Record<string, readonly NewRunEvent[]>>,
    expected: readonly string[] | RegExp,
  ][] = [
    ['ends the wait of the run', { [RUN]: [submitted(), WAITS] }, [RUN]],
    [
      'ends the waits of the runs that a workflow has started',
      {
        [RUN]: [submitted(), starts(CHILD), starts(OTHER)],
        [CHILD]: [submitted(), WAITS],
        [OTHER]: [submitted(), WORKS],
      },
      [CHILD],
    ],
    ['does nothing to a run that works', { [RUN]: [submitted(), WORKS] }, [RUN]],
    [
      'is refused for a run that asks',
      { [RUN]: [submitted(), ASKS] },
      /^Run 0123456789 waits for you, .*\n.*supervisor answer 0123456789 "…"$/,
    ],
    [
      'is refused for a workflow whose step asks, with the id that is answered',
      { [RUN]: [submitted(), starts(CHILD)], [CHILD]: [submitted(), ASKS] },
      /^Run 0123456789 waits for you, .*\n.*supervisor answer 123456789a "…"$/,
    ],
  ];
  for (const [why, runs, expected] of cases)
    test(why, async () => {
      const journal = await journalOf(runs);
      const view = async (run: RunId): Promise<RunView> =>
        (await journal.run(run)) ?? assert.fail(`no run ${run}`);
      const found = runsToRetry(RUN, view);
      if (expected instanceof RegExp)
        await assert.rejects(found, (error: { data: { message: string; hint: string } }) => {
          assert.match(`${error.data.message}\n${error.data.hint}`, expected);
          return true;
        });
      else assert.deepEqual(await found, expected);
    });
});

test('a cleared cooldown concerns the runs that wait for a limit and have such an agent', async () => {
  const agent = (id: string, model: string): object => ({
    ...{ id, cli: 'claude', args: [], env: {} },
    model,
  });
  const run = (...chain: readonly object[]): NewRunEvent => ({
    type: 'run.submitted',
    payload: {
      ...{ program: 'attempts', task: 'x', project: '/p' },
      settings: { ...PINNED_DEFAULTS, agent: chain[0], chain } as never,
    },
  });
  const [small, large] = [agent('small', 'haiku'), agent('large', 'opus')];
  const journal = await journalOf({
    [RUN]: [run(small, large), WAITS],
    [CHILD]: [run(small), WAITS],
    [OTHER]: [run(large), RETRIES],
  });
  const cleared = [agentIdentity(large as never)];
  assert.deepEqual(await runsLimitedBy(cleared, journal), [RUN]);
});
