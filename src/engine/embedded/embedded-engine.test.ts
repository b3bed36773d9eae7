import { seededLuck } from '../../base/luck.ts';
import { MemoryDisk, MemoryJournal } from '../../store/memory/memory-journal.ts';
import { engineConformance } from '../../testing/engine-conformance.ts';
import type { EngineWorld, MakeEngine } from '../../testing/engine-world.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { PuppetPerformer } from '../../testing/puppet-performer.ts';
import { puppetProgram } from '../../testing/puppet-program.ts';
import type { Limit } from '../limits.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

async function open(
  disk: MemoryDisk,
  clock: ManualClock,
  limits: readonly Limit[],
): Promise<EngineWorld> {
  const performer = new PuppetPerformer();
  const defects: unknown[] = [];
  let isDead = false;
  const engine = await EmbeddedEngine.open({
    journal: new MemoryJournal(disk),
    clock,
    luck: seededLuck(disk.events.length),
    programs: [puppetProgram],
    performers: [performer],
    limits,
    // What a dead owner would still have written is refused, and nobody hears of that.
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
    // The disk takes no more from the dead one once another is open, so closing it only frees it.
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
