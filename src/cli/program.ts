/** The command line: which commands there are. What each does is in `commands/`, one file a command. */
import { Command, CommanderError } from 'commander';
import { Refusal, describeError } from '../base/errors.ts';
import { addEvents } from './commands/events.ts';
import { addLogs } from './commands/logs.ts';
import { addOwner } from './commands/owner.ts';
import { addRun } from './commands/run.ts';
import { addStatus } from './commands/status.ts';
import { addResume, addStop } from './commands/steer.ts';
import { EXIT } from './exit-codes.ts';
import type { Face } from './face.ts';
import { paint } from './face.ts';

/** A command ends by calling this with its exit code. */
export type Finish = (code: number) => void;

/** Runs one command line to its end. Resolves with the exit code; never rejects. */
export async function runCommand(argv: readonly string[], face: Face): Promise<number> {
  let code: number = EXIT.ok;
  const program = new Command('supervisor')
    .description('Runs AI coding agents the way an operating system runs processes.')
    .version(face.version)
    .exitOverride()
    .configureOutput({
      writeOut: face.out,
      writeErr: face.err,
      getOutHelpWidth: () => face.terminal.width,
    })
    .showHelpAfterError('Type a command with --help to see how it is used.');
  for (const add of [addRun, addStatus, addLogs, addStop, addResume, addEvents, addOwner]) {
    add(program, face, (ended) => (code = ended));
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return explain(face, error);
  }
}

function explain(face: Face, error: unknown): number {
  // Commander has said what is wrong already, or was only asked for help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Refusal) {
    const { code, message, hint } = error.data;
    face.err(`${paint(face, 'red', 'refused')} ${message}\n`);
    if (hint !== undefined) face.err(`${paint(face, 'dim', hint)}\n`);
    return code === 'usage.invalid' ? EXIT.usage : EXIT.failed;
  }
  face.err(`${paint(face, 'red', 'fault')} ${describeError(error)}\n`);
  if (error instanceof Error && error.stack !== undefined)
    face.err(`${paint(face, 'dim', error.stack)}\n`);
  face.err('This is a bug of ours: please report it with the lines above.\n');
  return EXIT.defect;
}
