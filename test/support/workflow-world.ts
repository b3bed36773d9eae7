/** A workflow of a small world on a journal in memory, played until it ends or asks. */
import assert from 'node:assert/strict';
import type { RunId } from '../../src/base/ids.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { readRun } from '../../src/engine/embedded/load-run.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { resumePoint } from '../../src/engine/resume-point.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { fakeProgram } from '../../src/testing/fakes/fake-program.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { workflowProgram } from '../../src/workflow/workflow-program.ts';
import { loosePerformer } from './run-event.ts';
import { workflowPerformers } from './workflow-performers.ts';

type WorkflowWorld = {
  readonly journal: Journal;
  readonly engine: Engine;
  readonly effects: string[];
  /** Until the run has ended or asks. */
  readonly play: (run: RunId) => Promise<void>;
  readonly resume: (run: RunId) => Promise<RunId>;
};

export async function workflowWorld(
  onEffect: (label: string, engine: Engine) => void = () => undefined,
): Promise<WorkflowWorld> {
  const journal = new MemoryJournal(new MemoryDisk());
  const clock = new ManualClock(1_000_000);
  const effects: string[] = [];
  const record = ({ label }: { readonly label: string }): void => {
    effects.push(label);
    onEffect(label, engine);
  };
  const dance = loosePerformer('dance', async ({ run, key, input }, { cancelSignal }) => {
    record({ label: String(input['label']), ...{ run, key } });
    const isDone = await clock.sleep(10, cancelSignal);
    return { kind: isDone ? 'completed' : 'stopped' };
  });
  const engine: Engine = await EmbeddedEngine.open({
    ...{ journal, clock, random: seededRandom(1) },
    programs: [fakeProgram, workflowProgram],
    performers: [dance, ...workflowPerformers(journal, clock, record)],
    limits: [],
    onDefect: (_run, error) => assert.fail(String(error)),
  });
  const play = async (run: RunId): Promise<void> => {
    for (let step = 0; step < 300; step += 1) {
      await settle(4);
      const view = await engine.get(run);
      const isAsked = view?.open.some(({ command }) => command === 'ask') === true;
      if (view?.outcome !== null || isAsked) return;
      await clock.advance(5);
    }
    assert.fail('it does not end');
  };
  const resume = async (run: RunId): Promise<RunId> => {
    const point = await resumePoint(readRun(journal, run));
    assert.ok(point !== undefined);
    return engine.fork(run, point);
  };
  return { journal, engine, effects, play, resume };
}

export async function answer(engine: Engine, run: RunId, text: string): Promise<void> {
  const view = await engine.get(run);
  const question = view?.open.find(({ command }) => command === 'ask');
  assert.ok(question !== undefined, 'it asks');
  await engine.signal(run, { kind: 'answer', key: question.key, answer: text });
}
