/** What the engine costs a command that does nothing: begun and ended, both durable on SQLite. */
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts';
import type { Performer } from '../src/engine/performer.ts';
import { systemClock } from '../src/host/system-clock.ts';
import { systemLuck } from '../src/host/system-luck.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { puppetProgram, puppetSubmission } from '../src/testing/puppet-program.ts';
import { tempDir } from '../src/testing/temp-dir.ts';

export type CommandFigures = { readonly commands: number; readonly msPerCommand: number };

const nothing: Performer = { command: 'dance', perform: async () => ({}) };

export async function measureCommands(commands: number): Promise<CommandFigures> {
  await using folder = await tempDir();
  const journal = SqliteJournal.open(`${folder.path}/journal.db`);
  const engine = await EmbeddedEngine.open({
    journal,
    clock: systemClock,
    luck: systemLuck,
    programs: [puppetProgram],
    performers: [nothing],
    limits: [],
    onDefect: (_run, error) => {
      throw error;
    },
  });
  try {
    const stages = Array.from({ length: commands }, () => [{ perform: 'nothing' }]);
    const start = performance.now();
    const run = await engine.start(puppetSubmission(...stages));
    for await (const event of engine.follow(run, 0, new AbortController().signal)) void event;
    return { commands, msPerCommand: (performance.now() - start) / commands };
  } finally {
    await engine.close();
    await journal.close();
  }
}
