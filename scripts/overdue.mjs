/**
 * Ends what would never end. The runner of node:test waits without bound for a file
 * whose tests are over but whose process, or a grandchild with its stdout, lives on; a silent hang
 * tells nobody anything. Past the bound it names the files and the processes still there, ends
 * those processes and the runner.
 */
import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';

const boundMs = Number(process.env.TEST_FILE_BOUND_S) * 1000;

/** Give it every event of the runner; `stop` when there are no more. */
export function watchOverdue() {
  const begun = new Map();
  const timer = setInterval(() => endOverdue(begun), 1000);
  timer.unref();
  return {
    // Files alone have events of their own while they run; what is inside them comes later, in order.
    see({ type, data }) {
      if (data.nesting !== 0 || data.name !== data.file) return;
      if (type === 'test:dequeue') begun.set(data.name, Date.now());
      if (type === 'test:complete') begun.delete(data.name);
    },
    stop: () => clearInterval(timer),
  };
}

const say = (line) => process.stdout.write(`${line}\n`);

function endOverdue(begun) {
  const late = [...begun].filter(([, at]) => Date.now() - at > boundMs).map(([file]) => file);
  if (late.length === 0) return;
  const below = descendants(process.pid);
  for (const file of late) {
    say(`✖ ${relative(process.cwd(), file)} did not end within ${boundMs / 1000} s`);
  }
  say(`  still running: ${below.length === 0 ? 'nothing of ours' : ''}`);
  for (const { pid, age, args } of below) say(`    ${pid} since ${age} ${args.slice(-200)}`);
  for (const { pid } of below) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
  process.exit(1);
}

function descendants(root) {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,etime=,args='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, age, ...args] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), age, args: args.join(' ') };
    })
    .filter(({ args }) => !args.startsWith('ps -eo'));
  const below = (parent) =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(root);
}
