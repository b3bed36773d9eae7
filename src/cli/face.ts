/** What a command needs of the terminal it was typed in. One value, so that a test can be a terminal. */
import type { Clock } from '../base/clock.ts';
import type { Luck } from '../base/luck.ts';
import type { Terminal } from '../host/terminal.ts';

export type Face = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All of standard input. */
  readonly stdin: () => Promise<string>;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly luck: Luck;
  readonly pid: number;
  /** The Node that runs us. */
  readonly node: string;
  /** The command that becomes an owner of this home. */
  readonly ownerCommand: readonly [string, ...string[]];
  readonly version: string;
  /** Calls back on each Ctrl-C (or SIGTERM) until the returned function is called. */
  readonly onInterrupt: (listener: () => void) => () => void;
};

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Header bold, what is secondary dim, good green, bad red, waiting yellow, names cyan; nothing else. */
export function paint(face: Face, style: keyof typeof STYLES, text: string): string {
  return face.terminal.colour ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
}

/**
 * Text from an agent or a file, made safe to show: line ends and tabs stay, every other character
 * that steers a terminal, or turns the direction of the text, is shown as what it is.
 */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  const steering = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
  return text.replaceAll(steering, (control) => {
    if (control === '\r') return '';
    const code = control.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}
