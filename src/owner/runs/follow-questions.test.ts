import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begins, ended, submitted } from '../../../test/support/run-history-fixture.ts';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { followQuestions } from './follow-questions.ts';
import { viewNow } from './run-listing.ts';

const [ROOT, STEP, OTHER] = ['root', 'step', 'other'];
const ASKS = begins('ask-1', 'ask', { question: 'Which port?' });
const parent = { run: ROOT, key: 'run-plan-1', depth: 1 };

type Write = (run: string, ...facts: readonly NewRunEvent[]) => Promise<void>;

/**
 * Whose questions are told while `happens`, how often the run is looked at, and how many facts of other runs are read. The
 * run ends when its questions were told so often, or null: when the facts of other runs were read.
 */
async function follow(
  program: string,
  tellings: number | null,
  happens: (write: Write) => Promise<void>,
): Promise<{ told: string[][]; looks: number; ofOthers: number }> {
  const journal = new MemoryJournal();
  const write: Write = async (run, ...facts) => {
    const stream = runStream(run);
    await journal.append(stream, await journal.lastSeq(stream), facts, at(0));
  };
  await write(ROOT, submitted('x', { program }));
  await write(OTHER, submitted());
  let isOver = false;
  const end = async (): Promise<void> => {
    if (!isOver) await write(ROOT, ended('succeeded', 'done'));
    isOver = true;
  };
  const counts = { looks: 0, ofOthers: 0 };
  const engine = { list: journal.runs.bind(journal), holdOf: () => undefined };
  const source = {
    journal: {
      lastId: () => journal.lastId(),
      readAll: async (page: { after: number; limit: number }) => {
        const facts = await journal.readAll(page);
        counts.ofOthers += facts.filter(({ stream }) => stream === runStream(OTHER)).length;
        // By then all of them were looked at.
        if (tellings === null && counts.ofOthers > 0) setImmediate(() => void end());
        return facts;
      },
      readStream: journal.readStream.bind(journal),
      onCommit: journal.onCommit.bind(journal),
      run: (id: string) => journal.run(id),
    },
    view: async (): Promise<RunView> => {
      counts.looks += 1;
      return viewNow(engine, (await journal.run(ROOT)) ?? assert.fail(), 0);
    },
  };
  const told: string[][] = [];
  for await (const questions of followQuestions(source, new AbortController().signal)) {
    told.push(questions.map(({ run }) => run));
    if (told.length === 1) await happens(write);
    if (told.length === tellings) await end();
  }
  return { told, ...counts };
}

describe('the questions of a run that is followed', () => {
  test('are told again when a run below it asks', async () => {
    const { told } = await follow('workflow', 2, async (write) => {
      await write(STEP, submitted('y', { parent }), ASKS);
      await write(ROOT, begins('run-plan-1', 'run', { run: STEP }));
    });
    assert.deepEqual(told.slice(0, 2), [[], [STEP]]);
  });

  test('cost no look when other runs ask and end', async () => {
    const { looks } = await follow('workflow', null, async (write) => {
      await write(OTHER, ASKS, ended('failed', 'x'));
    });
    assert.equal(looks, 2, 'at first, and at its end');
  });

  test('cost no fact of another run if it starts none', async () => {
    const { told, looks, ofOthers } = await follow('attempts', 2, async (write) => {
      await write(OTHER, ASKS);
      await write(ROOT, ASKS);
    });
    assert.deepEqual([told.slice(0, 2), looks, ofOthers], [[[], [ROOT]], 3, 0]);
  });
});
