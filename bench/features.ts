/**
 * Features. The decision of the scheduler with a thousand components, at the first and at the last of them. And four
 * independent components whose agents only sleep, one after the other and side by side.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { at } from '../src/base/clock.ts';
import { seededRandom } from '../src/base/random.ts';
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts';
import type { Performer } from '../src/engine/performer.ts';
import type { Move } from '../src/engine/program.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { featureProgram } from '../src/plan/feature-program.ts';
import { EVENT_VERSION } from '../src/protocol/event.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { fakeProgram, fakeSubmission } from '../src/testing/fakes/fake-program.ts';
import { workflowProgram } from '../src/workflow/workflow-program.ts';
import { begunCommand } from '../test/support/begun-command.ts';
import { featureSubmission, goesWell } from '../test/support/feature-world.ts';
import { loosePerformer, runEvent } from '../test/support/run-event.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const PHASES = 10;
const EACH = 100;
const CAPACITY = 8;
const SLEEP_MS = 1500;

export async function figures(): Promise<readonly Figure[]> {
  const { readMs, firstMs, lastMs, slowestMs } = decide();
  const serialMs = await build(1);
  const besideMs = await build(4);
  const of = `${PHASES * EACH} components`;
  return [
    { name: 'feature: reading its file', value: readMs, unit: 'ms', yardstick: of },
    {
      name: 'feature: a decision',
      value: slowestMs,
      unit: 'ms',
      yardstick: `${of}, p99 of all decisions with their fold`,
      atMost: 5,
    },
    {
      name: 'feature: late decisions',
      value: lastMs / firstMs,
      unit: '×',
      yardstick: `the last tenth beside the first, which takes ${firstMs.toFixed(2)} ms`,
      atMost: 1.5,
    },
    {
      name: 'feature: four side by side',
      value: serialMs / besideMs,
      unit: '×',
      yardstick: `one after the other takes ${serialMs.toFixed(0)} ms, with agents that sleep`,
      atLeast: 3.2,
    },
  ];
}

function phases(count: number, each: number): string {
  return Array.from({ length: count }, (_, p) => {
    const components = Array.from(
      { length: each },
      (_none, c) => `      - {id: c${c}, files: [p${p}/c${c}.ts]}`,
    );
    return `  - id: p${p}\n    components:\n${components.join('\n')}`;
  }).join('\n');
}

/** A whole feature without an engine: each decision, and the facts that follow from it. */
function decide() {
  const before = performance.now();
  const submission = featureSubmission({ phases: phases(PHASES, EACH), capacity: CAPACITY });
  const readMs = performance.now() - before;
  let state = featureProgram.start(submission);
  let seq = 1;
  const open: { readonly key: string; readonly command: string }[] = [];
  const write = (event: Parameters<typeof runEvent>[0]): void => {
    seq += 1;
    const fact = { id: seq, stream: 'run/a', seq, v: EVENT_VERSION, at: seq, ...runEvent(event) };
    state = featureProgram.fold(state, fact);
  };
  const times: number[] = [];
  const decideOnce = (): readonly Move[] => {
    const start = performance.now();
    const moves = featureProgram.next(state, at(seq), 0.5);
    times.push(performance.now() - start);
    return moves;
  };
  const known = new Set<string>();
  for (;;) {
    const moves = decideOnce();
    if (moves[0]?.kind === 'finish') break;
    for (const move of moves) {
      if (!('key' in move) || known.has(move.key)) continue;
      known.add(move.key);
      const { command, input } = begunCommand(move as Parameters<typeof begunCommand>[0]);
      open.push({ key: move.key, command });
      write({ type: 'command.begun', payload: { key: move.key, command, input, limits: [] } });
    }
    const [first] = open.splice(0, 1);
    if (first === undefined) throw new Error('it is stuck');
    const end = goesWell(first.key, first.command, false);
    const start = performance.now();
    write({ type: 'command.ended', payload: { ...first, end } });
    times[times.length - 1] = (times.at(-1) ?? 0) + performance.now() - start;
  }
  if (state.landed.length !== PHASES * EACH) throw new Error(`${state.landed.length} landed`);
  const tenth = Math.floor(times.length / 10);
  return {
    readMs,
    firstMs: median(times.slice(0, tenth)),
    lastMs: median(times.slice(-tenth)),
    slowestMs: times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN,
  };
}

/** The milliseconds of a whole feature on a durable journal. */
async function build(capacity: number): Promise<number> {
  await using folder = await tempDir();
  const journal = SqliteJournal.open(join(folder.path, 'journal.db'));
  const engine = await EmbeddedEngine.open({
    ...{ journal, clock: systemClock, random: seededRandom(1), limits: [] },
    programs: [fakeProgram, workflowProgram, featureProgram],
    performers: PERFORMERS,
    onDefect: (_run, error) => {
      throw error;
    },
  });
  try {
    const start = performance.now();
    const run = await engine.start(featureSubmission({ phases: phases(1, 4), capacity }));
    for await (const event of engine.follow(run, 0, new AbortController().signal)) void event;
    const taken = performance.now() - start;
    const outcome = (await engine.get(run))?.outcome;
    if (outcome?.kind !== 'succeeded') throw new Error(`it ended as ${JSON.stringify(outcome)}`);
    return taken;
  } finally {
    await engine.close();
    await journal.close();
  }
}

const POINT = { run: 'a', tree: 1, commit: 'c', content: 'c' };
const WORK = { ...POINT, commit: 'w', content: 'w', files: 1, added: 1, deleted: 0, names: ['f'] };

const PERFORMERS: readonly Performer[] = [
  loosePerformer('open-base', async () => ({ kind: 'opened', work: POINT })),
  loosePerformer('prepare-step', async () => ({
    kind: 'prepared',
    submission: fakeSubmission([{ perform: 'nothing' }]),
  })),
  loosePerformer('dance', async () => {
    await sleep(SLEEP_MS);
    return { kind: 'completed' };
  }),
  loosePerformer('collect-step', async () => ({
    ...{ answer: { status: 'SUCCESS' }, summary: '', work: WORK, base: POINT, failure: null },
  })),
  loosePerformer('merge-work', async () => ({ kind: 'merged', work: POINT, names: ['f'] })),
  loosePerformer('gate', async () => ({ kind: 'passed', name: 'test' })),
  loosePerformer('commit-work', async () => ({
    ...{ kind: 'committed', branch: 'b', commit: 'c', pullRequest: null },
  })),
];
