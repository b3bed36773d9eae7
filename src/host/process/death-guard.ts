/**
 * Runs a command if this process dies, however it dies. A small shell outside of everything that a
 * sandbox can reach waits on a pipe that only we hold: a word on it means a good end, its end without
 * a word means that we are dead.
 */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** Once a second, for as long as an engine may take to make what has to be removed. */
const TRIES_MAX = 60;

const SCRIPT = `read -r word && exit 0
tries=0
while [ "$tries" -lt ${TRIES_MAX} ]; do
  "$@" </dev/null >/dev/null 2>&1 && exit 0
  tries=$((tries + 1))
  sleep 1
done`;

export type DeathGuard = {
  /** The command is not needed any more. */
  readonly dismiss: () => void;
};

/** `command` is tried until it succeeds. `env` must not carry a tag, or the guard would be ended with what it guards. */
export function guardAgainstDeath(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  shell: string,
): DeathGuard {
  const child = spawn(shell, ['-c', SCRIPT, 'supervisor-guard', ...command], {
    cwd: '/',
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a session of its own: whatever ends our group leaves it alone
  });
  child.on('error', () => undefined); // without a guard there is still the lifeline inside, and the next owner's sweep
  // Node gives a child no stdin if there were too many open files to start it.
  const stdin = child.stdin as Writable | undefined;
  stdin?.on('error', () => undefined); // it was killed; as above
  child.unref();
  return { dismiss: () => void stdin?.end('over\n') };
}
