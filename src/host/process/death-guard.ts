/**
 * Runs a command if this process dies, however it dies. A small shell outside of every sandbox waits on a pipe that
 * only we hold. A word on it means a normal end; its end without a word means that we are dead.
 */
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** One try per second, for as long as an engine may take to create what has to be removed. */
const TRIES_MAX = 60;

const SCRIPT = `read -r word && exit 0
tries=0
while [ "$tries" -lt ${TRIES_MAX} ]; do
  "$@" </dev/null >/dev/null 2>&1 && exit 0
  tries=$((tries + 1))
  sleep 1
done`;

export type DeathGuard = {
  /** The command is no longer needed. */
  readonly dismiss: () => void;
};

/**
 * `command` is repeated until it succeeds. `env` must not contain a tag, or the guard would be killed with the
 * processes it guards.
 */
export function guardAgainstDeath(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  shell: string,
): DeathGuard {
  const child = spawn(shell, ['-c', SCRIPT, 'supervisor-guard', ...command], {
    cwd: '/',
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // its own session, so that killing our group does not kill it
  });
  child.on('error', () => undefined); // without a guard, the lifeline inside and the next owner's cleanup still work
  // Node gives a child no stdin if too many open files prevented its start.
  const stdin = child.stdin as Writable | undefined;
  stdin?.on('error', () => undefined); // it was killed; see above
  child.unref();
  return { dismiss: () => void stdin?.end('over\n') };
}
