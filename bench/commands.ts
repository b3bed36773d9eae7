/**
 * The cost of the engine for a command that does nothing: begun and ended, both durable on SQLite,
 * and followed.
 */
import { commandKey } from '../src/base/ids.ts';
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts';
import type { Move, Program } from '../src/engine/program.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import { systemRandom } from '../src/host/machine/system-random.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { loosePerformer, submission } from '../test/support/run-event.ts';

type CommandFigures = { readonly commands: number; readonly msPerCommand: number };

const nothing = loosePerformer('nothing', async () => ({}));

/** One after the other, numbered as the commands of real programs are; the task is their number. */
const nothings: Program<{ readonly left: number; readonly ended: number }> = {
  name: 'nothings',
  version: 1,
  start: ({ task }) => ({ left: Number(task), ended: 0 }),
  fold: (state, { type }) => {
    if (type !== 'command.ended') return state;
    return { left: state.left - 1, ended: state.ended + 1 };
  },
  next: ({ left, ended }) => {
    if (left === 0)
      return [{ kind: 'finish', outcome: { kind: 'succeeded', reason: 'nothing was done' } }];
    const key = commandKey(`nothing-${ended + 1}`);
    return [{ kind: 'perform', key, command: 'nothing', input: {} } as unknown as Move];
  },
};

export async function figures(): Promise<readonly Figure[]> {
  const commands = await measureCommands(500);
  return [
    {
      name: 'durable no-op command',
      value: commands.msPerCommand,
      unit: 'ms',
      yardstick: 'begun and ended on SQLite',
      atMost: 1,
    },
  ];
}

async function measureCommands(commands: number): Promise<CommandFigures> {
  await using folder = await tempDir();
  const journal = SqliteJournal.open(`${folder.path}/journal.db`);
  const engine = await EmbeddedEngine.open({
    journal,
    clock: systemClock,
    random: systemRandom,
    programs: [nothings],
    performers: [nothing],
    limits: [],
    onDefect: (_run, error) => {
      throw error;
    },
  });
  const play = async (count: number): Promise<void> => {
    const written = { program: 'nothings', project: '/nowhere', settings: {} };
    const run = await engine.start(submission({ ...written, task: count.toString() }));
    for await (const event of engine.follow(run, 0, new AbortController().signal)) void event;
  };
  try {
    await play(Math.ceil(commands / 5)); // warm up: an owner is long-lived, so its first steps do not count
    const start = performance.now();
    await play(commands);
    return { commands, msPerCommand: (performance.now() - start) / commands };
  } finally {
    await engine.close();
    await journal.close();
  }
}
