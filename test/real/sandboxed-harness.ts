/**
 * A user with a project under git, a key in the environment, and an owner whose agents are
 * contained.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { runCommand } from '../../src/cli/command-line.ts';
import { openInProcess } from '../../src/client/in-process.ts';
import type { Owner } from '../../src/owner/owner.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { newOwnerId } from '../../src/host/process/owner-id.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { OWNER_STREAM } from '../../src/protocol/streams.ts';
import { tempDir } from '../support/temp-dir.ts';

/** The real key: it is used outside, and must be nowhere inside. */
export const SECRET = 'sk-canary-only-outside-0123456789';

const VERSION = '1.2.3';

export class SandboxedHarness implements AsyncDisposable {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #path: string;
  #open: Awaited<ReturnType<typeof openInProcess>> | undefined;
  readonly #dir: AsyncDisposable;

  private constructor(root: string, dir: AsyncDisposable, options: SandboxedOptions) {
    this.root = root;
    this.project = join(root, 'project');
    this.home = join(root, 'home');
    this.#dir = dir;
    this.#env = options.env ?? {};
    this.#path = [...(options.path ?? []), process.env['PATH']].join(':');
  }

  static async create(options: SandboxedOptions = {}): Promise<SandboxedHarness> {
    const dir = await tempDir();
    const harness = new SandboxedHarness(await realpath(dir.path), dir, options);
    for (const name of ['project', 'home', 'user'])
      await mkdir(join(harness.root, name), { mode: 0o700 });
    await writeFile(join(harness.home, 'config.yaml'), JSON.stringify(options.config ?? {}));
    await writeFile(join(harness.project, 'README.md'), 'a project\n');
    harness.git('init', '--quiet');
    harness.git('add', '--all');
    harness.git('commit', '--quiet', '-m', 'first');
    await harness.openOwner();
    return harness;
  }

  get client(): Client {
    assert.ok(this.#open !== undefined);
    return this.#open.client;
  }

  get owner(): Owner {
    assert.ok(this.#open !== undefined);
    return this.#open.serving.owner;
  }

  async openOwner(): Promise<void> {
    const user = join(this.root, 'user');
    const agentEnv = { PATH: this.#path, HOME: user, TERM: 'dumb', NO_COLOR: '1' };
    this.#open = await openInProcess({
      ownerId: newOwnerId(),
      home: homeAt(this.home, this.root),
      version: VERSION,
      pid: process.pid,
      clock: systemClock,
      random: systemRandom,
      node: process.execPath,
      agentEnv,
      env: { ...agentEnv, ...this.#env },
      log: () => undefined,
    });
  }

  async closeOwner(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.serving.close('the test wants it');
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: this.project,
      encoding: 'utf8',
    });
  }

  async submit(
    agent: string,
    more: { unsafe?: boolean; once?: boolean; set?: string[] } = {},
  ): Promise<string> {
    const { id } = await this.client.submit({
      task: 'Write a file.',
      project: this.project,
      agent,
      ...more,
      set: ['sandbox.backend=bubblewrap', 'attempt.grace=5s', ...(more.set ?? [])],
    });
    return id;
  }

  /** All facts of a run, once it has ended. */
  async factsOf(run: string): Promise<readonly StoredEvent[]> {
    const facts: StoredEvent[] = [];
    for await (const fact of this.client.followRun(run, 0)) facts.push(fact);
    return facts;
  }

  /** Runs one command on a terminal that is a plain value, and returns its output. */
  async type(...argv: readonly string[]): Promise<string> {
    let shown = '';
    await runCommand(argv, {
      out: (text) => (shown += text),
      err: (text) => (shown += text),
      stdin: () => Promise.resolve(''),
      terminal: { isTty: false, width: 80, colour: false },
      cwd: this.project,
      env: { SUPERVISOR_HOME: this.home, XDG_RUNTIME_DIR: this.root },
      clock: systemClock,
      random: systemRandom,
      pid: process.pid,
      node: process.execPath,
      ownerCommand: ['/bin/false'],
      version: VERSION,
      onInterrupt: () => () => {},
      onReaderGone: () => () => {},
      onKey: () => () => {},
    });
    return shown;
  }

  async ownerFacts(): Promise<readonly string[]> {
    const facts = await this.client.events({ limit: 1000 });
    return facts.flatMap(({ stream, type }) => (stream === OWNER_STREAM ? [type] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeOwner();
    await this.#dir[Symbol.asyncDispose]();
  }
}

export type SandboxedOptions = {
  /** The first folders of PATH. */
  readonly path?: readonly string[];
  /** Additional variables of the owner's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: object;
};

export function notesOf(
  facts: readonly StoredEvent[],
  kind: string,
): readonly Record<string, unknown>[] {
  return facts.flatMap((fact) =>
    fact.type === 'command.noted' && fact.payload.note['kind'] === kind ? [fact.payload.note] : [],
  );
}

/** How the last attempt ended. */
export function resultOf(facts: readonly StoredEvent[]): Record<string, unknown> {
  const ended = facts.findLast(
    (fact) => fact.type === 'command.ended' && fact.payload.key.startsWith('attempt-'),
  );
  assert.ok(ended?.type === 'command.ended' && ended.payload.end.kind === 'done');
  return ended.payload.end.result;
}
