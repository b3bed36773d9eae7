import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { attempt, ended, ends, submitted } from '../../../test/support/run-history-fixture.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { factsOfScript } from '../../../test/support/step-timeline.ts';
import {
  definition,
  gate,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import { StepReports } from './step-reports.ts';

const DEFINITION = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], null, { onFail: 'implement' }),
});
const FACTS = factsOfScript({ definition: DEFINITION });
const [WORKFLOW, OTHER, CHILD] = ['a000000000', 'b000000000', 'c000000000'];

/** The step runs under this id. */
function withChild(events: readonly NewRunEvent[]): readonly NewRunEvent[] {
  return events.map((event) =>
    event.type === 'command.begun' && event.payload.command === 'run'
      ? { ...event, payload: { ...event.payload, input: { ...event.payload.input, run: CHILD } } }
      : event,
  );
}

function reportsOf(journal: MemoryJournal): StepReports {
  return new StepReports({ journal: () => journal, clock: new ManualClock() });
}

test('a report on steps counts what the run of a step used, and leaves active workflows out', async () => {
  const journal = new MemoryJournal();
  await journal.append(runStream(WORKFLOW), 0, withChild(FACTS), at(1000));
  await journal.append(runStream(OTHER), 0, FACTS.slice(0, 4), at(1000));
  const used = { kind: 'spent', tokens: 500, usd: 0.5, calls: 1, settled: [] };
  await journal.append(
    runStream(CHILD),
    0,
    [
      submitted(),
      attempt(1, 'main'),
      runEvent({
        type: 'command.noted',
        payload: { key: 'attempt-1', command: 'attempt', note: used },
      }),
      ends('attempt-1', { kind: 'completed', summary: 'done' }),
      ended('succeeded', 'done'),
    ],
    at(1000),
  );
  const { templates, active } = await reportsOf(journal).report(0);
  assert.equal(active, 1);
  assert.deepEqual(
    templates.map(({ template, runs }) => `${template} ${runs}`),
    ['test 1'],
  );
  const [implement] = templates[0]?.steps ?? [];
  assert.deepEqual([implement?.step, implement?.tokens], ['implement', 500]);
});

test('a workflow that another run continues counts once, with the visits of both', async () => {
  const journal = new MemoryJournal();
  const half = FACTS.slice(0, 8);
  await journal.append(runStream(WORKFLOW), 0, [...half, ended('cancelled', 'stopped')], at(1000));
  const submission = workflowSubmission(DEFINITION);
  const forked = runEvent({
    type: 'run.forked',
    payload: { from: WORKFLOW, seq: half.length, submission },
  });
  await journal.append(runStream(OTHER), 0, [forked, ...FACTS.slice(8)], at(2000));
  const { templates } = await reportsOf(journal).report(0);
  assert.deepEqual(
    templates[0]?.steps.map(({ step, runs, visits }) => `${step} ${runs} ${visits}`),
    ['implement 1 1', 'test 1 1'],
  );
});

test('a report on steps counts only the period and the workflow that it is about', async () => {
  const journal = new MemoryJournal();
  await journal.append(runStream(WORKFLOW), 0, FACTS, at(1000));
  const reports = reportsOf(journal);
  const counts = async (since: number, template?: string): Promise<number | undefined> =>
    (await reports.report(since, template)).templates[0]?.runs;
  assert.deepEqual(
    [await counts(1000), await counts(1001), await counts(0, 'test'), await counts(0, 'mvp')],
    [1, undefined, 1, undefined],
  );
  assert.deepEqual((await reports.report(0, 'mvp')).known, ['test']);
});
