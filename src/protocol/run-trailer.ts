/** The line of a commit that names the run whose work it has. */

export const RUN_TRAILER = 'Supervisor-Run';

/** The run that made a commit. Undefined: Supervisor did not make it. */
export function runOfMessage(message: string): string | undefined {
  const last = message.trimEnd().split('\n\n').at(-1) ?? '';
  return /^Supervisor-Run: ([0-9a-f]{10})$/m.exec(last)?.[1];
}
