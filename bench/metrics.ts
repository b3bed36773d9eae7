/** How long `supervisor metrics` takes over many attempts: the command itself, with its owner running. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { at } from '../src/base/clock.ts';
import { AttemptRecords } from '../src/owner/metrics/attempt-records.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import type { NewRunEvent } from '../src/protocol/event.ts';
import { runStream } from '../src/protocol/streams.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { attempt, begins, ended, ends, submitted } from '../test/support/run-history-fixture.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const ATTEMPTS = 100_000;
const RUNS_AT_ONCE = 200;
const SAMPLES = 7;
const COMMAND = fileURLToPath(new URL('../bin/supervisor.js', import.meta.url));

export async function figures(): Promise<readonly Figure[]> {
  await using folder = await tempDir();
  const journal = SqliteJournal.open(`${folder.path}/journal.db`);
  const now = systemClock.now();
  for (let nth = 0; nth < ATTEMPTS; nth += RUNS_AT_ONCE)
    await Promise.all(
      Array.from({ length: RUNS_AT_ONCE }, (_, more) => {
        const id = (nth + more).toString(16).padStart(10, '0');
        return journal.append(runStream(id), 0, facts(nth + more), at(now - ATTEMPTS + nth));
      }),
    );
  const ports = { journal: () => journal, clock: systemClock };
  const query = { since: 0, by: 'cli' } as const;
  const before = performance.now();
  const records = new AttemptRecords(ports);
  await records.metrics(query);
  const firstMs = performance.now() - before;
  const inOwner = await measure(() => records.metrics(query));
  const reopened = await measure(() => new AttemptRecords(ports).metrics(query));
  await journal.close();
  const env = { ...process.env, SUPERVISOR_HOME: folder.path };
  const say = (...words: readonly string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...words], { env });
    if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${String(stderr)}`);
  };
  say('up', '--detach');
  try {
    say('metrics');
    const command = await measure(async () => say('metrics', '--by', 'model'));
    const version = await measure(async () => say('owner', 'status'));
    const of = '100,000 attempts';
    return [
      { name: 'metrics: the owner', value: inOwner, unit: 'ms', yardstick: of, atMost: 300 },
      { name: 'metrics: a new owner', value: reopened, unit: 'ms', yardstick: of, atMost: 300 },
      {
        name: 'metrics: the command',
        value: command,
        unit: 'ms',
        yardstick: `${of}, all of it`,
        atMost: 300,
      },
      {
        name: 'owner status',
        value: version,
        unit: 'ms',
        yardstick: 'a command that asks the owner',
      },
      { name: 'metrics: without a snapshot', value: firstMs, unit: 'ms', yardstick: `${of}, once` },
    ];
  } finally {
    say('down');
  }
}

function facts(nth: number): readonly NewRunEvent[] {
  const cli = ['claude', 'codex', 'gemini'][nth % 3] ?? '';
  const red = nth % 4 === 0;
  return [
    submitted('t', { settings: { brief: { role: `role-${nth % 7}`, answer: 'implementation' } } }),
    attempt(1, cli),
    ends('attempt-1', {
      kind: 'completed',
      summary: 'done',
      usage: { inputTokens: 900, outputTokens: 90, costUsd: 0.02 },
    }),
    begins('gate-1-1', 'gate', { attempt: 1, name: 'test' }),
    ends(
      'gate-1-1',
      red ? { kind: 'failed', name: 'test', exit: 1, tail: '' } : { kind: 'passed', name: 'test' },
    ),
    ended(red ? 'failed' : 'succeeded', 'done'),
  ];
}

async function measure(act: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    const before = performance.now();
    await act();
    samples.push(performance.now() - before);
  }
  return median(samples);
}
