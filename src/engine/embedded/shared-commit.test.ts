import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../base/random.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { FakeProgramState } from '../../testing/fakes/fake-program.ts';
import { fakeProgram, fakeSubmission } from '../../testing/fakes/fake-program.ts';
import { loosePerformer } from '../../../test/support/run-event.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

/** The facts of a run, those of one append on one line. Each of its commands ends at once. */
async function appendsOf(stages: readonly FakeProgramState[]): Promise<readonly string[]> {
  const journal = new MemoryJournal();
  const appends: string[] = [];
  const append = journal.appendAll.bind(journal);
  journal.appendAll = (all, at) => {
    appends.push(all.map(({ events }) => events.map(describeFact).join(', ')).join(' and '));
    return append(all, at);
  };
  const over = Promise.withResolvers<void>();
  const engine = await EmbeddedEngine.open({
    ...{ journal, clock: new ManualClock(), random: seededRandom(1), programs: [fakeProgram] },
    performers: [loosePerformer('dance', async () => ({}))],
    limits: [{ key: 'stage', concurrencyMax: 1 }],
    onEnded: (run) => void journal.run(run).then((view) => view?.parent === null && over.resolve()),
    onBroken: () => over.resolve(),
    onDefect: () => {},
  });
  await engine.start(fakeSubmission(...stages));
  await over.promise;
  await engine.close();
  return appends;
}

function describeFact({ type, payload }: { type: string; payload: object }): string {
  return 'key' in payload ? `${type} ${String(payload.key)}` : type;
}

const SUBMITTED = 'run.submitted';
const limits = ['stage'];

describe('the end of a command', () => {
  const cases: [why: string, stages: readonly FakeProgramState[], appends: readonly string[]][] = [
    [
      'is written together with what follows from it',
      [[{ perform: 'a' }], [{ perform: 'b' }]],
      [
        `${SUBMITTED}, command.begun s0/0-1`,
        'command.ended s0/0-1, command.begun s1/0-1',
        'command.ended s1/0-1, run.ended',
      ],
    ],
    [
      'is written at once if other runs may want its slot',
      [[{ perform: 'a', limits }], [{ perform: 'b' }]],
      [
        SUBMITTED,
        'command.begun s0/0-1',
        'command.ended s0/0-1',
        'command.begun s1/0-1',
        'command.ended s1/0-1, run.ended',
      ],
    ],
    [
      'is written although the program then fails with a defect',
      [[{ perform: 'a' }], [{ fault: 'throw-in-next' }]],
      [`${SUBMITTED}, command.begun s0/0-1`, 'command.ended s0/0-1'],
    ],
    [
      'is written although nothing follows from it yet',
      [[{ perform: 'a' }], [{ fault: 'say-nothing' }]],
      [`${SUBMITTED}, command.begun s0/0-1`, 'command.ended s0/0-1'],
    ],
  ];
  for (const [why, stages, appends] of cases)
    test(why, async () => assert.deepEqual(await appendsOf(stages), appends));
});

describe('the first fact of a run', () => {
  const cases: [why: string, stages: readonly FakeProgramState[], appends: readonly string[]][] = [
    [
      'is written together with what the run begins with',
      [[{ perform: 'a' }]],
      [`${SUBMITTED}, command.begun s0/0-1`, 'command.ended s0/0-1, run.ended'],
    ],
    [
      'is written at once if the run may have to wait for a slot',
      [[{ perform: 'a', limits }]],
      [SUBMITTED, 'command.begun s0/0-1', 'command.ended s0/0-1', 'run.ended'],
    ],
    ['is written at once if the run begins with nothing', [], [SUBMITTED, 'run.ended']],
    [
      'is written although the program then fails with a defect',
      [[{ fault: 'throw-in-next' }]],
      [SUBMITTED],
    ],
    [
      'of a child is written together with its command',
      [[{ run: [[{ perform: 'b' }]] }]],
      [
        SUBMITTED,
        `command.begun s0/0-1 and ${SUBMITTED}, command.begun s0/0-1`,
        'command.ended s0/0-1, run.ended',
        'command.ended s0/0-1, run.ended',
      ],
    ],
    [
      'of a child is not written if its program rejects it',
      [[{ submission: { program: 'none', task: '', project: '/', settings: {} } }]],
      [SUBMITTED, 'command.begun s0/0-1', 'command.ended s0/0-1, run.ended'],
    ],
  ];
  for (const [why, stages, appends] of cases)
    test(why, async () => assert.deepEqual(await appendsOf(stages), appends));
});
