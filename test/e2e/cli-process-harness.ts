/**
 * A user with their own home and project, and as many terminals as a test needs. Commands run as
 * real processes.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import type { Home } from '../../src/host/machine/state-home.ts';
import { isAlive, processTable } from '../../src/host/process/process-table.ts';
import { killTagged } from '../../src/host/process/kill-tagged.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { OwnerDocument } from '../../src/public-json/machine-documents.ts';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { eventually } from '../support/eventually.ts';
import type { ShellResult } from './shell.ts';
import { checkout, userEnv } from './shell.ts';

const WITHIN_MS = 60_000;

/** All commands of one test file share compiled code, which is removed with it. */
const compiled = mkdtempSync(join(tmpdir(), 'supervisor-compiled-'));
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));

export type CliHarnessOptions = {
  readonly stdin?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The checkout that provides the command. */
  readonly from?: string;
};

type Schema<Value> = { readonly parse: (value: unknown) => Value };

export type Terminal = {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until its output, both streams together, matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<ShellResult & { readonly signal: NodeJS.Signals | null }>;
};

export class CliHarness implements AsyncDisposable {
  readonly dir: string;
  readonly project: string;
  readonly home: Home;
  readonly #terminals: ChildProcess[] = [];

  private constructor(dir: string) {
    this.dir = dir;
    this.project = join(dir, 'project');
    this.home = homeAt(join(dir, 'home'), dir);
  }

  static async create(config = ''): Promise<CliHarness> {
    const harness = new CliHarness(
      await realpath(await mkdtemp(join(tmpdir(), 'supervisor-cli-'))),
    );
    await mkdir(harness.project);
    await mkdir(harness.home.dir, { mode: 0o700 });
    if (config !== '') await harness.configure(config);
    return harness;
  }

  configure(config: string): Promise<void> {
    return writeFile(join(this.home.dir, 'config.yaml'), config);
  }

  env(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return userEnv({
      SUPERVISOR_HOME: this.home.dir,
      NODE_COMPILE_CACHE: compiled,
      XDG_RUNTIME_DIR: this.dir,
      NO_COLOR: '1',
      ...more,
    });
  }

  /** The words of a command line, for programs that take it as one text. */
  argv(args: readonly string[], from = checkout): readonly [string, ...string[]] {
    return [process.execPath, join(from, 'bin/supervisor.js'), ...args];
  }

  /** Types a command in a new terminal. */
  type(args: readonly string[], { stdin = '', env, cwd, from }: CliHarnessOptions = {}): Terminal {
    return this.open(this.argv(args, from), stdin, env, cwd);
  }

  /** Starts any program in a new terminal; without `stdin` its input stays open. */
  open(
    [command, ...args]: readonly [string, ...string[]],
    stdin?: string,
    env?: NodeJS.ProcessEnv,
    cwd = this.project,
  ): Terminal {
    const child = spawn(command, args, { cwd, env: this.env(env) });
    this.#terminals.push(child);
    let [stdout, stderr, all, closed] = ['', '', '', false];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      all += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      all += text;
    });
    child.stdin.on('error', () => {}); // it need not read
    if (stdin !== undefined) child.stdin.end(stdin);
    const { promise: ended, resolve, reject } = Promise.withResolvers<Awaited<Terminal['ended']>>();
    child.once('error', reject);
    child.once('close', (code, signal) => {
      closed = true;
      resolve({ code, signal, stdout, stderr });
    });
    return {
      child,
      stdout: () => stdout,
      stderr: () => stderr,
      ended,
      shows: async (pattern) => {
        const what = `${args.join(' ')} shows ${String(pattern)}`;
        const isOver = (): boolean => pattern.test(all) || closed;
        await eventually(what, isOver, WITHIN_MS).catch(() => undefined); // reported below, with more detail
        return pattern.exec(all) ?? assert.fail(`${what}; it showed:\n${all}`);
      },
    };
  }

  /** Types a command and waits for its end. */
  async run(args: readonly string[], options: CliHarnessOptions = {}): Promise<ShellResult> {
    const { code, stdout, stderr } = await this.type(args, options).ended;
    return { code, stdout, stderr };
  }

  /** The JSON output of the command, which must succeed and fit the schema. */
  async json<Value>(schema: Schema<Value>, args: readonly string[]): Promise<Value> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    assert.equal(code, 0, `${stdout}${stderr}`);
    return schema.parse(JSON.parse(stdout));
  }

  /** The runs that `status` lists with these words. */
  async runs(...words: readonly string[]): Promise<StatusDocument['runs']> {
    return (await this.json(StatusDocument, ['status', ...words])).runs;
  }

  async stateOf(run: string): Promise<string | undefined> {
    return (await this.runs(run))[0]?.state;
  }

  /** The stored facts. */
  async events(run?: string): Promise<StoredEvent[]> {
    const args = run === undefined ? ['events'] : ['events', '--run', run];
    const { stdout } = await this.run([...args, '--raw']);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as StoredEvent);
  }

  /** The running owner, by its own report. */
  async ownerPid(): Promise<number | undefined> {
    const { owner } = await this.json(OwnerDocument, ['owner', 'status']);
    return owner?.pid;
  }

  /** Kills the owner as the kernel would, and waits until it is gone. */
  async killOwner(): Promise<void> {
    const pid = this.#ownerInFile() ?? assert.fail('no owner is up');
    process.kill(pid, 'SIGKILL');
    await gone([pid]);
  }

  #ownerInFile(): number | undefined {
    const facts = parseJson(readIfThere(this.home.ownerFile));
    return isRecord(facts) ? Number(facts['pid']) : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#terminals) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    }
    const pid = this.#ownerInFile();
    if (pid !== undefined && (await isOwner(pid))) {
      process.kill(pid, 'SIGKILL');
      await gone([pid]);
    }
    await killTagged(`supervisor:${this.home.id}`);
    await rm(this.dir, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A pid from a file may belong to another process by now. */
async function isOwner(pid: number): Promise<boolean> {
  const row = (await processTable.rows()).find((one) => one.pid === pid);
  if (row === undefined) return false;
  return /supervisor\.js/.test(readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // gone is an answer here
  }
}

export async function livingOf(pids: readonly number[]): Promise<number[]> {
  const rows = await processTable.rows();
  return rows.filter((row) => pids.includes(row.pid) && isAlive(row)).map(({ pid }) => pid);
}

export async function gone(pids: readonly number[]): Promise<void> {
  await eventually(
    `the end of ${pids.join(', ')}`,
    async () => (await livingOf(pids)).length === 0,
    WITHIN_MS,
  );
}

/** The `{"pids":[…]}` that a scripted agent prints. */
export function pidsIn(text: string): number[] {
  const found = [...text.matchAll(/\{"pids":\[(\d+),(\d+)\]\}/g)].at(-1);
  return found === undefined ? [] : [Number(found[1]), Number(found[2])];
}
