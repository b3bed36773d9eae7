/** The keys and the PATH of a run are those of the shell that typed its command, and are stored nowhere. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { PreflightDocument } from '../../src/public-json/machine-documents.ts';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from './cli-process-harness.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;

const WITHIN_MS = 60_000;

const { path, body } = questionOn('openai-chat', 'hello');
/** Its first attempt in a tree never ends, so that a test can kill the owner during it. */
const AGENT = `#!/bin/sh
if test -e hang; then rm hang; echo working; sleep 600; fi
curl -sf "\${OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
  -H "authorization: Bearer $OPENAI_API_KEY" -d '${JSON.stringify(body)}' && echo done
`;
const CONFIG = JSON.stringify({
  agents: [{ id: 'mine', cli: 'custom', command: ['my-agent'], model: 'gpt-5.5' }],
  sandbox: { backend: 'bubblewrap' },
});

/** What the shell that starts the owner has. No run may use it. */
const OTHER_KEY = { OPENAI_API_KEY: 'sk-of-the-owner-0123456789' };

/** A shell with its own key, its own provider, and programs that only its PATH leads to. */
type Shell = AsyncDisposable & {
  readonly key: string;
  readonly env: NodeJS.ProcessEnv;
  readonly server: ModelServer;
};

async function openShell(harness: CliHarness, name: string): Promise<Shell> {
  const key = `sk-canary-of-${name}-0123456789abcdef`;
  const server = await ModelServer.start({ keys: [key], script: { steps: [{ text: 'hi' }] } });
  const bin = join(harness.dir, `bin-${name}`);
  await mkdir(bin);
  await writeFile(join(bin, 'my-agent'), AGENT, { mode: 0o755 });
  await writeFile(join(bin, 'my-check'), `#!/bin/sh\necho checked by ${name}\n`, { mode: 0o755 });
  const env = {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${server.url}/v1`,
    PATH: `${bin}:${harness.env()['PATH'] ?? ''}`,
  };
  return { key, env, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])),
  );
  return found.flat();
}

describe('keys and PATH', { skip, timeout: 300_000 }, () => {
  test('are those of each command, not of the shell that started the owner', async () => {
    await using harness = await CliHarness.create(CONFIG);
    await harness.run(['up', '--detach'], { env: OTHER_KEY });
    await using work = await openShell(harness, 'work');
    await using home = await openShell(harness, 'home');
    const results = await Promise.all(
      [work, home].map(async ({ env }) => {
        const words = ['run', 'x', '--agent', 'mine', '--json'];
        const { code, stdout, stderr } = await harness.run(words, { env });
        assert.equal(code, 0, `${stdout}${stderr}`);
        return stdout;
      }),
    );
    for (const { key, server } of [work, home]) {
      const statuses = server.journal().map(({ status }) => status);
      assert.deepEqual(statuses, [200]);
      assert.deepEqual(await filesWith(harness.home.dir, key), []);
      assert.ok(!results.join('').includes(key));
    }
    const { code, stderr } = await harness.run(['run', 'x', '--agent', 'mine']);
    assert.equal(code, 1);
    assert.match(stderr, /my-agent is not installed, or not in your PATH/);
  });

  test('that are missing refuse the run before it exists, with the code that its preflight has', async () => {
    await using harness = await CliHarness.create('sandbox: { backend: bubblewrap }\n');
    const bin = join(harness.dir, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'codex'), '#!/bin/sh\necho codex-cli 0.166.0\n', { mode: 0o755 });
    const env = {
      PATH: `${bin}:${harness.env()['PATH'] ?? ''}`,
      HOME: harness.dir,
      CODEX_HOME: undefined,
      OPENAI_API_KEY: undefined,
    };
    const words = ['run', 'x', '--agent', 'codex', '--json'];
    const before = await harness.run([...words, '--preflight-only'], { env });
    const { error } = PreflightDocument.parse(JSON.parse(before.stdout));
    assert.deepEqual([before.code, error?.code], [1, 'agent.no-key'], before.stdout);
    const ran = await harness.run(words, { env });
    const refused = JSON.parse(ran.stdout) as { readonly error: { readonly code: string } };
    assert.deepEqual([ran.code, refused.error.code], [1, 'agent.no-key'], ran.stdout);
    const detached = await harness.run(['run', 'x', '--agent', 'codex', '--detach'], { env });
    assert.deepEqual([detached.code, detached.stdout], [1, '']);
    assert.match(detached.stderr, /your shell has no OPENAI_API_KEY/);
    const none = await harness.run(['status', '--all'], { env });
    assert.doesNotMatch(none.stdout, /[0-9a-f]{10}/);
  });

  test('lead to the programs of gates, too', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['up', '--detach']);
    await using shell = await openShell(harness, 'work');
    const words = ['run', 'x', '--agent', 'scripted', '--unsafe-no-sandbox', '--gate', 'my-check'];
    const there = await harness.run([...words, '--json'], { env: shell.env });
    assert.equal(there.code, 0, `${there.stdout}${there.stderr}`);
    const elsewhere = await harness.run(words);
    assert.notEqual(elsewhere.code, 0);
    assert.match(`${elsewhere.stdout}${elsewhere.stderr}`, /my-check/);
  });

  test('are waited for after a crash of the owner, and resume gives them', async () => {
    await using harness = await CliHarness.create(CONFIG);
    await using shell = await openShell(harness, 'work');
    await writeFile(join(harness.project, 'hang'), '');
    const begun = await harness.run(['run', 'x', '--agent', 'mine', '--detach'], shell);
    const run = begun.stdout.trim();
    const says = async (...words: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await harness.run(words, { env: OTHER_KEY });
      return `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
    };
    const isWorking = async (): Promise<boolean> => (await says('logs', run)).includes('working');
    await eventually('the agent works', isWorking, WITHIN_MS);
    await harness.killOwner();

    // The next owner is started by a shell that has another key. The run does not use it.
    const asks = async (): Promise<boolean> => (await says('inbox')).includes(run);
    await eventually('the run asks for its keys', asks, WITHIN_MS);
    const needs = /mine needs the key OPENAI_API_KEY and the address OPENAI_BASE_URL/;
    for (const words of [['status'], ['inbox'], ['why', run], ['why', run, '--json']])
      assert.match(await says(...words), needs, words.join(' '));
    assert.match(await says('why', run), new RegExp(`supervisor resume ${run}`));
    const [status] = await harness.runs(run);
    assert.deepEqual(
      [status?.state, ...(status?.questions ?? []).map(({ about, choices }) => [about, choices])],
      ['awaiting_input', ['keys', ['retry', 'stop']]],
    );
    assert.equal(shell.server.journal().length, 0);

    const without = await harness.run(['resume', run]);
    assert.notEqual(without.code, 0);
    assert.match(without.stderr, needs);
    const { code, stdout, stderr } = await harness.run(['resume', run, '--json'], shell);
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.deepEqual(
      shell.server.journal().map(({ status }) => status),
      [200],
    );
    assert.deepEqual(await filesWith(harness.home.dir, shell.key), []);
  });

  test('that are lost end a run that may not ask', async () => {
    await using harness = await CliHarness.create(CONFIG);
    await using shell = await openShell(harness, 'work');
    await writeFile(join(harness.project, 'hang'), '');
    const asked = ['run', 'x', '--agent', 'mine', '--no-ask', '--detach'];
    const run = (await harness.run(asked, shell)).stdout.trim();
    await harness.type(['logs', run, '--follow']).shows(/working/);
    await harness.killOwner();
    const { code, stdout } = await harness.run(['wait', run, '--json'], { env: OTHER_KEY });
    const { error } = StatusDocument.parse(JSON.parse(stdout));
    assert.deepEqual([code, error?.code], [1, 'agent.keys-missing'], stdout);
    assert.match(
      error?.message ?? '',
      /mine needs the key .* and the address .*because it may not ask/,
    );
    assert.match(error?.remedy ?? '', new RegExp(`supervisor resume ${run}$`));
  });

  test('that a resumed run lacks are named at once, and the run needs the user', async () => {
    await using harness = await CliHarness.create(CONFIG);
    await using shell = await openShell(harness, 'work');
    await writeFile(join(harness.project, 'hang'), '');
    const begun = await harness.run(['run', 'x', '--agent', 'mine', '--detach'], shell);
    const run = begun.stdout.trim();
    // Its tree has lost the file that makes it hang when it says that it works.
    await harness.type(['logs', run, '--follow']).shows(/working/);
    const stopped = await harness.run(['stop', run]);
    assert.equal(stopped.code, 0, stopped.stderr);

    const again = await harness.run(['resume', run, '--detach'], { env: OTHER_KEY });
    const id = again.stdout.trim();
    const needs = `mine needs the address OPENAI_BASE_URL. From a shell that has it, run: supervisor resume ${id}`;
    assert.deepEqual([again.code, again.stderr], [0, `The run waits: ${needs}\n`]);
    const says = async (...words: readonly string[]): Promise<string> =>
      (await harness.run(words)).stdout.replaceAll(/\s+/g, ' ');
    await eventually(
      'the run asks for its keys',
      async () => (await says('inbox')).includes(id),
      WITHIN_MS,
    );
    const report = await says('report');
    assert.match(report, /^The last 12h00m 1 run needs you, 1 stopped, 1 attempt/);
    assert.match(
      report,
      new RegExp(`Needs you ${id} .*→ .*: supervisor resume ${id} Stopped ${run}`),
    );
    assert.match(await says('status'), new RegExp(`→ .*: supervisor resume ${id}`));
    const given = await harness.run(['resume'], shell);
    assert.match(given.stderr, new RegExp(`^Resuming run ${id}: it waits for a key: mine needs`));
    assert.equal(given.code, 0, given.stderr);
    assert.match(given.stdout, /\n +attempts +1 \(mine\), number 3\n/);
  });

  test('of a login that is about to expire: the user is told at once, and by --notify', async () => {
    await using harness = await CliHarness.create(CONFIG);
    const [bin, folder] = [join(harness.dir, 'bin'), join(harness.dir, 'claude')];
    for (const path of [bin, folder]) await mkdir(path);
    await writeFile(join(bin, 'claude'), '#!/bin/sh\nsleep 600\n', { mode: 0o755 });
    const claudeAiOauth = {
      accessToken: 'oat-canary-0123456789',
      expiresAt: Date.now() + 1_200_000,
    };
    await writeFile(join(folder, '.credentials.json'), JSON.stringify({ claudeAiOauth }));
    const told = join(harness.dir, 'told.txt');
    const env = {
      ANTHROPIC_API_KEY: '',
      CLAUDE_CODE_OAUTH_TOKEN: '',
      CLAUDE_CONFIG_DIR: folder,
      PATH: `${bin}:${harness.env()['PATH'] ?? ''}`,
    };
    const words = ['run', 'x', '--agent', 'claude', '--detach', '--notify', `tee -a ${told}`];
    const { code, stdout, stderr } = await harness.run(words, { env });
    assert.equal(code, 0, stderr);
    const expires = /the login of claude expires in 1\dm\d\ds, at \S+\d\. Start claude once/;
    assert.match(stderr, expires);
    const run = stdout.trim();
    const isTold = async (): Promise<boolean> =>
      (await readFile(told, 'utf8').catch(() => '')).includes('"event":"login"');
    await eventually('the notification', isTold, WITHIN_MS);
    for (const command of [['status'], ['why', run]])
      assert.match(
        (await harness.run(command)).stdout.replaceAll(/\s+/g, ' '),
        expires,
        command[0],
      );
    assert.deepEqual(await filesWith(harness.home.dir, claudeAiOauth.accessToken), []);
  });
});
