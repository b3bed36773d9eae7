/**
 * How long the owner's event loop is blocked while long histories are read: a home with many runs,
 * one of which has a million facts. SILENCE_RUNS and SILENCE_FACTS make it smaller.
 */
import { systemClock } from '../src/host/machine/system-clock.ts';
import { AgentUsageStore } from '../src/limits/agent-usage-store.ts';
import { homeAt } from '../src/host/machine/state-home.ts';
import { EVENT_VERSION } from '../src/protocol/event.ts';
import { runStream } from '../src/protocol/streams.ts';
import { foldRunView } from '../src/protocol/views/run-view.ts';
import { storedView } from '../src/protocol/views/stored-view.ts';
import type { RunView } from '../src/protocol/views/run-view.ts';
import type { RunEvent } from '../src/protocol/event.ts';
import { createApp } from '../src/server/app.ts';
import { checksumOfEvent, checksumOfRun } from '../src/store/checksum.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { openTestOwner } from '../test/support/test-owner.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';

const RUNS = Number(process.env['SILENCE_RUNS'] ?? 100_000);
const FACTS = Number(process.env['SILENCE_FACTS'] ?? 1_000_000);
const SILENCE_MS_MAX = 100;
const SUBMIT_ALONE = 9;
const SUBMIT_AT_ONCE = 200;
const LONG = 'f'.repeat(10);
const PROJECT = '/bench/project';

export async function figures(): Promise<readonly Figure[]> {
  await using dir = await tempDir();
  fill(homeAt(dir.path, dir.path).journal);
  const owner = await openTestOwner(dir.path);
  const app = createApp(owner);
  await using folder = await tempDir();
  const project = folder.path;
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
    await measure('first availability check', () =>
      new AgentUsageStore({ journal: owner.journal, clock: systemClock }).read(),
    );
    await ask('status', '/v1/runs?ended=false&limit=1000');
    await ask('list', '/v1/runs?limit=10000');
    await ask('events', '/v1/events?limit=10000');
    await ask('why', `/v1/runs/${LONG}/why`);
    await ask('result', `/v1/runs/${LONG}/result`);
    await ask('report', '/v1/report?since=0');
    await ask('why, asked again', `/v1/runs/${LONG}/why`);
    const submit = submitter(app, project);
    const alone = await median(SUBMIT_ALONE, submit);
    let slowest = 0;
    await measure(`${SUBMIT_AT_ONCE} submissions`, async () => {
      const all = await Promise.all(Array.from({ length: SUBMIT_AT_ONCE }, submit));
      slowest = Math.max(...all);
    });
    all.push({
      name: `slowest of ${SUBMIT_AT_ONCE} submissions`,
      value: slowest / (alone * SUBMIT_AT_ONCE),
      unit: '×',
      yardstick: `the time of as many one after the other; ${slowest.toFixed(0)} ms, one alone ${alone.toFixed(1)} ms`,
      atMost: 1,
    });
  } finally {
    await owner.close('measured');
  }
  return all;
}

/** Submits a run, and resolves with the time of its answer. */
function submitter(app: ReturnType<typeof createApp>, project: string): () => Promise<number> {
  const body = JSON.stringify({ task: 'bench', project, agent: 'scripted:never-speaks', set: [] });
  const headers = { 'content-type': 'application/json' };
  return async () => {
    const begun = performance.now();
    const response = await app.request('/v1/runs', { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`a submission: ${await response.text()}`);
    return performance.now() - begun;
  };
}

async function median(times: number, measured: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push(await measured());
  return all.toSorted((one, other) => one - other)[Math.floor(times / 2)] ?? Number.NaN;
}

/**
 * The longest time between two turns of the loop: in CPU, which a busy machine does not stretch,
 * and by the clock.
 */
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
    'INSERT INTO events (id, stream, seq, type, v, at, payload, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const put = database.prepare(
    'INSERT INTO runs (submission, id, project, submitted_at, ended_at, view, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  let id = 0;
  const write = (run: string, facts: Iterable<readonly [type: string, payload: unknown]>): void => {
    let [seq, first, view]: [number, number, RunView | undefined] = [0, id + 1, undefined];
    for (const [type, payload] of facts) {
      id += 1;
      seq += 1;
      const at = 1_700_000_000_000 + id;
      const event = { id, stream: runStream(run), seq, type, v: EVENT_VERSION, at, payload };
      const text = JSON.stringify(payload);
      const checksum = checksumOfEvent({ ...event, payload: text });
      insert.run(id, event.stream, seq, type, EVENT_VERSION, at, text, checksum);
      view = foldRunView(view, event as RunEvent);
    }
    if (view === undefined) return;
    const { submittedAt, endedAt } = view;
    const text = JSON.stringify(storedView(view));
    const cells = { submission: first, id: run, project: PROJECT, submittedAt, endedAt };
    const checksum = checksumOfRun({ ...cells, view: text });
    put.run(first, run, PROJECT, submittedAt, endedAt, text, checksum);
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
      {
        key,
        command: 'attempt',
        input: { agent, project: PROJECT, why: { kind: 'first' } },
        limits: [],
      },
    ];
    yield ['command.noted', { key, note: { kind: 'started', pid: attempt } }];
    yield ['command.noted', { key, note: { kind: 'usage', tokens: attempt } }];
    const failed = { kind: 'failed', reason: 'crashed', message: 'it ended with 1' };
    yield ['command.ended', { key, end: { kind: 'done', result: failed } }];
  }
  yield ['run.ended', { outcome }];
}
