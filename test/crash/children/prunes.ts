/** Prunes a home in which every run has ended. Usage: prunes.ts HOME */
import { realLeftovers } from '../../../src/owner/runs/prune-leftovers.ts';
import { Prune } from '../../../src/owner/runs/prune.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';
import { which } from '../../../src/host/process/which.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';

const [home = ''] = process.argv.slice(2);
const git = which('git', process.env) ?? 'git';
const journal = () => ({
  run: async () => ({ task: '', endedAt: 1, parent: null }) as RunView,
  runs: async () => [],
  readStream: async () => [],
});
const { signal } = new AbortController();
const ports = { git, clock: systemClock, tag: `prunes:${process.pid}`, userHome: '/nonexistent' };
const prune = new Prune({
  leftovers: realLeftovers({ home, git: ports, journal, signal }),
  journal,
  signal,
  record: async () => void process.stdout.write('begun\n'),
});
process.stdout.write(`${JSON.stringify(await prune.prune(2))}\n`);
