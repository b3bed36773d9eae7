import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn } from '../../../test/support/turn-script.ts';
import {
  bash,
  edit,
  failed,
  read,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { PinnedOrganization } from '../../protocol/contracts/organization-contract.ts';
import type { PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
import type { Injected, InjectedWords } from '../../steering/injector.ts';
import type { HealthyPeak } from '../../steering/learned-thresholds.ts';
import type { SteeringCase } from '../../reports/steering-report.ts';
import { steeringReport } from '../../reports/steering-report.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { RoleReports } from './role-reports.ts';
import { TurnWatcher } from './turn-watcher.ts';

type Given = {
  readonly steering?: Partial<PinnedSteering>;
  readonly trees?: readonly (string | null)[];
  readonly injected?: Injected;
  readonly verdict?: 'pays' | 'unclear';
  readonly healthy?: readonly HealthyPeak[];
};

async function watched(script: readonly ScriptedTurn[], given: Given = {}) {
  const notes: AttemptNote[] = [];
  const words: InjectedWords[] = [];
  let looks = 0;
  let pauses = 0;
  let asked = 0;
  let taught = 0;
  const { organization } = given.steering ?? {};
  const { trees = ['same'], injected = { kind: 'queued', message: 'aaaaaaaa' } } = given;
  const watcher = new TurnWatcher({
    run: '0123456789',
    attempt: 'attempt-1',
    steering: { ...DEFAULT_STEERING, ...given.steering },
    role: SPECIALIST.id,
    ...(organization !== undefined && {
      reports: new RoleReports({
        ...{ clock: new ManualClock(), organization, name: SPECIALIST.id, number: 1 },
        about: async () => ({ task: '', folder: '' }),
        note: async () => undefined,
        write: async () => undefined,
      }),
    }),
    note: async (note) => void notes.push(note),
    fingerprint: async () => {
      looks += 1;
      return trees[Math.min(looks, trees.length) - 1] ?? null;
    },
    injector: {
      inject: async (one) => {
        words.push(one);
        return injected;
      },
    },
    numbers: async () => {
      asked += 1;
      const rows = steeringReport(loopRuns(given.verdict === 'pays' ? 5 : 90));
      return { rows, channel: 'hook' };
    },
    healthy: async () => {
      taught += 1;
      return given.healthy ?? [];
    },
    pause: async () => {
      pauses += 1;
      notes.push({ kind: 'session', session: 'paused' });
    },
  });
  await Promise.all(recordsOf(script).map((record) => watcher.take(record)));
  const found = notes.map((note) =>
    note.kind === 'anomaly' ? `${note.turn} ${note.detector} ${note.decision}` : note.kind,
  );
  return { found, words, looks, notes, pauses, asked, taught };
}

/** A hundred runs that were told of a loop, of which so many failed, and a hundred that were not. */
function loopRuns(failing: number): readonly SteeringCase[] {
  return Array.from({ length: 200 }, (_, nth) => ({
    ...{ run: `${nth}`, detector: 'loop', model: 'some-model', channel: 'hook' },
    ...{ told: nth < 100, failed: nth < 100 ? nth < failing : nth < 190 },
  }));
}

const loop = turns(5, () => turn(failed('npm test')));
const same = turns(6, () => turn(bash('git status')));
const STEER = { mode: 'steer', heldOut: 0 } as const;

describe('a watcher of turns', () => {
  test('records an anomaly in shadow, and the agent hears nothing', async () => {
    const { found, words, notes } = await watched(loop);
    assert.deepEqual([found, words], [['6 loop shadow'], []]);
    assert.deepEqual(notes, [
      {
        kind: 'anomaly',
        detector: 'loop',
        conversation: 'c',
        turn: 6,
        model: 'some-model',
        decision: 'shadow',
        words: 'The same call failed 5 times with the same error (execution): Bash npm test.',
      },
    ]);
  });

  test('tells the agent in steer, in its conversation', async () => {
    const { found, words, notes } = await watched(loop, { steering: STEER });
    assert.deepEqual(found, ['6 loop sent']);
    assert.deepEqual(words, [
      {
        origin: 'steering',
        text: 'The same call failed 5 times with the same error (execution): Bash npm test. Do not repeat it; find out why it fails, or reach the goal another way. Seen in turns 2 to 6.',
        to: 'main',
        cause: 'attempt-1 c 6',
      },
    ]);
    const [note] = notes;
    assert.equal(note?.kind === 'anomaly' && note.message, 'aaaaaaaa');
  });

  const refused: [why: string, injected: Injected, rest: object][] = [
    ['there is no message', { kind: 'undelivered', why: 'w' }, { why: 'w' }],
    [
      'it waits for the next prompt',
      { kind: 'parked', message: 'bbbbbbbb', why: 'w' },
      { message: 'bbbbbbbb', why: 'w' },
    ],
  ];
  for (const [why, injected, rest] of refused)
    test(`records that the agent does not hear it: ${why}`, async () => {
      const { notes } = await watched(loop, { steering: STEER, injected });
      const where = { detector: 'loop', conversation: 'c', turn: 6, model: 'some-model' };
      const words = 'The same call failed 5 times with the same error (execution): Bash npm test.';
      assert.deepEqual(notes, [
        { kind: 'anomaly', ...where, decision: 'undelivered', ...rest, words },
      ]);
    });

  test('pauses the run after four messages about one emergency, once, after it is recorded', async () => {
    const script = turns(60, (nth) => turn(read(`${nth}`)));
    const organization: PinnedOrganization = {
      ...{ id: 'o', mode: 'microcosm', heartbeatSeconds: 30, roles: [SPECIALIST], routing: {} },
    };
    const steering = { ...STEER, organization, modes: { stall: 'off' } } as const;
    const { found, pauses, words } = await watched(script, { steering });
    const told = ['20', '23', '26', '29'].map((at) => `${at} pace-emergency sent`);
    assert.deepEqual(found, [...told, '32 pace-emergency paused', 'session']);
    assert.deepEqual([pauses, words.length], [1, 4]);
  });

  const numbered: [why: string, given: 'pays' | 'unclear', heldOut: number, found: string][] = [
    ['speaks if they say that it pays', 'pays', 0, '6 loop sent'],
    ['holds a run out even then', 'pays', 1, '6 loop held-out'],
    ['only watches if they are unclear', 'unclear', 0, '6 loop shadow'],
  ];
  for (const [why, verdict, heldOut, expected] of numbered)
    test(`asks for the numbers once in the mode auto, and ${why}`, async () => {
      const long = turns(11, () => turn(failed('npm test')));
      const { found, asked } = await watched(long, {
        steering: { mode: 'auto', heldOut },
        verdict,
      });
      assert.deepEqual([found[0], asked], [expected, 1]);
    });

  test('asks for no numbers while nothing is found', async () => {
    const { asked } = await watched(
      turns(20, (nth) => turn(edit(`${nth}.ts`))),
      { steering: { mode: 'auto' } },
    );
    assert.equal(asked, 0);
  });

  test('waits as long as healthy runs did, and reads them once', async () => {
    const peaks = { 'stall.turns': 0, 'stagnation.calls': 0, 'loop.repeats': 6 };
    const one: HealthyPeak = { model: 'some-model', domain: null, peaks };
    const long = turns(12, () => turn(failed('npm run x')));
    const healthy = Array.from({ length: 50 }, () => one);
    const steering = { modes: { 'tool-advice': 'off' } } as const;
    const { found, taught } = await watched(long, { healthy, steering });
    assert.deepEqual([found[0], taught], ['9 loop shadow', 1]);
    const { taught: never } = await watched(
      turns(9, (nth) => turn(edit(`${nth}.ts`))),
      {},
    );
    assert.equal(never, 0);
  });

  test('never reads the tree while the work goes well', async () => {
    const { looks } = await watched(
      turns(50, (nth) => turn(edit(`${nth}.ts`), bash(`check ${nth}`))),
    );
    assert.equal(looks, 0);
  });

  test('finds nothing if the tree has changed meanwhile', async () => {
    const script = [...same, ...same.slice(0, 2)];
    const still = await watched(script, { steering: { checkTurns: 1 } });
    assert.deepEqual(still.found, ['7 stagnation shadow']);
    const changed = await watched(script, { steering: { checkTurns: 1 }, trees: ['one', 'two'] });
    assert.deepEqual([changed.found, changed.looks], [[], 2]);
  });

  test('counts a tree that returns to what it was as unchanged', async () => {
    const script = Array.from({ length: 5 }, () => same).flat();
    const trees = ['one', 'two', 'one', 'two', 'one', 'two'];
    const { found } = await watched(script, { steering: { checkTurns: 1 }, trees });
    assert.equal(found[0], '13 stagnation shadow');
  });

  test('counts a tree that is too large as unchanged', async () => {
    const { found } = await watched(same, { steering: { checkTurns: 1 }, trees: [null] });
    assert.deepEqual(found, ['7 stagnation shadow']);
  });

  test('keeps conversations apart', async () => {
    const notes: AttemptNote[] = [];
    const watcher = new TurnWatcher({
      ...{ run: 'r', attempt: 'attempt-1', steering: DEFAULT_STEERING, role: null },
      note: async (note) => void notes.push(note),
      fingerprint: async () => null,
    });
    const script = turns(2, () => turn(failed('npm test')));
    for (const conversation of ['a', 'b', 'c'])
      for (const record of recordsOf(script, conversation)) await watcher.take(record);
    assert.deepEqual(notes, []);
  });

  test('records at most fifty notes', async () => {
    const { found } = await watched(turns(400, () => turn(failed('npm test'))));
    assert.equal(found.length, 50);
  });

  test('records its own defect once, and the attempt continues', async () => {
    const notes: AttemptNote[] = [];
    const watcher = new TurnWatcher({
      ...{ run: 'r', attempt: 'attempt-1', steering: DEFAULT_STEERING, role: null },
      note: async (note) => void notes.push(note),
      fingerprint: async () => {
        throw new Error('the disk is gone');
      },
    });
    for (const record of recordsOf([...same, ...same])) await watcher.take(record);
    assert.deepEqual(notes, [
      { kind: 'detector-defect', detector: 'watch', message: 'Error: the disk is gone' },
    ]);
  });
});
