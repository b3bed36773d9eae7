/** Makes room in a home in which every run is over. Usage: prunes.ts HOME */
import { Prune } from '../../../src/daemon/prune.ts';
import { systemClock } from '../../../src/host/system-clock.ts';
import { which } from '../../../src/host/which.ts';
import type { RunView } from '../../../src/protocol/run-view.ts';

const [home = ''] = process.argv.slice(2);
const git = which('git', process.env) ?? 'git';
const prune = new Prune({
  home,
  git: { git, clock: systemClock, tag: `prunes:${process.pid}`, userHome: '/nonexistent' },
  journal: () => ({
    run: async () => ({ task: '', endedAt: 1 }) as RunView,
    runs: async () => [],
    readStream: async () => [],
  }),
  say: async () => void process.stdout.write('begun\n'),
  signal: new AbortController().signal,
});
process.stdout.write(`${JSON.stringify(await prune.prune(2))}\n`);
