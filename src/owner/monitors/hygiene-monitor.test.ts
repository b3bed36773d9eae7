import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Supervisor } from '../../supervision/index.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { hygieneChild } from './hygiene-monitor.ts';

const DAY = 86_400_000;
const NOW = 1000 * DAY;
const ENDED = 'aaaaaaaaaa';
const ORPHAN = 'bbbbbbbbbb';
const YOUNG = 'cccccccccc';

class Stage {
  readonly clock = new ManualClock(NOW);
  readonly said: string[] = [];
  readonly seen: string[] = [];
  faults = 0;

  async start(outputs: string, deleteAfterMs: number | null): Promise<Supervisor> {
    const child = hygieneChild({
      clock: this.clock,
      outputs,
      stateOf: async (run) => (run === ENDED ? 'ended' : 'unknown'),
      policy: async () => {
        if (this.faults-- > 0) throw new Error('the settings can not be read');
        return { deleteAfterMs };
      },
      say: (report) => void this.said.push(report),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  /** The next round, which reads a real disk. */
  async round(ms: number): Promise<string | undefined> {
    const before = this.said.length + this.seen.length;
    await this.clock.advance(ms);
    await eventually('the round', () => this.said.length + this.seen.length > before);
    return this.said.at(-1);
  }
}

async function home(): Promise<AsyncDisposable & { readonly path: string }> {
  const dir = await tempDir();
  for (const [run, ageMs] of [
    [ENDED, 9 * DAY],
    [ORPHAN, 8 * DAY],
    [YOUNG, 0],
    ['not-a-run', 9 * DAY],
  ] as const) {
    await mkdir(join(dir.path, run));
    await writeFile(join(dir.path, run, 'out'), 'x');
    const written = (NOW - ageMs) / 1000;
    await utimes(join(dir.path, run), written, written);
  }
  return dir;
}

function there(dir: string): readonly boolean[] {
  return [ENDED, ORPHAN, YOUNG, 'not-a-run'].map((name) => existsSync(join(dir, name)));
}

describe('the hygiene monitor', () => {
  test('says what it found every five minutes, and deletes nothing unless told to', async () => {
    await using dir = await home();
    const stage = new Stage();
    const supervisor = await stage.start(dir.path, null);
    const first = await stage.round(10_000);
    assert.match(first ?? '', /^keeps 1 ended runs \(.*\), 2 belong to nobody \(.*\)$/);
    assert.equal(await stage.round(300_000), first);
    assert.deepEqual(there(dir.path), [true, true, true, true]);
    await supervisor.stop();
    assert.equal(stage.clock.sleeping, 0);
  });

  test('clears away what belongs to nobody at the age that was named, once', async () => {
    await using dir = await home();
    const stage = new Stage();
    const supervisor = await stage.start(dir.path, 7 * DAY);
    assert.match((await stage.round(10_000)) ?? '', /1 cleared away$/);
    assert.deepEqual(there(dir.path), [true, false, true, true]);
    assert.doesNotMatch((await stage.round(300_000)) ?? '', /cleared/);
    assert.deepEqual(there(dir.path), [true, false, true, true]);
    await supervisor.stop();
  });

  test('that fails is restarted, and looks again', async () => {
    await using dir = await home();
    const stage = new Stage();
    stage.faults = 1;
    const supervisor = await stage.start(dir.path, null);
    await stage.clock.advance(10_000);
    await eventually('the restart', () => stage.seen.length >= 4);
    assert.deepEqual(stage.seen, [
      'started cleanup-daemon',
      'exited cleanup-daemon',
      'restarting cleanup-daemon',
      'started cleanup-daemon',
    ]);
    assert.match((await stage.round(10_000)) ?? '', /^keeps 1 ended runs/);
    await supervisor.stop();
  });
});
