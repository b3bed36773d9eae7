/** R1: a program can't keep the owner from answering, whatever it does. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { seededRandom } from '../../base/random.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import type { FakeProgramFault } from '../../testing/fakes/fake-program.ts';
import { fakeProgram, fakeSubmission } from '../../testing/fakes/fake-program.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { BURST_MAX, LivelockError } from './pace.ts';

async function open(disk: MemoryDisk, broken: unknown[]): Promise<EmbeddedEngine> {
  return EmbeddedEngine.open({
    journal: new MemoryJournal(disk),
    clock: systemClock,
    random: seededRandom(disk.events.length),
    programs: [fakeProgram],
    performers: [],
    limits: [],
    onDefect: (_, error) => broken.push(error),
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a program in a livelock', () => {
  for (const fault of ['wait-in-circles', 'perform-in-circles'] satisfies FakeProgramFault[])
    test(`${fault}: requests are served meanwhile, and the run is halted in the end`, async () => {
      const disk = new MemoryDisk();
      const broken: unknown[] = [];
      const engine = await open(disk, broken);
      const run = await engine.start(fakeSubmission([{ fault }]));
      let most = 0;
      while (broken.length === 0) {
        const before = disk.events.length;
        await turn();
        most = Math.max(most, disk.events.length - before);
        assert.equal((await engine.get(run))?.id, run);
      }
      assert.ok(most < 20, `${most} facts in one turn of the event loop`);
      assert.ok(disk.events.length < 4 * BURST_MAX, `${disk.events.length} facts`);
      await assert.rejects(engine.driveAgain(run), LivelockError);
      await engine.signal(run, { kind: 'kill' });
      assert.equal((await engine.get(run))?.outcome?.kind, 'killed');
      await engine.close();
    });

  test('can be stopped', async () => {
    const broken: unknown[] = [];
    const engine = await open(new MemoryDisk(), broken);
    const run = await engine.start(fakeSubmission([{ fault: 'wait-in-circles' }]));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await engine.signal(run, { kind: 'stop' });
    await ended(engine, run);
    assert.deepEqual([(await engine.get(run))?.outcome?.kind, broken], ['cancelled', []]);
    await engine.close();
  });

  test('a journal full of its facts is opened by the next owner, and its run can be killed', async () => {
    const disk = new MemoryDisk();
    const broken: unknown[] = [];
    const first = await open(disk, broken);
    const run = await first.start(fakeSubmission([{ fault: 'wait-in-circles' }]));
    while (broken.length === 0) await turn();
    const next = await open(disk, broken);
    await first.close();
    await next.signal(run, { kind: 'kill' });
    await ended(next, run);
    assert.equal((await next.get(run))?.outcome?.kind, 'cancelled');
    await next.close();
  });
});

async function ended(engine: EmbeddedEngine, run: RunId): Promise<void> {
  const end = new AbortController();
  for await (const { type } of engine.follow(run, 0, end.signal)) if (type === 'run.ended') return;
}
