/**
 * How long the owner's event loop is silent while long histories are read: a home with many runs, one of
 * which has a million facts. SILENCE_RUNS and SILENCE_FACTS make it smaller.
 */
import { UsesBook } from '../src/attempts/uses-book.ts';
import { homeAt } from '../src/host/home.ts';
import { EVENT_VERSION, runStream } from '../src/protocol/event.ts';
import { foldRunView, storedView } from '../src/protocol/run-view.ts';
import type { RunView } from '../src/protocol/run-view.ts';
import type { StoredEvent } from '../src/protocol/event.ts';
import { createApp } from '../src/server/app.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { openTestOwner } from '../src/testing/test-owner.ts';
import { tempDir } from '../src/testing/temp-dir.ts';
import type { Figure } from './figure.ts';

const RUNS = Number(process.env['SILENCE_RUNS'] ?? 100_000);
const FACTS = Number(process.env['SILENCE_FACTS'] ?? 1_000_000);
const SILENCE_MS_MAX = 100;
const LONG = 'f'.repeat(10);
const PROJECT = '/bench/project';

export async function figures(): Promise<readonly Figure[]> {
  await using dir = await tempDir();
  fill(homeAt(dir.path, dir.path).journal);
  const owner = await openTestOwner(dir.path);
  const app = createApp(owner);
  const all: Figure[] = [];
  const ask = (name: string, path: string): Promise<void> =>
    measure(name, async () => {
      const response = await app.request(path);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    });
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const silence = new Silence();
    await silence.turn();
    const begun = performance.now();
    await work();
    const lasted = performance.now() - begun;
    await silence.turn();
    silence.over = true;
    all.push({
      name: `silence: ${name}`,
      value: silence.cpuMs,
      unit: 'ms',
      yardstick: `CPU between two turns at most; ${silence.wallMs.toFixed(0)} ms by the clock, answered in ${(lasted / 1000).toFixed(1)} s`,
      atMost: SILENCE_MS_MAX,
    });
  };
  try {
    await measure('first survey', () => new UsesBook(owner.journal).read());
    await ask('status', '/v1/runs?ended=false&limit=1000');
    await ask('list', '/v1/runs?limit=10000');
    await ask('events', '/v1/events?limit=10000');
    await ask('why', `/v1/runs/${LONG}/why`);
    await ask('result', `/v1/runs/${LONG}/result`);
    await ask('report', '/v1/report?since=0');
  } finally {
    await owner.close('measured');
  }
  return all;
}

/** The longest time between two turns of the loop: in CPU, which a busy machine does not stretch, and by the clock. */
class Silence {
  over = false;
  cpuMs = 0;
  wallMs = 0;
  #cpu = cpuNow();
  #wall = performance.now();

  constructor() {
    const look = (): void => {
      const [cpu, wall] = [cpuNow(), performance.now()];
      this.cpuMs = Math.max(this.cpuMs, cpu - this.#cpu);
      this.wallMs = Math.max(this.wallMs, wall - this.#wall);
      [this.#cpu, this.#wall] = [cpu, wall];
      if (!this.over) setImmediate(look);
    };
    setImmediate(look);
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** By direct writes: through an owner it would take an hour. */
function fill(path: string): void {
  const database = openDatabase(path);
  const insert = database.prepare(
    'INSERT INTO events (id, stream, seq, type, v, at, payload) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const put = database.prepare(
    'INSERT INTO runs (submission, id, project, submitted_at, ended_at, view) VALUES (?, ?, ?, ?, ?, ?)',
  );
  let id = 0;
  const write = (run: string, facts: Iterable<readonly [type: string, payload: unknown]>): void => {
    let [seq, first, view]: [number, number, RunView | undefined] = [0, id + 1, undefined];
    for (const [type, payload] of facts) {
      id += 1;
      seq += 1;
      const at = 1_700_000_000_000 + id;
      const event = { id, stream: runStream(run), seq, type, v: EVENT_VERSION, at, payload };
      insert.run(id, event.stream, seq, type, EVENT_VERSION, at, JSON.stringify(payload));
      view = foldRunView(view, event as StoredEvent);
    }
    if (view !== undefined)
      put.run(
        first,
        run,
        PROJECT,
        view.submittedAt,
        view.endedAt,
        JSON.stringify(storedView(view)),
      );
  };
  database.exec('BEGIN');
  write(LONG, longRun());
  for (let run = 1; run <= RUNS; run += 1) write(run.toString(16).padStart(10, '0'), shortRun());
  database.exec('COMMIT');
  database.close();
}

const submission = { program: 'attempts', task: 'do it', project: PROJECT, settings: {} };
const outcome = { kind: 'unverified', reason: 'done' };

function* shortRun(): Generator<readonly [string, unknown]> {
  yield ['run.submitted', submission];
  yield ['run.ended', { outcome }];
}

function* longRun(): Generator<readonly [string, unknown]> {
  yield ['run.submitted', submission];
  const agent = { id: 'main', cli: 'claude', args: [], env: {}, model: null };
  for (let facts = 1, attempt = 1; facts < FACTS - 4; facts += 4, attempt += 1) {
    const key = `attempt-${attempt}`;
    yield [
      'command.begun',
      { key, command: 'attempt', input: { agent, project: PROJECT }, limits: [] },
    ];
    yield ['command.noted', { key, note: { kind: 'started', pid: attempt } }];
    yield ['command.noted', { key, note: { kind: 'usage', tokens: attempt } }];
    const failed = { kind: 'failed', reason: 'crashed', message: 'it ended with 1' };
    yield ['command.ended', { key, end: { kind: 'done', result: failed } }];
  }
  yield ['run.ended', { outcome }];
}
