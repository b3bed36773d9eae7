/**
 * A feature of two phases and six components in a TypeScript repository, with real CLIs of three vendors on the strict
 * model server. Its interfaces are locked, and four components work side by side. There is one conflict, and one gate
 * that is red only after the merge. The owner is killed in the middle.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FeatureRunDocument } from '../../src/public-json/feature-documents.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { CliName } from './clis.ts';
import { PARTS, playFeature, TYPES } from './feature-models.ts';
import { BIN, isMissing, MODELS, providerEnv } from './sandboxed-clis.ts';
import { SECRET } from './sandboxed-harness.ts';

/** Far longer than anything takes, even on a busy machine. */
const WITHIN_MS = 600_000;
const BRANCH = 'ai/P1T1-money';
const MODULES = realpathSync(fileURLToPath(new URL('../../node_modules', import.meta.url)));
const WHO: Readonly<Record<string, CliName>> = {
  ...{ add: 'claude', format: 'codex', unit: 'gemini', compare: 'claude' },
  ...{ bill: 'codex', order: 'gemini' },
};

/** `add` and `format` also change src/index.ts, and do not say so. */
const component = (name: string): string =>
  `      - { id: ${name}, task: 'BUILD ${name}', role: by_${WHO[name]}, files: [src/${name}.ts, test/${name}.test.ts] }\n`;
const FEATURE = `id: P1T1
title: Money
workflow: small
phases:
  - id: core
    interfaces:
      - { file: types/money.d.ts, definition: ${JSON.stringify(TYPES)} }
    components:
${['add', 'format', 'unit', 'compare'].map(component).join('')}  - id: shop
    components:
${['bill', 'order'].map(component).join('')}`;

const TSCONFIG = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: 'esnext', module: 'nodenext', types: [] },
    allowImportingTsExtensions: true,
  },
  include: ['src'],
};
const FILES: Readonly<Record<string, string>> = {
  '.gitignore': 'node_modules/\n',
  'package.json': JSON.stringify({ type: 'module', devDependencies: { typescript: '7.0.2' } }),
  'tsconfig.json': JSON.stringify(TSCONFIG),
  'src/index.ts': 'export {};\n',
  'src/unit.ts': "export const unit = 'EUR';\n",
  'test/base.test.ts': "import { test } from 'node:test';\ntest('runs', () => {});\n",
};
const WORKFLOW = `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [build, test], next: commit, on_fail: implement}
  commit: {kind: commit}
`;

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** The project gets its TypeScript by its setup, from a folder that the user shows to every sandbox. */
async function openProject(): Promise<CliHarness> {
  const clis = [...new Set(Object.values(WHO))];
  const node = dirname(dirname(await realpath(process.execPath)));
  const install =
    'mkdir -p node_modules/.bin && ln -sf /opt/node_modules/typescript/bin/tsc node_modules/.bin/tsc';
  const config = {
    agents: clis.map((cli) => ({ id: cli, cli, ...(MODELS[cli] && { model: MODELS[cli] }) })),
    sandbox: {
      backend: 'bubblewrap',
      mounts: [{ path: MODULES, to: '/opt/node_modules' }],
      grants: { toolchains: [node] },
    },
    setup: { command: ['sh', '-c', install] },
    gates: [
      { name: 'build', command: ['node_modules/.bin/tsc', '-p', '.'] },
      { name: 'test', command: ['node', '--test', 'test/*.test.ts'] },
    ],
  };
  const harness = await CliHarness.create(JSON.stringify(config));
  await write(harness.home.dir, {
    'workflows/small.yaml': WORKFLOW,
    ...Object.fromEntries(
      clis.map((cli) => [`roles/by_${cli}.yaml`, `extends: implementer\ncli: ${cli}\n`]),
    ),
  });
  await write(harness.project, FILES);
  await writeFile(join(harness.dir, 'money.yaml'), FEATURE);
  return harness;
}

/** The most child runs that were open at the same time. */
function mostAtOnce(facts: readonly StoredEvent[]): number {
  let [open, most] = [0, 0];
  for (const { type, payload } of facts) {
    if (type === 'command.begun' && payload.command === 'run') open += 1;
    if (type === 'command.ended' && payload.command === 'run') open -= 1;
    most = Math.max(most, open);
  }
  return most;
}

/** How many merges ended in a conflict, and how many gates were red after one. */
function troubleIn(facts: readonly StoredEvent[]): Readonly<Record<string, number>> {
  const kinds = facts.flatMap((fact) => {
    if (fact.type !== 'command.ended' || fact.payload.end.kind !== 'done') return [];
    const { command } = fact.payload;
    if (command !== 'merge-work' && command !== 'gate') return [];
    return [`${command} ${(fact.payload.end.result as { kind: string }).kind}`];
  });
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  return { conflicts: count('merge-work conflict'), red: count('gate failed') };
}

test(
  'a feature with three real CLIs lands on one line, though its owner is killed',
  { timeout: 1_200_000 },
  async (t) => {
    if (isMissing(t, 'claude', 'codex', 'gemini')) return;
    await using server = await ModelServer.start({ keys: [SECRET], script: playFeature });
    await using at = await openProject();
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: at.project,
        encoding: 'utf8',
      });
    for (const args of [
      ['init', '--quiet'],
      ['add', '--all'],
      ['commit', '--quiet', '-m', 'first'],
    ])
      git(...args);
    const checkout = (): readonly string[] => [
      ...[git('rev-parse', 'HEAD'), git('status', '--short', '--ignored')],
      ...[git('symbolic-ref', 'HEAD'), git('worktree', 'list'), git('stash', 'list')],
    ];
    const before = checkout();
    const PATH = [BIN, dirname(process.execPath), process.env['PATH']].join(delimiter);
    const env = { ...providerEnv(server.url), PATH };
    const say = async (...words: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await at.run(words, { env });
      assert.equal(code, 0, `${words.join(' ')}\n${stdout}${stderr}`);
      return stdout;
    };
    const file = join(at.dir, 'money.yaml');
    const read = (text: string): ReturnType<typeof FeatureRunDocument.parse> =>
      FeatureRunDocument.parse(JSON.parse(text));
    const { run_id: run } = read(
      await say('feature', 'start', file, '--capacity', '4', '--yes', '--detach', '--json'),
    );
    // A question is no part of this story, and nothing else would happen.
    const has = async (pattern: RegExp): Promise<boolean> =>
      (await at.events(run)).some(
        ({ type, payload }) =>
          type === 'run.ended' ||
          (type === 'command.begun' && (payload.command === 'ask' || pattern.test(payload.key))),
      );
    // Work of the first phase is under way, waits to be merged, and is being judged.
    await eventually('the first work is judged', () => has(/^gate-p1t1-ph1-c[1-4]-/), WITHIN_MS);
    await at.killOwner();
    await say('status');
    await eventually('its end', () => has(/^never$/), WITHIN_MS);

    const shown = read(await say('feature', 'show', run, '--json'));
    const all = shown.phases.flatMap(({ components }) => components);
    assert.deepEqual([shown.state, shown.outcome], ['complete', 'succeeded'], JSON.stringify(all));
    const facts = await at.events(run);
    assert.equal(mostAtOnce(facts), 4);
    assert.deepEqual(troubleIn(facts), { conflicts: 1, red: 1 });
    const wires = new Set(server.journal().map(({ wire }) => wire));
    assert.deepEqual([...wires].toSorted(), ['anthropic', 'gemini', 'openai-responses']);

    assert.deepEqual(checkout(), before);
    assert.equal(git('log', '--merges', '--format=%h', BRANCH), '');
    const [first, ...landed] = git('log', '--reverse', '--format=%s', `HEAD..${BRANCH}`)
      .trim()
      .split('\n');
    assert.equal(first, 'The interfaces of core');
    assert.deepEqual(landed.toSorted(), Object.keys(PARTS).toSorted());
    assert.equal(git('show', `${BRANCH}:types/money.d.ts`), TYPES);

    await using clone = await tempDir();
    git('clone', '--quiet', '--branch', BRANCH, at.project, clone.path);
    const build = (...args: readonly string[]): unknown =>
      execFileSync(process.execPath, args, { cwd: clone.path, env: { PATH }, stdio: 'pipe' });
    build(join(MODULES, 'typescript/bin/tsc'), '-p', '.');
    build('--test', 'test/*.test.ts');
  },
);
