import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn } from '../../../test/support/turn-script.ts';
import { bash, edit, failed, recordsOf, turn, turns } from '../../../test/support/turn-script.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
import type { InjectedWords } from '../../steering/injector.ts';
import { TurnWatcher } from './turn-watcher.ts';

type Given = {
  readonly steering?: Partial<PinnedSteering>;
  readonly trees?: readonly (string | null)[];
  readonly reaches?: boolean;
};

async function watched(script: readonly ScriptedTurn[], given: Given = {}) {
  const notes: AttemptNote[] = [];
  const words: InjectedWords[] = [];
  let looks = 0;
  const { trees = ['same'], reaches = true } = given;
  const watcher = new TurnWatcher({
    run: '0123456789',
    steering: { ...DEFAULT_STEERING, ...given.steering },
    role: null,
    note: async (note) => void notes.push(note),
    fingerprint: async () => {
      looks += 1;
      return trees[Math.min(looks, trees.length) - 1] ?? null;
    },
    injector: {
      inject: async (one) => {
        words.push(one);
        return reaches ? 'sent' : 'undelivered';
      },
    },
  });
  await Promise.all(recordsOf(script).map((record) => watcher.take(record)));
  const found = notes.map((note) =>
    note.kind === 'anomaly' ? `${note.turn} ${note.detector} ${note.decision}` : note.kind,
  );
  return { found, words, looks, notes };
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
    const { found, words } = await watched(loop, { steering: STEER });
    assert.deepEqual(found, ['6 loop sent']);
    assert.deepEqual(
      words.map(({ conversation, text }) => [conversation, text.slice(0, 12)]),
      [['c', '[SUPERVISOR]']],
    );
  });

  test('records that there is no way to the agent', async () => {
    const { found } = await watched(loop, { steering: STEER, reaches: false });
    assert.deepEqual(found, ['6 loop undelivered']);
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

  test('counts a tree that is too large as unchanged', async () => {
    const { found } = await watched(same, { steering: { checkTurns: 1 }, trees: [null] });
    assert.deepEqual(found, ['7 stagnation shadow']);
  });

  test('keeps conversations apart', async () => {
    const notes: AttemptNote[] = [];
    const watcher = new TurnWatcher({
      ...{ run: 'r', steering: DEFAULT_STEERING, role: null },
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
      ...{ run: 'r', steering: DEFAULT_STEERING, role: null },
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
