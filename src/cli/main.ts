/** The program: this process as a face. It sets the exit code and lets the process end by itself. */
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../host/system-clock.ts';
import { systemLuck } from '../host/system-luck.ts';
import { readTerminal } from '../host/terminal.ts';
import type { Face } from './face.ts';
import { runCommand } from './program.ts';

const packageFile = new URL('../../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
const door = fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url));

const face: Face = {
  out: (written) => void process.stdout.write(written),
  err: (written) => void process.stderr.write(written),
  stdin: () => text(process.stdin),
  terminal: readTerminal(process.stdout, process.env),
  cwd: process.cwd(),
  env: process.env,
  clock: systemClock,
  luck: systemLuck,
  pid: process.pid,
  node: process.execPath,
  ownerCommand: [process.execPath, door, 'owner', 'serve'],
  version,
  onInterrupt: (listener) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
    return () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
    };
  },
};

// A reader that has gone away (`| head`) is no reason for a stack trace.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCommand(process.argv.slice(2), face);
