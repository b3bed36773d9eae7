/** Prunes a home with one running agent. Usage: prunes-lives.ts HOME RUN LIVES */
import type { RunId } from '../../../src/base/ids.ts';
import { realLeftovers } from '../../../src/owner/runs/prune-leftovers.ts';
import { Prune } from '../../../src/owner/runs/prune.ts';
import { systemClock } from '../../../src/host/machine/system-clock.ts';
import { which } from '../../../src/host/process/which.ts';
import { MemoryJournal } from '../../../src/store/memory/memory-journal.ts';
import { recordLives } from '../../support/agent-lives.ts';

const [home = '', run = '', lives = ''] = process.argv.slice(2);
const git = which('git', process.env) ?? 'git';
const journal = new MemoryJournal();
await recordLives(journal, run as RunId, Number(lives));
const { signal } = new AbortController();
const ports = { git, clock: systemClock, tag: `prunes:${process.pid}`, userHome: '/nonexistent' };
const prune = new Prune({
  leftovers: realLeftovers({ home, git: ports, journal: () => journal, signal }),
  journal: () => journal,
  signal,
  record: async () => void process.stdout.write('begun\n'),
});
process.stdout.write(`${JSON.stringify(await prune.prune(9e9))}\n`);
