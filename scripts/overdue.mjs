/**
 * Ends test files that hang. The runner of node:test waits without bound for a file that hangs, or
 * whose process stays alive after its tests, and prints nothing. Past the bound the file and its
 * processes are named and killed. The file then counts as failed, and the other files continue.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const boundMs = Number(process.env.TEST_FILE_BOUND_S) * 1000;

/** Pass it every event of the runner. `stop` returns the files that were killed. */
export function watchOverdue() {
  const begun = new Map();
  const ended = [];
  const timer = setInterval(() => {
    for (const [file, at] of begun) {
      if (Date.now() - at <= boundMs) continue;
      begun.delete(file);
      ended.push(file);
      end(file);
    }
  }, 1000);
  timer.unref();
  return {
    // Only files have events while they run. Events of the tests inside come later, in order.
    see({ type, data }) {
      if (data.nesting !== 0 || resolve(data.name ?? '') !== data.file) return;
      if (type === 'test:dequeue') begun.set(data.name, Date.now());
      if (type === 'test:complete') begun.delete(data.name);
    },
    stop() {
      clearInterval(timer);
      return ended;
    },
  };
}

const say = (line) => process.stdout.write(`${line}\n`);

function end(file) {
  const all = processes();
  const own = all.find(({ parent, args }) => parent === process.pid && args.endsWith(file));
  say(`✖ ${file} did not end within ${boundMs / 1000} s`);
  // Its process is over, and a process that we do not know holds its output open: we can't end that.
  if (own === undefined) process.exit(1);
  const tree = [own, ...below(own.pid, all)];
  for (const { pid, state, age, args } of tree)
    say(`    ${pid} ${state} since ${age} ${args.slice(-200)}`);
  for (const { pid } of tree.toReversed()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

function processes() {
  return execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,etime=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state, age, ...args] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state, age, args: args.join(' ') };
    });
}

const below = (parent, all) =>
  all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid, all)]);
