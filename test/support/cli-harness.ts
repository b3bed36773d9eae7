/**
 * Runs CLI commands inside this process, with an owner in the same process and a terminal that is a
 * plain value.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import type { CliContext } from '../../src/cli/cli-context.ts';
import { runCommand } from '../../src/cli/command-line.ts';
import type { OwnerOptions } from '../../src/owner/owner-options.ts';
import { openInProcess } from '../../src/client/in-process.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { newOwnerId } from '../../src/host/process/owner-id.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { tempDir } from './temp-dir.ts';

export type CommandOutput = { readonly code: number; readonly out: string; readonly err: string };
export type InProcessCli = AsyncDisposable & {
  /** The home, and the working directory of the commands. */
  readonly dir: string;
  readonly project: string;
  readonly say: (argv: readonly string[], options?: Partial<CliContext>) => Promise<CommandOutput>;
};

/** Facts that an earlier owner left in the journal. */
export type EarlierRun = {
  readonly stream: string;
  readonly at: number;
  readonly event: NewEvent;
};

async function writeEarlier(path: string, facts: readonly EarlierRun[]): Promise<void> {
  const journal = SqliteJournal.open(path);
  const last = new Map<string, number>();
  const written = facts.map(({ stream, event, at: when }) => {
    const seq = last.get(stream) ?? 0;
    last.set(stream, seq + 1);
    return journal.append(stream, seq, [event], at(when));
  });
  await Promise.all(written); // all in one commit
  await journal.close();
}

/** Facts, or a function that prepares the folders and returns the facts that belong to them. */
export type Earlier =
  | readonly EarlierRun[]
  | ((home: string, project: string) => Promise<readonly EarlierRun[]>);

export async function inProcessCli(
  config = '',
  earlier: Earlier = [],
  clock = systemClock,
  options: Partial<OwnerOptions> = {},
): Promise<InProcessCli> {
  const dir = await tempDir();
  const project = await tempDir();
  await writeFile(join(dir.path, 'config.yaml'), config);
  const home = homeAt(dir.path, dir.path);
  const facts = typeof earlier === 'function' ? await earlier(dir.path, project.path) : earlier;
  if (facts.length > 0) await writeEarlier(home.journal, facts);
  const about = { version: '1.2.3', pid: process.pid, clock, node: process.execPath };
  const { serving } = await openInProcess({
    ...about,
    home,
    ownerId: newOwnerId(),
    random: seededRandom(7),
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    scriptedInProject: true,
    env: {},
    log: () => {},
    ...options,
  });
  const print: InProcessCli['say'] = async (argv, options = {}) => {
    let [out, err] = ['', ''];
    const context: CliContext = {
      ...about,
      out: (text) => (out += text),
      err: (text) => (err += text),
      stdin: () => Promise.resolve('from stdin'),
      terminal: { isTty: false, width: 80, colour: false },
      cwd: project.path,
      env: { SUPERVISOR_HOME: dir.path },
      random: seededRandom(1),
      ownerCommand: ['/bin/false'],
      onInterrupt: () => () => {},
      onReaderGone: () => () => {},
      onKey: () => () => {},
      ...options,
    };
    return { code: await runCommand(argv, context), out, err };
  };
  return {
    dir: dir.path,
    project: project.path,
    say: print,
    [Symbol.asyncDispose]: async () => {
      await serving.close('the test is over');
      await dir[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}
