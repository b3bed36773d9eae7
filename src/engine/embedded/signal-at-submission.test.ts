/** R3: a run can be read and can get signals before its start request has been answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { seededRandom } from '../../base/random.ts';
import type { EventIn, NewEventIn } from '../../protocol/streams.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { Instant } from '../../base/clock.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { fakeProgram, fakeSubmission } from '../../testing/fakes/fake-program.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

/** Facts are on the disk and visible to readers for a while before `append` resolves. */
class SlowJournal extends MemoryJournal {
  override async append<Name extends string>(
    stream: Name,
    lastSeq: number,
    events: readonly NewEventIn<Name>[],
    at: Instant,
  ): Promise<readonly EventIn<Name>[]> {
    const stored = await super.append(stream, lastSeq, events, at);
    await settle(3);
    return stored;
  }
}

for (const kind of ['pause', 'stop'] satisfies Signal['kind'][])
  test(`a run whose first fact is durable receives a ${kind}`, async () => {
    const defects: unknown[] = [];
    const engine = await EmbeddedEngine.open({
      journal: new SlowJournal(new MemoryDisk()),
      clock: new ManualClock(),
      random: seededRandom(1),
      programs: [fakeProgram],
      performers: [],
      limits: [],
      onDefect: (_, error) => defects.push(error),
    });
    const starting = engine.start(fakeSubmission([{ waitMs: 1000 }]));
    let seen: RunId | undefined;
    while (seen === undefined) {
      await settle(1);
      seen = (await engine.list({ limit: 1 }))[0]?.id as RunId | undefined;
    }
    await engine.signal(seen, { kind });
    assert.equal(await starting, seen);
    await settle(30);
    const view = await engine.get(seen);
    assert.deepEqual(
      [view?.pausedAt !== null, view?.outcome?.kind ?? null],
      kind === 'pause' ? [true, null] : [false, 'cancelled'],
    );
    assert.deepEqual(defects, []);
    await engine.close();
  });
