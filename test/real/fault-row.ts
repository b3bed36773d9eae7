/**
 * One row of the table of faults: a real CLI in a sandbox meets one fault of its provider, and the
 * next real CLI of its chain finishes the work.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { Fault } from '../../src/testing/model-server/model-faults.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import packages from './package.json' with { type: 'json' };
import { BIN, CLIS, MODELS, providerEnv, shellThenFile } from './sandboxed-clis.ts';
import { notesOf, SECRET, SandboxedHarness } from './sandboxed-harness.ts';

/** The signal that it gets besides, once its call hangs. */
type Action = 'refuse' | 'stop' | 'next' | 'kill';

/** Each CLI has its own words for an empty answer. */
const BAD_ANSWER = ['invalid_output', 'network', 'overloaded'];

export const FAULTS: Readonly<
  Record<
    string,
    { readonly fault?: Fault; readonly deed?: Action; readonly reasons: readonly string[] }
  >
> = {
  '401 unauthorized': { fault: { kind: 'unauthorized' }, reasons: ['auth'] },
  '403 forbidden': { fault: { kind: 'forbidden' }, reasons: ['auth'] },
  '429 rate': { fault: { kind: 'rate-limit', retryAfterS: 90 }, reasons: ['rate_limited'] },
  '429 quota': { fault: { kind: 'quota' }, reasons: ['quota_exhausted', 'rate_limited'] },
  'retry-after: 3600': {
    fault: { kind: 'rate-limit', retryAfterS: 3600 },
    reasons: ['rate_limited'],
  },
  '500 error': { fault: { kind: 'server-error' }, reasons: ['overloaded', 'network'] },
  '503 unavailable': { fault: { kind: 'unavailable' }, reasons: ['overloaded'] },
  '529 overloaded': { fault: { kind: 'overloaded' }, reasons: ['overloaded'] },
  refused: { deed: 'refuse', reasons: ['network'] },
  'reset mid-stream': { fault: { kind: 'cut' }, reasons: ['network'] },
  'empty stream': { fault: { kind: 'empty' }, reasons: [...BAD_ANSWER, 'empty_answer'] },
  malformed: { fault: { kind: 'malformed-json' }, reasons: BAD_ANSWER },
  'hang + stop': { fault: { kind: 'hang' }, deed: 'stop', reasons: ['stopped'] },
  'hang + next': { fault: { kind: 'hang' }, deed: 'next', reasons: ['stopped'] },
  SIGKILL: { fault: { kind: 'hang' }, deed: 'kill', reasons: ['killed'] },
  'no finish reason': { fault: { kind: 'no-finish' }, reasons: BAD_ANSWER },
};

export type Row = {
  readonly cli: CliName;
  readonly version: string;
  readonly fault: string;
  /** How often it called the failing provider. */
  readonly requests: number;
  readonly exit: number | null;
  readonly reason: string;
  readonly next: CliName | null;
  /**
   * From the first bad answer, or the signal, to the start of the next agent; for a stop, to the
   * end.
   */
  readonly ms: number;
  /** The same from the last bad answer, which decided. */
  readonly decidedMs: number;
  /** From there to the end of its attempt. */
  readonly endMs: number;
  readonly outcome: string;
};

const PACKAGES: Readonly<Record<CliName, keyof typeof packages.dependencies>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  copilot: '@github/copilot',
  opencode: 'opencode-ai',
};

export class FaultHarness implements AsyncDisposable {
  readonly #harness: SandboxedHarness;
  readonly #bad: ModelServer;
  readonly #all: AsyncDisposable;

  private constructor(harness: SandboxedHarness, bad: ModelServer, all: AsyncDisposable) {
    this.#harness = harness;
    this.#bad = bad;
    this.#all = all;
  }

  /** One owner for all rows: its machine probes and its limits are shared, as in real use. */
  static async create(): Promise<FaultHarness> {
    await using stack = new AsyncDisposableStack();
    const bad = stack.use(
      await ModelServer.start({ keys: [SECRET], script: { steps: [{ text: 'Never said.' }] } }),
    );
    const good = stack.use(
      await ModelServer.start({
        keys: [SECRET],
        script: (view) => shellThenFile(nextOn(view.wire), 'echo ran >ran.txt', 'made.txt')(view),
      }),
    );
    const closed = `http://127.0.0.1:${await freePort()}`;
    const agent = (cli: CliName, name: string, url: string): object => ({
      id: `${cli}-${name}`,
      cli,
      env: providerEnv(url),
      ...(MODELS[cli] === null ? {} : { model: MODELS[cli] }),
    });
    const agents = CLIS.flatMap((cli) => [
      agent(cli, 'bad', bad.url),
      agent(cli, 'refused', closed),
      agent(cli, 'good', good.url),
    ]);
    const harness = stack.use(
      await SandboxedHarness.create({
        path: [BIN],
        config: { agents },
        env: providerEnv(good.url),
      }),
    );
    return new FaultHarness(harness, bad, stack.move());
  }

  async row(cli: CliName, fault: string): Promise<Row> {
    const { fault: done, deed: action, reasons } = FAULTS[fault] ?? assert.fail(fault);
    const next = nextOf(cli);
    const asked = this.#bad.journal().length;
    this.#bad.clearFaults();
    if (done !== undefined) this.#bad.inject({ fault: done });
    const first = `${cli}-${action === 'refuse' ? 'refused' : 'bad'}`;
    const { id } = await this.#harness.client.submit({
      task: 'Write a file.',
      project: this.#harness.project,
      chain: [first, `${next}-good`],
      ignoreCooldown: true,
      set: ['sandbox.backend=bubblewrap', 'attempt.grace=5s'],
    });
    const deedAt =
      action === undefined || action === 'refuse' ? null : await this.#do(action, id, asked);
    const facts = await this.#harness.factsOf(id);
    const requests = this.#bad.journal().slice(asked);
    const ends = facts.flatMap((fact) =>
      fact.type === 'command.ended' && fact.payload.key.startsWith('attempt-') ? [fact] : [],
    );
    const end = ends[0]?.payload.end;
    const result: Record<string, unknown> = end?.kind === 'done' ? end.result : {};
    const { reason: why, kind } = result as { readonly reason?: string; readonly kind?: string };
    const reason = why ?? kind ?? 'none';
    assert.ok(reasons.includes(reason), `${cli}, ${fault}: ${JSON.stringify(result)}`);
    const bad = requests.filter(({ answered }) => answered.kind === 'fault');
    const from = deedAt ?? bad[0]?.at ?? ends[0]?.at ?? 0;
    const to = action === 'stop' ? (facts.at(-1)?.at ?? 0) : startedAt(facts, 2);
    if (action !== 'stop') {
      const { files } = await this.#harness.client.diff(id);
      assert.deepEqual(
        files.map(({ path }) => path),
        ['made.txt', 'ran.txt'],
        `${cli}, ${fault}`,
      );
    }
    const last = facts.at(-1);
    return {
      ...{ cli, fault, reason, version: packages.dependencies[PACKAGES[cli]] },
      requests: requests.filter(({ kind }) => kind === 'main' || kind === 'sub').length,
      exit: typeof result['exit'] === 'number' ? result['exit'] : null,
      next: action === 'stop' ? null : next,
      ms: to - from,
      decidedMs: to - (deedAt ?? bad.at(-1)?.at ?? from),
      endMs: (ends[0]?.at ?? Number.NaN) - from,
      outcome: last?.type === 'run.ended' ? last.payload.outcome.kind : 'none',
    };
  }

  /** Once its call hangs. */
  async #do(action: 'stop' | 'next' | 'kill', run: string, asked: number): Promise<number> {
    const hangs = (): boolean =>
      this.#bad
        .journal()
        .slice(asked)
        .some(({ answered }) => answered.kind === 'fault');
    for (let tries = 0; !hangs(); tries += 1) {
      assert.ok(tries < 6000, 'it never asked its provider');
      await systemClock.sleep(20);
    }
    const at = systemClock.now();
    if (action !== 'kill') await this.#harness.client.signal(run, { kind: action });
    else {
      const facts = await this.#harness.client.events({ run });
      process.kill(Number(notesOf(facts, 'started')[0]?.['pid']), 'SIGKILL');
    }
    return at;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#all[Symbol.asyncDispose]());
  }
}

/** A different provider, so that its calls can be told apart by their wire format. */
function nextOf(cli: CliName): CliName {
  return cli === 'claude' ? 'codex' : 'claude';
}

function nextOn(wire: string): CliName {
  return wire === 'anthropic' ? 'claude' : 'codex';
}

function startedAt(facts: readonly StoredEvent[], attempt: number): number {
  const started = facts.filter(
    (fact) => fact.type === 'command.noted' && fact.payload.note['kind'] === 'started',
  );
  return started[attempt - 1]?.at ?? Number.NaN;
}

/** A port on which no process listens, at least for now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export function printRow({
  cli,
  version,
  fault,
  requests,
  exit,
  reason,
  next,
  ms,
  decidedMs,
  outcome,
}: Row): string {
  const then = next === null ? `${outcome} after` : `${next} starts after`;
  return `${cli} ${version} | ${fault} | ${requests} requests | exit ${exit} | ${reason} | ${then} ${seconds(ms)}, ${seconds(decidedMs)} after the last bad answer`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
