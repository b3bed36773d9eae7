/**
 * A user who makes mistakes: a home, a project with history, and a shell that types one command. Each
 * case checks its end, and that the project is byte for byte as before.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { killTagged } from '../../../src/host/process/kill-tagged.ts';
import type { ClumsyEnd, ClumsyExpectation } from '../../support/clumsy-checks.ts';
import { checkClumsyEnd } from '../../support/clumsy-checks.ts';
import { CliHarness } from '../cli-process-harness.ts';
import { shellLine } from '../real-terminal.ts';

/** A command that needs longer than this hangs, also on a busy machine. */
const ENDS_WITHIN_MS = 120_000;
/** The content of a larger file is not read: its size and time are enough. */
const HASHED_BYTES_MAX = 1_000_000;
/** A user id that has no account. */
export const NO_ACCOUNT = 54_321;

export type ClumsyCase = ClumsyExpectation & {
  /** What the user does, as the end of the sentence "the command says so, if …". */
  readonly act: string;
  readonly args: readonly string[];
  /** Prepares files. Its result replaces the working folder. */
  readonly prepare?: (world: ClumsyWorld) => string | void | Promise<void>;
  readonly env?: (world: ClumsyWorld) => NodeJS.ProcessEnv;
  /** The shell text around the typed command, such as `${typed} <&-`. */
  readonly shell?: (typed: string, world: ClumsyWorld) => string;
  /** Runs the command as a user without an account. Only root can do that. */
  readonly asNobody?: true;
  /** Needs a mount in a namespace of its own, which only root can make. */
  readonly inNamespace?: true;
};

export class ClumsyWorld implements AsyncDisposable {
  readonly harness: CliHarness;

  private constructor(harness: CliHarness) {
    this.harness = harness;
  }

  static async create(config = ''): Promise<ClumsyWorld> {
    const harness = await CliHarness.create(config);
    chmodSync(harness.dir, 0o755); // for a user without an account
    const world = new ClumsyWorld(harness);
    writeFileSync(join(harness.project, 'a.txt'), 'mine\n');
    world.git(harness.project, 'init', '--quiet', '--initial-branch=main');
    world.git(harness.project, 'add', '.');
    world.git(harness.project, 'commit', '--quiet', '-m', 'first');
    return world;
  }

  get project(): string {
    return this.harness.project;
  }

  /** A path beside the project and the home. */
  at(name: string): string {
    return join(this.harness.dir, name);
  }

  git(cwd: string, ...args: readonly string[]): string {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', [...own, ...args], { cwd, encoding: 'utf8', stdio: [...stdio] });
  }

  /** A copy of the project with its history, under a new name. */
  clone(name: string, ...options: readonly string[]): string {
    this.git(this.harness.dir, 'clone', '--quiet', ...options, `file://${this.project}`, name);
    return this.at(name);
  }

  /** Types the command of a case. An end without a code was killed, because it took too long. */
  async type(one: ClumsyCase): Promise<ClumsyEnd> {
    const cwd = (await one.prepare?.(this)) ?? this.project;
    const typed = shellLine(this.harness.argv(one.args));
    const script = one.shell?.(typed, this) ?? typed;
    const [command, ...args] =
      one.inNamespace === true
        ? ['unshare', '--mount', '/bin/sh', '-c', script]
        : ['/bin/sh', '-c', script];
    const env = this.harness.env({ PWD: cwd, CI: undefined, ...one.env?.(this) });
    const child = spawn(command, args, {
      cwd,
      env,
      timeout: ENDS_WITHIN_MS,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(one.asNobody === true ? { uid: NO_ACCOUNT, gid: NO_ACCOUNT } : {}),
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        // An owner that was started keeps no stream open, so both streams end with the command.
        child.once('close', () => resolve({ code, out, err }));
      });
    });
  }

  /** The home still works, and after its owner has stopped no process is left. */
  async checkHome(): Promise<void> {
    const { code, stdout, stderr } = await this.harness.run(['status']);
    assert.equal(code, 0, stdout + stderr);
    assert.equal((await this.harness.run(['owner', 'stop'])).code, 0);
    assert.deepEqual(await killTagged(`supervisor:${this.harness.home.id}`), {
      killed: 0,
      left: 0,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.harness[Symbol.asyncDispose]();
  }
}

/** Without SUPERVISOR_HOME and a cache, as a new user has it. */
export function userHome(home: string | undefined): NodeJS.ProcessEnv {
  return {
    HOME: home,
    SUPERVISOR_HOME: undefined,
    NODE_COMPILE_CACHE: undefined,
    XDG_CACHE_HOME: undefined,
  };
}

/** A folder beside the project, with exactly this mode. */
export function folder(world: ClumsyWorld, name: string, mode: number): string {
  mkdirSync(world.at(name), { recursive: true });
  chmodSync(world.at(name), mode);
  return world.at(name);
}

/** One test for each case, all in one home, and one for the home afterwards. */
export function testClumsyCases(cases: readonly ClumsyCase[], config = ''): void {
  let opened: Promise<ClumsyWorld> | undefined;
  const open = (): Promise<ClumsyWorld> => (opened ??= ClumsyWorld.create(config));
  test.after(async () => (await opened)?.[Symbol.asyncDispose]());

  for (const one of cases)
    test(`${one.act}: the command says so`, async (context) => {
      const missing = missingFor(one);
      if (missing !== undefined) return context.skip(missing);
      const world = await open();
      const before = fingerprint(world.project);
      const end = await world.type(one);
      checkClumsyEnd(end, one);
      assert.deepEqual(fingerprint(world.project), before, 'the project has changed');
    });

  test('the home works afterwards, and no process is left', async () => {
    await (await open()).checkHome();
  });
}

function missingFor({ asNobody, inNamespace }: ClumsyCase): string | undefined {
  if (inNamespace === true && spawnSync('unshare', ['--mount', 'true']).status !== 0)
    return 'a mount can be made by root only';
  if (asNobody !== true) return undefined;
  if (process.getuid?.() !== 0) return 'only root can be another user';
  const script = process.argv[1] ?? '';
  const reached = spawnSync(process.execPath, ['-e', `require('fs').readFileSync('${script}')`], {
    uid: NO_ACCOUNT,
    gid: NO_ACCOUNT,
    cwd: '/',
  });
  return reached.status === 0 ? undefined : 'another user can not read this checkout';
}

/** Path, kind, mode and content of everything in a folder, `.git` included. */
export function fingerprint(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${name} ${describeEntry(join(root, name))}`);
}

function describeEntry(path: string): string {
  const found = lstatSync(path);
  const mode = found.mode.toString(8);
  if (found.isSymbolicLink()) return `${mode} ${readlinkSync(path)}`;
  if (!found.isFile()) return mode;
  if (found.size > HASHED_BYTES_MAX) return `${mode} ${found.size} ${found.mtimeMs}`;
  return `${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
}
