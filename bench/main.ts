/**
 * `npm run bench [-- PART…] [--json] [--strict]`: speed as ratios inside one run, each with its
 * yardstick and its bar. `npm run bench -- bare [clis=claude,codex] [faults=500 error]`: the real
 * CLIs alone, beside the same under an owner. Run it on an idle machine: other load distorts the
 * figures.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';
import { isMet, line } from './figure.ts';

/** In the order of the output. */
const PARTS = {
  journal: () => import('./journal.ts'),
  commands: () => import('./commands.ts'),
  context: () => import('./context.ts'),
  spawn: () => import('./spawn.ts'),
  attempt: () => import('./attempt.ts'),
  sandbox: () => import('./sandbox.ts'),
  flood: () => import('./flood.ts'),
  startup: () => import('./startup.ts'),
  gateway: () => import('./gateway.ts'),
  steering: () => import('./steering.ts'),
  bombs: () => import('./bombs.ts'),
  owner: () => import('./owner.ts'),
  silence: () => import('./silence.ts'),
  agents: () => import('./agents.ts'),
  supervision: () => import('./supervision.ts'),
  workflow: () => import('./workflow.ts'),
  resume: () => import('./resume.ts'),
  workflows: () => import('./workflows.ts'),
  metrics: () => import('./metrics.ts'),
  features: () => import('./features.ts'),
  top: () => import('./top.ts'),
  dashboard: () => import('./dashboard.ts'),
} satisfies Record<string, () => Promise<{ figures: () => Promise<readonly Figure[]> }>>;
type Part = keyof typeof PARTS;

/** Each in its own process, so that the memory of one does not distort another. */
async function measured(part: Part): Promise<readonly Figure[]> {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, self, `part=${part}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`measuring ${part} ended with ${String(code)}`);
  return JSON.parse(output) as readonly Figure[];
}

function isPart(word: string): word is Part {
  return Object.hasOwn(PARTS, word);
}

async function bench(words: readonly string[]): Promise<void> {
  const flags = words.filter((word) => word.startsWith('--'));
  const named = words.filter((word) => !word.startsWith('--'));
  const unknown = [
    ...named.filter((word) => !isPart(word)),
    ...flags.filter((flag) => !['--json', '--strict'].includes(flag)),
  ];
  if (unknown.length > 0) {
    process.stderr.write(
      `There is no ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}, bare; flags: --json, --strict.\n`,
    );
    process.exitCode = 2;
    return;
  }
  const isJson = flags.includes('--json');
  const all: Figure[] = [];
  for (const part of named.length === 0 ? Object.keys(PARTS) : named) {
    if (!isPart(part)) continue;
    process.stderr.write(`measuring: ${part} …\n`);
    const figures = await measured(part);
    all.push(...figures);
    if (!isJson) process.stdout.write(`${figures.map(line).join('\n')}\n`);
  }
  if (isJson) process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  process.exitCode = flags.includes('--strict') && !all.every(isMet) ? 1 : 0;
}

async function bareTable(words: readonly string[]): Promise<void> {
  const { FAULTS } = await import('../test/real/fault-row.ts');
  const { CLIS } = await import('../test/real/sandboxed-clis.ts');
  const { measureBare, sayBare } = await import('./bare.ts');
  const given = words.filter((word) => word.includes('='));
  const named = (key: string): readonly string[] | undefined =>
    given
      .find((word) => word.startsWith(`${key}=`))
      ?.slice(key.length + 1)
      .split(',');
  const clis = CLIS.filter((cli) => named('clis')?.includes(cli) ?? true);
  const known: readonly string[] = [...CLIS, ...Object.keys(FAULTS)];
  const unknown = ['clis', 'faults']
    .flatMap((key) => named(key) ?? [])
    .filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no ${unknown.join(', ')}. Known: ${known.join(', ')}.\n`);
    process.exitCode = 2;
    return;
  }
  await measureBare(clis, named('faults'), (row) => process.stdout.write(`${sayBare(row)}\n`));
}

// The figures are about the owner. A copy of the project for each run would hide them.
process.env['SUPERVISOR_SCRIPTED_IN_PROJECT'] = '1';
const words = process.argv.slice(2);
const [first = ''] = words;
const alone = first.startsWith('part=') ? first.slice('part='.length) : '';
if (isPart(alone)) process.stdout.write(JSON.stringify(await (await PARTS[alone]()).figures()));
else if (first === 'bare') await bareTable(words.slice(1));
else await bench(words);
