/** What a command needs of the terminal it was typed in. One value, so that a test can be a terminal. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Terminal } from '../host/output/terminal.ts';

export type CliContext = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All of standard input. */
  readonly stdin: () => Promise<string>;
  readonly terminal: Terminal;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly luck: Random;
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
export function paint(context: CliContext, style: keyof typeof STYLES, text: string): string {
  return context.terminal.colour ? `\u001B[${STYLES[style]}m${text}\u001B[0m` : text;
}

/** Controls; marks that turn the direction of text; and characters without a width, which could hide words. */
const STEERING =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/**
 * Text from an agent or a file, made safe to show: line ends and tabs stay, every other character
 * that steers a terminal, turns the direction of the text or can't be seen is shown as what it is.
 * The two joiners stay: languages and emoji are written with them.
 */
export function printable(text: string): string {
  return text.replaceAll(STEERING, (control) => {
    if (control === '\r') return '';
    const code = (control.codePointAt(0) ?? 0).toString(16);
    if (code.length > 4) return `\\u{${code}}`;
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
