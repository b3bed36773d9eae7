import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ATTEMPT_REQUEST } from '../../../test/support/prepared-attempt.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import {
  edit,
  failed,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
import type { PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { watchTurns } from './attempt-turns.ts';

async function watch(project: string, steering: PinnedSteering): Promise<void> {
  const { signal } = new AbortController();
  const { context, watchFolder, end } = watchTurns(
    { ...ATTEMPT_REQUEST, input: { ...ATTEMPT_REQUEST.input, project, steering } },
    { cancelSignal: signal, killSignal: signal, note: async () => {} },
    { clock: new ManualClock(), treeFingerprint: async () => null },
  );
  watchFolder('/work', null);
  for (const record of recordsOf(turns(20, (nth) => turn(edit(`${nth}.ts`)))))
    await context.note({ kind: 'turn', turn: record });
  await end({ kind: 'completed', summary: '' });
}

async function loopFoundAt(endsLoops: boolean): Promise<readonly number[]> {
  const { signal } = new AbortController();
  const found: number[] = [];
  const { context } = watchTurns(
    ATTEMPT_REQUEST,
    {
      ...{ cancelSignal: signal, killSignal: signal },
      note: async (note) => {
        if (note.kind === 'anomaly') found.push(note.turn);
      },
    },
    {
      ...{ clock: new ManualClock(), treeFingerprint: async () => null },
      ...(endsLoops && { endsLoops }),
    },
  );
  for (const record of recordsOf(turns(5, () => turn(failed('make')))))
    await context.note({ kind: 'turn', turn: record });
  return found;
}

describe('the turns of an attempt', () => {
  test('are checked after every third, or after each if the CLI ends a loop itself', async () => {
    assert.deepEqual([await loopFoundAt(false), await loopFoundAt(true)], [[6], [4]]);
  });

  test('without an organization write no file and make no folder', async () => {
    await using dir = await tempDir();
    await mkdir(join(dir.path, '.supervisor', 'organization'), { recursive: true });
    await watch(dir.path, DEFAULT_STEERING);
    assert.deepEqual(await readdir(join(dir.path, '.supervisor', 'organization')), []);
  });

  test('of an organization are reported in the project, also if no detector is on', async () => {
    await using dir = await tempDir();
    const organization = join(dir.path, '.supervisor', 'organization');
    await mkdir(organization, { recursive: true });
    await watch(dir.path, {
      ...DEFAULT_STEERING,
      mode: 'off',
      organization: {
        ...{ id: 'dev', mode: 'microcosm', heartbeatSeconds: 30, routing: {}, roles: [SPECIALIST] },
      },
    });
    const text = await readFile(join(organization, 'reports', 'builder_latest.json'), 'utf8');
    const { status, activity } = JSON.parse(text);
    assert.deepEqual(
      [status.state, status.pace_level, activity.current_task],
      ['complete', 'primary', 'do it'],
    );
  });
});
