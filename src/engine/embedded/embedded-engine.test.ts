import { seededRandom } from '../../base/random.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { engineConformance } from '../../testing/conformance/engine-conformance.ts';
import type { EngineUnderTest, MakeEngine } from '../../testing/conformance/engine-under-test.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { FakePerformer } from '../../testing/fakes/fake-performer.ts';
import { fakeProgram } from '../../testing/fakes/fake-program.ts';
import type { Limit } from '../limits.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

async function open(
  disk: MemoryDisk,
  clock: ManualClock,
  limits: readonly Limit[],
): Promise<EngineUnderTest> {
  const performer = new FakePerformer();
  const defects: unknown[] = [];
  let isDead = false;
  const engine = await EmbeddedEngine.open({
    journal: new MemoryJournal(disk),
    clock,
    random: seededRandom(disk.events.length),
    programs: [fakeProgram],
    performers: [performer],
    limits,
    // Late writes of a dead owner are refused, and those refusals are not reported.
    onDefect: (_run, error) => {
      if (!isDead) defects.push(error);
    },
    snapshotEvery: 3,
  });
  return {
    engine,
    clock,
    performer,
    defects,
    fill: (full) => void (disk.full = full),
    // Once another journal is open, the disk refuses writes of the dead engine. So closing it only frees it.
    crash: async () => {
      isDead = true;
      const next = await open(disk, clock, limits);
      await engine.close();
      return next;
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

const make: MakeEngine = (limits) => open(new MemoryDisk(), new ManualClock(), limits);

engineConformance('embedded', make);
