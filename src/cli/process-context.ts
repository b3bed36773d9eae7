import { text } from 'node:stream/consumers';
import { ownerCommand, version } from '../client/package-info.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { readTerminal } from '../host/output/terminal.ts';
import type { CliContext } from './cli-context.ts';
import { CTRL_C, watchKeys } from './demo/keys.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The context of this process: its streams, environment, clock and signals. */
export function processContext(): CliContext {
  return {
    out: (written) => void process.stdout.write(written),
    err: (written) => void process.stderr.write(written),
    stdin: () => text(process.stdin),
    terminal: readTerminal(process.stdout, process.env),
    cwd: process.cwd(),
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
    onInterrupt: (listener) => {
      for (const signal of SIGNALS) process.on(signal, listener);
      return () => {
        for (const signal of SIGNALS) process.off(signal, listener);
      };
    },
  };
}
