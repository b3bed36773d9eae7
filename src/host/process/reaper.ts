/**
 * The reaper outlives the owner so that no agent does. A small shell waits on a pipe whose other end only the owner
 * has. The owner may close it with a word. If the pipe ends without one, the owner has died, even by SIGKILL, and the
 * reaper kills everything that this owner started.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { checkTag, TAG_VARIABLE } from './process-table.ts';

const GOODBYE = 'goodbye';

/**
 * POSIX sh, because it should cost next to nothing while it waits. It has no tag itself, is in its own session, and
 * ignores the signals that are meant for the owner. A found process is killed with its group, which includes members
 * that cleared their environment. Two empty passes in a row are the end: between a pass and the kill a process may
 * have forked.
 * The shell may be stopped or starved at any line and continue minutes later, when another owner is running and pids
 * have been reused. So it searches for the tag of one owner, not of the home. Right before a kill it checks that the
 * pid still has its tag and its start time. In the line of /proc with the start time, the name of the process may
 * contain brackets and newlines.
 */
const SCRIPT = `
trap '' HUP INT TERM
read -r word
[ "$word" = ${GOODBYE} ] && exit 0
tag="${TAG_VARIABLE}=$1/"
if [ -r /proc/self/environ ]; then
  tagged() { grep -Fls "$tag" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done; }
  has_tag() { grep -Fqs "$tag" "/proc/$1/environ"; }
  start_of() {
    line=$(cat "/proc/$1/stat" 2>/dev/null)
    set -- \${line##*)}
    start=\${20}
  }
else
  tagged() { ps axeww -o pid=,command= | grep -F "$tag" | grep -Fv 'grep -F' | while read -r pid _; do echo "$pid"; done; }
  has_tag() { ps eww -o command= -p "$1" | grep -Fq "$tag"; }
  start_of() { start=$(ps -o lstart= -p "$1"); }
fi
pass=0
quiet=0
while [ "$quiet" -lt 2 ] && [ "$pass" -lt 200 ]; do
  pass=$((pass + 1))
  quiet=$((quiet + 1))
  for pid in $(tagged); do
    quiet=0
    start_of "$pid"
    before=$start
    has_tag "$pid" || continue
    start_of "$pid"
    [ -n "$start" ] && [ "$start" = "$before" ] && kill -KILL "-$pid" "$pid" 2>/dev/null
  done
  sleep 0.05 || sleep 1
done
`;

/** How long it may take to exit on request. It has nothing else to do. */
const GOODBYE_MS = 5000;

export class Reaper {
  readonly pid: number | undefined;
  readonly #child: ChildProcess;
  readonly #gone = Promise.withResolvers<void>();

  /** Kills everything tagged `<owner>/…` once this process ends without closing the reaper. */
  constructor(owner: string) {
    checkTag(owner);
    this.#child = spawn('/bin/sh', ['-c', SCRIPT, 'supervisor-reaper', owner], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.pid = this.#child.pid;
    this.#child.once('exit', () => this.#gone.resolve());
    this.#child.on('error', () => this.#gone.resolve()); // no /bin/sh: `isWatching` reports it
    this.#child.stdin?.on('error', () => {}); // it has died: `isWatching` reports it
    // It must not keep us alive, because its whole purpose is to outlive us.
    this.#child.unref();
    if (this.#child.stdin instanceof Socket) this.#child.stdin.unref();
  }

  get isWatching(): boolean {
    return (
      this.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
    );
  }

  /** Resolves when the reaper no longer watches: it was closed, or it was killed. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Closes the reaper: from here on, nothing is killed when we end. */
  async close(): Promise<void> {
    if (!this.isWatching) return;
    this.#child.ref();
    this.#child.stdin?.end(`${GOODBYE}\n`);
    await once(this.#child, 'exit', { signal: AbortSignal.timeout(GOODBYE_MS) });
  }
}
