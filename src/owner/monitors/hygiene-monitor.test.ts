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

class MonitorHarness {
  readonly clock = new ManualClock(NOW);
  readonly reports: string[] = [];
  readonly seen: string[] = [];
  faults = 0;

  async start(outputs: string, deleteAfterMs: number | null): Promise<Supervisor> {
    const child = hygieneChild({
      clock: this.clock,
      outputs,
      runState: async (run) => (run === ENDED ? 'ended' : 'unknown'),
      policy: async () => {
        if (this.faults-- > 0) throw new Error('the settings cannot be read');
        return { deleteAfterMs };
      },
      report: (report) => void this.reports.push(report),
      log: () => {},
    });
    const observe = ({ kind, id }: { kind: string; id: string }): void =>
      void this.seen.push(`${kind} ${id}`);
    return Supervisor.start({ children: [child] }, { clock: this.clock, observe });
  }

  /** Runs the next round, which reads a real disk. */
  async round(ms: number): Promise<string | undefined> {
    const before = this.reports.length + this.seen.length;
    await this.clock.advance(ms);
    await eventually('the round', () => this.reports.length + this.seen.length > before);
    return this.reports.at(-1);
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

function existing(dir: string): readonly boolean[] {
  return [ENDED, ORPHAN, YOUNG, 'not-a-run'].map((name) => existsSync(join(dir, name)));
}

describe('the hygiene monitor', () => {
  test('reports what it found every five minutes, and deletes nothing unless configured', async () => {
    await using dir = await home();
    const harness = new MonitorHarness();
    const supervisor = await harness.start(dir.path, null);
    const first = await harness.round(10_000);
    assert.match(first ?? '', /^keeps 1 ended run \(.*\), 2 orphans \(.*\)$/);
    assert.equal(await harness.round(300_000), first);
    assert.deepEqual(existing(dir.path), [true, true, true, true]);
    await supervisor.stop();
    assert.equal(harness.clock.sleeping, 0);
  });

  test('removes orphans of the configured age, once', async () => {
    await using dir = await home();
    const harness = new MonitorHarness();
    const supervisor = await harness.start(dir.path, 7 * DAY);
    assert.match((await harness.round(10_000)) ?? '', /1 deleted$/);
    assert.deepEqual(existing(dir.path), [true, false, true, true]);
    assert.doesNotMatch((await harness.round(300_000)) ?? '', /cleared/);
    assert.deepEqual(existing(dir.path), [true, false, true, true]);
    await supervisor.stop();
  });

  test('is restarted after a failure and checks again', async () => {
    await using dir = await home();
    const harness = new MonitorHarness();
    harness.faults = 1;
    const supervisor = await harness.start(dir.path, null);
    await harness.clock.advance(10_000);
    await eventually('the restart', () => harness.seen.length >= 4);
    assert.deepEqual(harness.seen, [
      'started hygiene',
      'exited hygiene',
      'restarting hygiene',
      'started hygiene',
    ]);
    assert.match((await harness.round(10_000)) ?? '', /^keeps 1 ended run/);
    await supervisor.stop();
  });
});
