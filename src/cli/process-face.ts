import { text } from 'node:stream/consumers';
import { ownerCommand, version } from '../client/this-package.ts';
import { systemClock } from '../host/system-clock.ts';
import { systemLuck } from '../host/system-luck.ts';
import { readTerminal } from '../host/terminal.ts';
import type { Face } from './face.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** This process as a face. */
export function processFace(): Face {
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
    ownerCommand,
    version,
    onInterrupt: (listener) => {
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
  };
}
