import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../host/system-clock.ts';
import { systemLuck } from '../host/system-luck.ts';
import { readTerminal } from '../host/terminal.ts';
import type { Face } from './face.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** This process as a face. */
export function processFace(): Face {
  const packageFile = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  const door = fileURLToPath(new URL('../../bin/supervisor.js', import.meta.url));
  return {
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
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
  };
}
