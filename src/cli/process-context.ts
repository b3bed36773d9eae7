import { isAbsolute, resolve } from 'node:path';
import { ownerCommand, version } from '../client/package-info.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { readTerminal } from '../host/output/terminal.ts';
import type { CliContext, Write } from './cli-context.ts';
import { fittedWrite } from './cli-context.ts';
import { CTRL_C, watchKeys } from './demo/keys.ts';
import { stdinReader } from './input/read-stdin.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The context of this process: its streams, environment, clock and signals. */
export function processContext(): CliContext {
  makeHomeAbsolute();
  return {
    out: writeTo(process.stdout),
    err: writeTo(process.stderr),
    stdin: stdinReader(process.stdin, writeTo(process.stderr)),
    /** Read at each use, because a person may change the size of the window. */
    get terminal() {
      return readTerminal(process.stdout, process.env);
    },
    cwd: currentFolder(),
    env: process.env,
    clock: systemClock,
    random: systemRandom,
    pid: process.pid,
    node: process.execPath,
    ownerCommand,
    version,
    onKey: (key, listener) => {
      const keys = watchKeys(process.stdin);
      keys.on(key, listener);
      keys.on(CTRL_C, () => process.kill(process.pid, 'SIGINT'));
      return keys.close;
    },
    onReaderGone: (listener) => {
      const heard = (error: NodeJS.ErrnoException): void => {
        if (isReaderGone(error)) listener();
      };
      process.stdout.on('error', heard);
      return () => process.stdout.off('error', heard);
    },
    onInterrupt: (listener) => {
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
  };
}

export function isReaderGone({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE';
}

/** The width is read at each write, because a person may change the size of the window. */
function writeTo(stream: NodeJS.WriteStream): Write {
  return fittedWrite(
    (text) => void stream.write(text),
    () => readTerminal(stream, process.env),
    () => systemClock.now(),
  );
}

/** After the folder was deleted, its former path: commands that need no folder work, and others name it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    const path = process.env['PWD'] ?? '';
    return isAbsolute(path) ? path : '/deleted-folder';
  }
}

/** A relative HOME would be another folder for each process, and an empty one means that there is none. */
function makeHomeAbsolute(): void {
  const home = process.env['HOME'];
  if (home === '') delete process.env['HOME'];
  else if (home !== undefined && !isAbsolute(home))
    process.env['HOME'] = resolve(currentFolder(), home);
}
