/** An owner inside this process, and a terminal that is only a value: commands without a process of their own. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at } from '../base/clock.ts';
import { seededLuck } from '../base/luck.ts';
import type { Face } from '../cli/face.ts';
import { runCommand } from '../cli/program.ts';
import { openInProcess } from '../client/in-process.ts';
import { homeAt } from '../host/home.ts';
import { newOwnerId } from '../host/owner-id.ts';
import { systemClock } from '../host/system-clock.ts';
import type { NewEvent } from '../protocol/event.ts';
import { SqliteJournal } from '../store/sqlite/sqlite-journal.ts';
import { tempDir } from './temp-dir.ts';

export type Said = { readonly code: number; readonly out: string; readonly err: string };
export type CommandDesk = AsyncDisposable & {
  /** The home, and the folder that commands are typed in. */
  readonly dir: string;
  readonly project: string;
  readonly say: (argv: readonly string[], wishes?: Partial<Face>) => Promise<Said>;
};

/** What an owner before this one has left in the journal. */
export type Earlier = {
  readonly stream: string;
  readonly at: number;
  readonly event: NewEvent;
};

async function writeEarlier(path: string, facts: readonly Earlier[]): Promise<void> {
  const journal = SqliteJournal.open(path);
  for (const { stream, event, at: when } of facts)
    await journal.append(stream, await journal.lastSeq(stream), [event], at(when));
  await journal.close();
}

export async function commandDesk(
  config = '',
  earlier: readonly Earlier[] = [],
  clock = systemClock,
): Promise<CommandDesk> {
  const dir = await tempDir();
  const project = await tempDir();
  await writeFile(join(dir.path, 'config.yaml'), config);
  const home = homeAt(dir.path, dir.path);
  if (earlier.length > 0) await writeEarlier(home.journal, earlier);
  const about = { version: '1.2.3', pid: process.pid, clock, node: process.execPath };
  const { serving } = await openInProcess({
    ...about,
    home,
    ownerId: newOwnerId(),
    luck: seededLuck(7),
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    env: {},
    log: () => {},
  });
  const say: CommandDesk['say'] = async (argv, wishes = {}) => {
    let [out, err] = ['', ''];
    const face: Face = {
      ...about,
      out: (text) => (out += text),
      err: (text) => (err += text),
      stdin: () => Promise.resolve('from stdin'),
      terminal: { isTty: false, width: 80, colour: false },
      cwd: project.path,
      env: { SUPERVISOR_HOME: dir.path },
      luck: seededLuck(1),
      ownerCommand: ['/bin/false'],
      onInterrupt: () => () => {},
      ...wishes,
    };
    return { code: await runCommand(argv, face), out, err };
  };
  return {
    dir: dir.path,
    project: project.path,
    say,
    [Symbol.asyncDispose]: async () => {
      await serving.close('the test is over');
      await dir[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}
