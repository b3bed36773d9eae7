/**
 * Root is not needed: an ordinary user types all of `supervisor run` in their own project. Real
 * CLIs finish their tool loop in a sandbox, a gate judges the work, the work is saved and applied,
 * and the key stays outside.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import type { ShellResult } from '../e2e/shell.ts';
import { namesBelow } from '../names-below.ts';
import type { TestEngine } from '../sandbox/docker-engine.ts';
import { containersOf, dockerEngine } from '../sandbox/docker-engine.ts';
import { asOrdinaryUser, isRoot, ORDINARY_UID } from '../sandbox/ordinary-user.ts';
import { missing } from '../sandbox/setup.ts';
import type { CliName } from './clis.ts';
import { BIN, isMissing, MODELS, providerEnv, shellThenFile } from './sandboxed-clis.ts';
import { notesOf, resultOf, SECRET } from './sandboxed-harness.ts';

const TIMEOUT_MS = 300_000;
const CLIS = ['claude', 'codex'] as const;
const UID = isRoot ? ORDINARY_UID : (process.geteuid?.() ?? 0);
/** Every environment that a process inside can see, including the agent's own. */
const LINE = String.raw`(env; for one in /proc/[0-9]*/environ; do tr '\0' '\n' <$one; done) >seen-env.txt; id -u >who.txt`;

let engine: TestEngine | undefined;
/**
 * A place where every user finds the CLIs, and a container engine too: it does not see our mounts.
 */
const installed = mkdtempSync(join(tmpdir(), 'supervisor-installed-'));
const modules = join(installed, 'node_modules');
before(async () => {
  engine = await dockerEngine((why) => missing(`docker (${why})`));
  mkdirSync(modules);
  for (const path of [installed, modules]) chmodSync(path, 0o755);
  for (const path of ['.bin', '@anthropic-ai', '@openai']) copyAll(join(dirname(BIN), path));
});
after(async () => {
  await engine?.[Symbol.asyncDispose]();
  rmSync(installed, { recursive: true, force: true });
});

/** A few hundred megabytes: hard links to the same files if possible. */
function copyAll(from: string): void {
  if (!existsSync(from)) return; // reported by the test that needs it
  const linked = spawnSync('cp', ['--archive', '--link', from, modules]);
  if (linked.status !== 0) execFileSync('cp', ['--archive', '--force', from, modules]);
}

type User = AsyncDisposable & {
  readonly harness: CliHarness;
  readonly type: (...words: readonly string[]) => Promise<ShellResult>;
  readonly facts: (run: string) => Promise<readonly StoredEvent[]>;
};

/** A harness whose folders, project and owner belong to the ordinary user. */
async function seat(
  cli: CliName,
  url: string,
  env: NodeJS.ProcessEnv = {},
  gid?: number,
): Promise<User> {
  const model = MODELS[cli] === null ? {} : { model: MODELS[cli] };
  const harness = await CliHarness.create(JSON.stringify({ agents: [{ id: cli, cli, ...model }] }));
  const git = (...words: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
      cwd: harness.project,
    });
  await writeFile(join(harness.project, 'README.md'), 'a project\n');
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  if (isRoot) execFileSync('chown', ['-R', `${UID}:${gid ?? UID}`, harness.dir]);
  const path = `${modules}/.bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
  const theirs = { ...providerEnv(url), PATH: path, HOME: harness.dir, TMPDIR: '/tmp', ...env };
  const type = async (...words: readonly string[]): Promise<ShellResult> => {
    const { code, stdout, stderr } = await harness.open(
      asOrdinaryUser(harness.argv(words), gid),
      '',
      theirs,
    ).ended;
    return { code, stdout, stderr };
  };
  const facts = async (run: string): Promise<readonly StoredEvent[]> => {
    const { stdout } = await type('events', '--run', run, '--raw');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as StoredEvent);
  };
  return {
    harness: harness,
    type,
    facts,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await namesBelow(folder)) {
    const path = join(folder, name);
    const isFile = (await stat(path).catch(() => undefined))?.isFile() === true;
    if (isFile && (await readFile(path)).includes(text)) found.push(name);
  }
  return found;
}

/** From the task to the user's tree. Returns the facts of the run. */
async function work(
  { harness, type, facts }: User,
  cli: CliName,
  ...flags: readonly string[]
): Promise<{ readonly run: string; readonly facts: readonly StoredEvent[] }> {
  const gate = ['--gate', 'grep -q "made inside" made.txt'];
  const ran = await type('run', 'Write a file.', '--agent', cli, '--json', ...gate, ...flags);
  assert.equal(ran.code, 0, `${ran.stdout}${ran.stderr}`);
  const { run_id: run, state } = JSON.parse(ran.stdout) as { run_id: string; state: string };
  assert.equal(state, 'succeeded', ran.stdout);
  const all = await facts(run);
  const result = resultOf(all);
  assert.deepEqual(
    [result['kind'], result['summary']],
    ['completed', 'All done.'],
    JSON.stringify(result),
  );
  const diff = await type('diff', run);
  assert.match(diff.stdout, /^\+made inside$/m);
  assert.match(diff.stdout, /=sv-[0-9a-f]{48}$/m);
  assert.doesNotMatch(diff.stdout, new RegExp(SECRET));
  assert.doesNotMatch(diff.stdout, /^\+0$/m); // not root, whatever its number is inside
  const applied = await type('apply', run);
  assert.equal(applied.code, 0, applied.stderr);
  const made = join(harness.project, 'made.txt');
  assert.equal((await readFile(made, 'utf8')).trim(), 'made inside');
  assert.equal((await stat(made)).uid, UID);
  const stopped = await type('owner', 'stop');
  assert.equal(stopped.code, 0, stopped.stderr);
  assert.deepEqual(await filesWith(harness.dir, SECRET), []);
  return { run, facts: all };
}

for (const cli of CLIS)
  describe(`${cli}, for an ordinary user`, () => {
    test('works in bubblewrap', { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: shellThenFile(cli, LINE, 'made.txt'),
      });
      await using user = await seat(cli, server.url);
      const { facts } = await work(user, cli, '--set', 'sandbox.backend=bubblewrap');
      const [started = {}] = notesOf(facts, 'started');
      const { files, network, processes, syscalls, memory } = started['enforced'] as Record<
        string,
        unknown
      >;
      assert.deepEqual(
        [started['sandbox'], files, network, processes, syscalls, memory],
        ['bubblewrap', 'namespace', 'namespace', 'namespace', 'seccomp', 'rlimit'],
      );
    });

    test('works in docker, if the user has access to it', { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      if (engine === undefined) return t.skip('there is no engine');
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: shellThenFile(cli, LINE, 'made.txt'),
      });
      const { host, image, group } = engine;
      await using user = await seat(cli, server.url, { DOCKER_HOST: host }, group);
      const settings = ['backend=docker', `image=${image}`, 'pull=never'];
      const { run, facts } = await work(
        user,
        cli,
        ...settings.flatMap((setting) => ['--set', `sandbox.${setting}`]),
      );
      assert.deepEqual(
        notesOf(facts, 'started').map((note) => note['sandbox']),
        ['docker', 'docker', 'docker'], // the gate on the base, the agent, and the gate
      );
      assert.deepEqual(containersOf(engine, run), []);
    });
  });
