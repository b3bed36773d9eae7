/** A workflow that was stopped or has failed, and is resumed: what was finished is not done again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { seededRandom } from '../base/random.ts';
import { EmbeddedEngine } from '../engine/embedded/embedded-engine.ts';
import { readRun } from '../engine/embedded/load-run.ts';
import type { Engine } from '../engine/engine.ts';
import { resumePoint } from '../engine/resume-point.ts';
import { MemoryDisk } from '../store/memory/memory-disk.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { fakeProgram } from '../testing/fakes/fake-program.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { loosePerformer } from '../../test/support/run-event.ts';
import { smallWorkflow, workflowPerformers } from '../../test/support/workflow-performers.ts';
import { workflowProgram } from './workflow-program.ts';

type World = {
  readonly engine: Engine;
  readonly effects: string[];
  /** Until the run has ended or asks. */
  readonly play: (run: RunId) => Promise<void>;
  readonly resume: (run: RunId) => Promise<RunId>;
};

async function makeWorld(onEffect: (label: string, engine: Engine) => void): Promise<World> {
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
  return { engine, effects, play, resume };
}

async function answer(engine: Engine, run: RunId, text: string): Promise<void> {
  const view = await engine.get(run);
  const question = view?.open.find(({ command }) => command === 'ask');
  assert.ok(question !== undefined, 'it asks');
  await engine.signal(run, { kind: 'answer', key: question.key, answer: text });
}

describe('a workflow that is resumed', () => {
  test('after a stop continues the step that was stopped, and repeats no other', async () => {
    let first: RunId | undefined;
    const { engine, effects, play, resume } = await makeWorld((label, engine) => {
      if (label === 'review by bob on v2' && first !== undefined) {
        void engine.signal(first, { kind: 'stop' });
        first = undefined;
      }
    });
    const run = await engine.start(smallWorkflow('one', 3));
    first = run;
    await play(run);
    assert.equal((await engine.get(run))?.outcome?.kind, 'cancelled');
    const before = effects.length;
    const fork = await resume(run);
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    const again = effects.slice(before).toSorted();
    assert.deepEqual(
      again.filter((label) => !label.startsWith('review by ')),
      ['collects review by ann on v2', 'collects review by bob on v2', 'commits v2'],
    );
    await engine.close();
  });

  test('after a person has rejected the work asks that person again', async () => {
    const { engine, effects, play, resume } = await makeWorld(() => undefined);
    const run = await engine.start(smallWorkflow('one', 3));
    await play(run);
    await answer(engine, run, 'reject: not today');
    await play(run);
    const { outcome } = (await engine.get(run)) ?? {};
    assert.equal(outcome?.reason, 'a person rejected the work at step look: not today');
    const before = effects.length;
    const fork = await resume(run);
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    assert.deepEqual(effects.slice(before), ['commits v2']);
    await engine.close();
  });
});
