/** Everything that a command needs from its process: streams, terminal, environment, clock. Tests pass their own. */
import type { Clock } from '../base/clock.ts';
import { withLocalTimes } from '../base/format-time.ts';
import type { Random } from '../base/random.ts';
import { fitLines } from '../host/output/fit-lines.ts';
import type { Terminal } from '../host/output/terminal.ts';

export { printable } from '../base/printable.ts';

/**
 * Writes text for people: on a terminal, a line that is too long breaks between words. `verbatim` is for all other text,
 * which stays as it is: data for programs, the content of files, and the output of other programs.
 */
export type Write = (text: string, form?: 'verbatim') => void;

export type InterruptSignal = 'SIGINT' | 'SIGTERM';

export type CliContext = {
  readonly out: Write;
  readonly err: Write;
  /** All of standard input. */
  readonly stdin: () => Promise<string>;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The zone of the times on the screen, as an IANA name. Absent: that of this machine. */
  readonly timeZone?: string;
  readonly random: Random;
  readonly pid: number;
  /** The path of the Node binary that runs this program. */
  readonly node: string;
  /** The command that starts an owner. */
  readonly ownerCommand: readonly [string, ...string[]];
  readonly version: string;
  /** Calls back on each Ctrl-C (or SIGTERM) until the returned function is called. */
  readonly onInterrupt: (listener: (signal: InterruptSignal) => void) => () => void;
  /**
   * Calls back if the reader of standard output leaves, as `head` does, until the returned function is called. A command
   * that only shows something ends then. Any other command does its work to the end.
   */
  readonly onReaderGone: (listener: () => void) => () => void;
  /** Calls back when this key is pressed, without Enter, until the returned function is called. Ctrl-C still interrupts. */
  readonly onKey: (key: string, listener: () => void) => () => void;
  /** Asks the person to say yes. Absent: the question is asked at the terminal, if there is one. */
  readonly confirm?: (question: string) => Promise<boolean>;
};

/** Recorded texts name times in UTC. Here is the last place where each of them can become a local time. */
export function fittedWrite(
  write: (text: string) => void,
  terminal: () => Terminal,
  now: () => number,
): Write {
  return (given, form) => {
    if (form === 'verbatim') return write(given);
    const text = withLocalTimes(given, now());
    const { isTty, width } = terminal();
    write(isTty ? fitLines(text, width) : text);
  };
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Headers are bold, secondary text is dim, good is green, bad is red, waiting is yellow, names are cyan. */
export function paint(context: CliContext, style: keyof typeof STYLES, text: string): string {
  return context.terminal.colour ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
}
