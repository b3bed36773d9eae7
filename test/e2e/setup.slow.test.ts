/**
 * Projects with dependencies: set up once, worked on and checked offline, and applied without the
 * dependencies.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { notesOf, SandboxedHarness } from '../real/sandboxed-harness.ts';
import type { LocalRegistry } from './local-registry.ts';
import { startRegistry } from './local-registry.ts';

const missing = ['bwrap', 'openssl', 'npm', 'python3'].filter(
  (name) => which(name, process.env) === undefined,
);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const TIMEOUT_MS = 900_000;

type Files = Readonly<Record<string, string>>;

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

type Wishes = {
  readonly agent: string;
  readonly setup: object;
  readonly files: Files;
  readonly config?: object;
  readonly env?: Readonly<Record<string, string>>;
};

/** A user whose npm and pip use the local registry, with a project and one agent, `mine`. */
async function harnessWith(
  registry: LocalRegistry,
  { agent, setup, files, config = {}, env = {} }: Wishes,
): Promise<SandboxedHarness> {
  const agents = [{ id: 'mine', cli: 'custom', command: ['sh', '-e', '-c', agent] }];
  const harness = await SandboxedHarness.create({ config: { agents, setup, ...config }, env });
  const { url, cafile } = registry;
  await write(join(harness.root, 'user'), {
    '.npmrc': `registry=${url}\ncafile=${cafile}\n`,
    '.config/pip/pip.conf': `[global]\nindex-url = ${url}simple\ncert = ${cafile}\n`,
  });
  await write(harness.project, files);
  harness.git('add', '--all');
  harness.git('commit', '--quiet', '--allow-empty', '-m', 'a project');
  return harness;
}

function lockfile(registry: LocalRegistry, version: string): string {
  return JSON.stringify({
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies: { 'local-dep': version } },
      'node_modules/local-dep': registry.lockEntry(version),
    },
  });
}

function manifest(version: string): string {
  return JSON.stringify({
    name: 'app',
    version: '1.0.0',
    scripts: { test: 'node test.cjs' },
    dependencies: { 'local-dep': version },
  });
}

const NODE_FILES: Files = {
  '.gitignore': 'node_modules/\n',
  'add.cjs': 'exports.add = (a, b) => a - b;\n',
  'test.cjs': `const { add } = require('./add.cjs');
if (add(2, 3) !== 5 || !/^\\d/.test(require('local-dep').version)) process.exit(1);
console.log('green with', require('local-dep').version);\n`,
};
const NPM_CI = { command: ['npm', 'ci'], inputs: ['package-lock.json'], network: ['registry'] };

/** How the setup of a run ended. */
function setupOf(facts: readonly StoredEvent[]): Record<string, unknown> {
  for (const { type, payload } of facts)
    if (type === 'command.ended' && payload.key.startsWith('setup-') && payload.end.kind === 'done')
      return payload.end.result;
  return assert.fail('no setup has ended');
}

/**
 * Leftovers of setups. The file of a lock stays, because its removal could let two processes in.
 */
async function resultsIn(home: string): Promise<readonly string[]> {
  return (await readdir(join(home, 'setups'))).filter((name) => !name.includes('.lock'));
}

describe('a project with dependencies', { skip, timeout: TIMEOUT_MS }, () => {
  test('of npm: set up once, used by the agent offline, applied without them', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: `echo 'exports.add = (a, b) => a + b;' >add.cjs; npm test; git status --short >seen.txt`,
      setup: NPM_CI,
      config: { gates: [{ name: 'test', command: ['npm', 'test'] }] },
      files: {
        ...NODE_FILES,
        'package.json': manifest('1.0.0'),
        'package-lock.json': lockfile(registry, '1.0.0'),
      },
    });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    const setup = setupOf(facts);
    assert.deepEqual(
      [setup['kind'], setup['how'], setup['summary']],
      ['ready', 'built', 'made node_modules'],
    );
    assert.equal(endOf(facts)[0], 'succeeded');
    assert.match(await at.type('logs', run), /green with 1\.0\.0/);
    assert.deepEqual(
      notesOf(facts, 'committed').map((note) => note['names']),
      [['add.cjs', 'seen.txt']],
    );
    assert.equal((await at.client.apply(run)).files, 2);
    assert.equal(existsSync(join(at.project, 'node_modules')), false);
    assert.equal(await readFile(join(at.project, 'seen.txt'), 'utf8'), ' M add.cjs\n?? seen.txt\n');
    const asked = registry.asked.length;
    assert.ok(asked > 0);

    // The next run finds it, also when other files have changed.
    const again = await at.factsOf(await at.submit('mine'));
    assert.equal(setupOf(again)['how'], 'reused');
    assert.equal(registry.asked.length, asked);

    await write(at.project, {
      'package.json': manifest('2.0.0'),
      'package-lock.json': lockfile(registry, '2.0.0'),
    });
    const changed = await at.factsOf(await at.submit('mine'));
    assert.equal(setupOf(changed)['how'], 'built');
    assert.equal(endOf(changed)[0], 'succeeded');
    assert.equal((await resultsIn(at.home)).length, 2);
  });

  test('of pip: an environment whose commands find themselves, used offline, applied without it', async () => {
    await using registry = await startRegistry();
    const install = 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt';
    await using at = await harnessWith(registry, {
      agent: `
        .venv/bin/local-tool >tool.txt
        .venv/bin/python -B -c 'import local_tool, add; assert add.add(2, 3) == -1; print("offline", local_tool.version)'
        echo 'def add(a, b): return a + b' >add.py`,
      setup: { command: ['sh', '-c', install], network: ['registry'] },
      config: {
        gates: [
          { name: 'tool', command: ['.venv/bin/local-tool'] },
          { name: 'test', command: ['.venv/bin/python', '-B', 'test.py'] },
        ],
      },
      // Not ignored by git, but files of the setup still do not count as work.
      files: {
        'requirements.txt': 'local-tool==1.0.0\n',
        'add.py': 'def add(a, b): return a - b\n',
        'test.py': 'import add, local_tool\nassert add.add(2, 3) == 5 and local_tool.version\n',
      },
    });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    assert.equal(setupOf(facts)['summary'], 'made .venv');
    assert.equal(endOf(facts)[0], 'succeeded', JSON.stringify(facts.at(-1)));
    assert.equal((await at.client.apply(run)).files, 2);
    assert.deepEqual(at.git('status', '--short'), ' M add.py\n?? tool.txt\n');
    assert.equal(await readFile(join(at.project, 'tool.txt'), 'utf8'), 'local tool 1.0.0\n');
    const asked = registry.asked.length;
    const again = await at.factsOf(await at.submit('mine'));
    assert.deepEqual([setupOf(again)['how'], registry.asked.length], ['reused', asked]);
    await write(at.project, { 'requirements.txt': 'local-tool==2.0.0\n' });
    assert.equal(setupOf(await at.factsOf(await at.submit('mine')))['how'], 'built');
    assert.ok(registry.asked.length > asked);
  });
});

/** A listener that must not be reached, and how often it was. */
async function startCanary(): Promise<AsyncDisposable & { port: number; hits: () => number }> {
  let hits = 0;
  const server = createServer((socket) => {
    hits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    hits: () => hits,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** How a run ended. */
function endOf(facts: readonly StoredEvent[]): readonly [kind: string, reason: string] {
  const last = facts.at(-1);
  assert.ok(last?.type === 'run.ended');
  return [last.payload.outcome.kind, last.payload.outcome.reason];
}

const shell = (line: string): object => ({ command: ['sh', '-c', line] });

describe('a setup', { skip, timeout: TIMEOUT_MS }, () => {
  test('reaches the hosts on its list, and nothing else', async () => {
    await using registry = await startRegistry();
    await using canary = await startCanary();
    const { port } = canary;
    const line = `mkdir -p made
      for to in localhost:${port} 127.0.0.1:${port}; do
        curl -sS --max-time 20 --proxytunnel http://$to/ >>made/said 2>&1 && echo reached >>made/said
        curl -sS --max-time 20 --noproxy '*' http://$to/ >>made/said 2>&1 && echo reached >>made/said
      done
      curl -sS --max-time 20 http://localhost:${port}/ >>made/said 2>&1
      curl -sS --max-time 20 --cacert "$SSL_CERT_FILE" ${registry.url}local-dep >made/allowed
      true`;
    await using at = await harnessWith(registry, {
      agent: 'cat made/said >said.txt; cat made/allowed >allowed.txt',
      setup: { ...shell(line), network: [`localhost:${registry.port}`] },
      files: {},
      env: { SSL_CERT_FILE: registry.cafile },
    });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    await at.client.apply(run);
    const output = await readFile(join(at.project, 'said.txt'), 'utf8');
    assert.doesNotMatch(output, /^reached$/m);
    assert.equal(canary.hits(), 0);
    assert.match(await readFile(join(at.project, 'allowed.txt'), 'utf8'), /"name":"local-dep"/);
    const [used = {}] = notesOf(facts, 'network-use');
    assert.deepEqual(used['reached'], [`localhost:${registry.port}`]);
    assert.ok((used['refused'] as string[]).includes(`localhost:${port} (not-allowed)`));
  });

  test('that fails ends the run with the end of its output, and no agent begins', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'touch ran',
      setup: shell('exec >&2; echo first; cat told.txt; echo the lockfile is out of date; exit 3'),
      files: { 'told.txt': 'my-secret-0123456789\n' },
      env: { MY_TOKEN: 'my-secret-0123456789' },
    });
    const facts = await at.factsOf(await at.submit('mine'));
    const [kind, reason] = endOf(facts);
    assert.equal(kind, 'blocked');
    assert.match(
      reason,
      /^the setup, sh -c .* ended with code 3\nfirst\n\[redacted\]\nthe lockfile is out of date$/s,
    );
    assert.deepEqual(
      facts.flatMap((fact) => (fact.type === 'command.begun' ? [fact.payload.command] : [])),
      ['setup'],
    );
    assert.deepEqual(await resultsIn(at.home), []);
  });

  for (const [why, setup, words] of [
    ['takes too long', { ...shell('sleep 600'), timeout: '2s' }, /took longer than 2 s/],
    ['is not there', { command: ['no-such-program'] }, /was not found in the sandbox/],
    ['names an address', { ...shell('true'), network: ['10.0.0.1'] }, /no host by its name/],
  ] as const)
    test(`that ${why} ends the run`, async () => {
      await using registry = await startRegistry();
      await using at = await harnessWith(registry, { agent: 'touch ran', setup, files: {} });
      const [kind, reason] = endOf(await at.factsOf(await at.submit('mine')));
      assert.match(kind, /^(?:blocked|refused)$/);
      assert.match(reason, words);
      assert.deepEqual(await resultsIn(at.home), []);
    });

  test('is ended by a stop, and leaves nothing', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'touch ran',
      setup: shell('echo begun; sleep 600'),
      files: {},
    });
    const run = await at.submit('mine');
    for await (const fact of at.client.followRun(run, 0))
      if (fact.type === 'command.noted' && fact.payload.note['kind'] === 'started') break;
    await at.client.signal(run, { kind: 'stop' });
    const facts = await at.factsOf(run);
    assert.equal(endOf(facts)[0], 'cancelled');
    assert.deepEqual(await resultsIn(at.home), []);
  });

  test('that was interrupted by the death of its owner begins again, and no partial result is used', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'cat made/by',
      setup: shell('mkdir made; echo half >made/by; sleep 3; echo whole >made/by'),
      files: {},
    });
    const run = await at.submit('mine');
    for await (const fact of at.client.followRun(run, 0))
      if (fact.type === 'command.noted' && fact.payload.note['kind'] === 'started') break;
    await at.closeOwner();
    await write(at.home, { 'setups/0123.partial/result/0/by': 'what a killed owner leaves' });
    await at.openOwner();
    const facts = await at.factsOf(run);
    assert.deepEqual([setupOf(facts)['how'], endOf(facts)], ['built', ['unverified', 'whole']]);
    assert.deepEqual(await resultsIn(at.home), [setupOf(facts)['key']]);
  });

  test('that two runs need at once is run once', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'cat made/by >by.txt; cat made/by',
      setup: shell('mkdir made; sleep 2; head -c 8 /dev/urandom | od -An -tx1 >made/by'),
      files: {},
    });
    const runs = await Promise.all([at.submit('mine'), at.submit('mine')]);
    const facts = await Promise.all(runs.map((run) => at.factsOf(run)));
    assert.deepEqual(facts.map((each) => String(setupOf(each)['how'])).toSorted(), [
      'built',
      'reused',
    ]);
    assert.deepEqual(endOf(facts[0] ?? []), endOf(facts[1] ?? []));
    assert.equal((await resultsIn(at.home)).length, 1);
  });

  test('case 48: whose stored result was tampered with is run again', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'cat made/by; echo an agent was here >made/by',
      setup: shell('mkdir made; echo sound >made/by'),
      files: {},
    });
    assert.deepEqual(endOf(await at.factsOf(await at.submit('mine'))), ['unverified', 'sound']);
    const found = await at.factsOf(await at.submit('mine'));
    assert.deepEqual([setupOf(found)['how'], endOf(found)[1]], ['reused', 'sound']);
    const [key = ''] = await resultsIn(at.home);
    await writeFile(join(at.home, 'setups', key, '0/by'), 'tampered');
    const repaired = await at.factsOf(await at.submit('mine'));
    assert.deepEqual([setupOf(repaired)['how'], endOf(repaired)[1]], ['built', 'sound']);
    assert.equal(notesOf(repaired, 'damaged').length, 1);
  });

  test('is left out if the agent works in the project itself', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'echo bare',
      setup: shell('exit 1'),
      files: {},
    });
    const facts = await at.factsOf(await at.submit('mine', { unsafe: true }));
    assert.deepEqual(
      [setupOf(facts)['kind'], endOf(facts)],
      ['not-needed', ['unverified', 'bare']],
    );
  });
});

describe('a grant of the user', { skip, timeout: TIMEOUT_MS }, () => {
  test('is there for the setup, the agent and the gate, and in the record', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent:
        'my-tool >tool.txt; cat .env.test >env.txt; git log -1 --format=%an >name.txt; git status --short',
      setup: shell('mkdir made; my-tool >made/by'),
      files: { '.gitignore': '.env.*\nmade\n' },
      config: {
        gates: [
          {
            name: 'grants',
            command: ['sh', '-c', 'my-tool && grep -q fake .env.test'],
            allow_shell: true,
          },
        ],
        sandbox: {
          grants: {
            toolchains: ['~/tools'],
            files: ['.env.test', '.env.none'],
            git_identity: 'Ann <ann@example.org>',
          },
        },
      },
    });
    const tool = join(at.root, 'user/tools/bin/my-tool');
    await write(at.root, { 'user/tools/bin/my-tool': '#!/bin/sh\necho my tool\n' });
    await chmod(tool, 0o755);
    await write(at.project, { '.env.test': 'TOKEN=fake\n' });
    at.git('commit', '--quiet', '--allow-empty', '-m', 'again');
    await write(at.project, { 'new.txt': 'so that there is something to commit\n' });
    const run = await at.submit('mine');
    const facts = await at.factsOf(run);
    assert.equal(endOf(facts)[0], 'succeeded', JSON.stringify(facts.at(-1)));
    await at.client.apply(run);
    const read = (path: string): Promise<string> => readFile(join(at.project, path), 'utf8');
    assert.deepEqual(
      [await read('tool.txt'), await read('env.txt'), await read('name.txt')],
      ['my tool\n', 'TOKEN=fake\n', 'Ann\n'],
    );
    assert.deepEqual(notesOf(facts, 'committed')[0]?.['names'], [
      'env.txt',
      'name.txt',
      'tool.txt',
    ]);
    const granted = notesOf(facts, 'started').flatMap((note) => note['granted'] ?? []);
    assert.deepEqual(granted, [
      `toolchain ${join(at.root, 'user/tools')}`,
      'file .env.test',
      'git identity Ann <ann@example.org>',
    ]);
    assert.match(
      await at.type('events', '--run', run),
      /with access to toolchain .*tools, file \.env\.test/,
    );
  });

  test('is refused if it would reveal a secret', async () => {
    await using registry = await startRegistry();
    await using at = await harnessWith(registry, {
      agent: 'touch ran',
      setup: shell('true'),
      files: {},
      config: { sandbox: { grants: { toolchains: ['~/.ssh'] } } },
    });
    await mkdir(join(at.root, 'user/.ssh'));
    const [kind, reason] = endOf(await at.factsOf(await at.submit('mine')));
    assert.deepEqual([kind, /\.ssh/.test(reason)], ['refused', true]);
  });
});
