/** Runs with a role: what is pinned, what the agent receives, and what is recorded. */
import assert from 'node:assert/strict';
import { PlanDocument } from '../../src/public-json/project-documents.ts';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import type { Owner } from '../../src/owner/owner.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { tempDir } from '../support/temp-dir.ts';
import { trustProject } from '../support/trust-project.ts';
import { testOwner } from '../support/test-owner.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import { noBubblewrap } from '../sandbox/setup.ts';

const AGENT = 'scripted:answers-its-role';
/**
 * The user's own: a project's role could not add arguments to an agent that runs without a sandbox.
 */
const HOUSE = 'extends: implementer\ncli: scripted\nflags: [bad]\nallowed_tools: [read, edit]\n';
const FILES = {
  'README.md': '# A shop\n',
  'src/cart.ts': 'export const total = 1;\n',
  '.supervisor/roles/picky.yaml': 'extends: reviewer\nallowed_tools: [backtest]\n',
  '.supervisor/roles/warned.yaml': [
    'extends: implementer',
    'gates:',
    '  - { name: style, command: "echo too long; exit 4", on_fail: warn }',
    '  - { name: there, command: test -f README.md }',
  ].join('\n'),
};

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function project(files: Readonly<Record<string, string>> = FILES) {
  const dir = await tempDir();
  await write(dir.path, files);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: dir.path,
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return {
    path: await realpath(dir.path),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

async function factsOf(owner: Owner, id: string): Promise<readonly StoredEvent[]> {
  const facts: StoredEvent[] = [];
  const never = new AbortController().signal;
  for await (const fact of owner.engine.follow(id as never, 0, never)) facts.push(fact);
  return facts;
}

describe('a run with a role', { timeout: 300_000 }, () => {
  test('pins its brief by content: the journal names it, and the folder of briefs holds it once', async () => {
    await using at = await testOwner();
    await using work = await project();
    await trustProject(at.dir, work.path);
    const request = {
      task: 'Round.',
      project: work.path,
      role: 'implementer',
      targets: ['src/cart.ts'],
      agent: AGENT,
    };
    const first = await at.owner.submit(request);
    const facts = await factsOf(at.owner, first.id);
    const { answer, outcome, task } = await at.owner.run(first.id as never);
    assert.deepEqual(
      [answer, outcome, task],
      [
        {
          status: 'SUCCESS',
          files_created: [],
          files_modified: [],
          tests_written: [],
          blockers: [],
        },
        { kind: 'unverified', reason: 'SUCCESS: 0 files, 0 tests' },
        'Round.',
      ],
    );
    const journal = JSON.stringify(facts);
    assert.doesNotMatch(journal, /export const total/);
    const [name = ''] = await readdir(join(at.dir, 'briefs'));
    assert.ok(journal.includes(name.replace('.md', '')));
    const prompt = await readFile(join(at.dir, 'briefs', name), 'utf8');
    assert.match(prompt, /export const total = 1;/);

    // The project changes; a resumed run still gets its first prompt.
    await write(work.path, { 'src/cart.ts': 'export const total = 2;\n' });
    const fork = await at.owner.engine.fork(first.id as never, 1);
    await factsOf(at.owner, fork);
    assert.deepEqual(await readdir(join(at.dir, 'briefs')), [name]);
    assert.equal((await at.owner.run(fork)).outcome?.kind, 'unverified');
    await at.owner.submit(request);
    assert.equal((await readdir(join(at.dir, 'briefs'))).length, 2);
  });

  test('takes agent, flags and tools from its role', async () => {
    await using at = await testOwner();
    await using work = await project();
    await trustProject(at.dir, work.path);
    await write(at.dir, { 'roles/house.yaml': HOUSE });
    const run = await at.owner.submit({
      task: 'Round.',
      project: work.path,
      role: 'house',
      targets: ['src/cart.ts'],
    });
    const [first] = await factsOf(at.owner, run.id);
    assert.ok(first?.type === 'run.submitted');
    const { agent, brief } = first.payload.settings;
    assert.deepEqual([agent.id, agent.args], ['scripted', ['bad']]);
    assert.deepEqual(
      [brief?.role, brief?.answer, brief?.allowedTools],
      ['house', 'implementation', ['read', 'edit']],
    );
  });

  const refused: [why: string, wish: object, code: string][] = [
    ['the role is unknown', { role: 'nobody' }, 'role.not-found'],
    ['a tool of the role is unknown', { role: 'picky' }, 'role.invalid'],
    ['a target is missing', { role: 'implementer', targets: ['x.ts'] }, 'context.unknown-target'],
    ['targets are given without a role', { targets: ['README.md'] }, 'request.invalid'],
    ['nothing fits', { role: 'reviewer', task: 'x '.repeat(40_000) }, 'context.too-large'],
  ];
  for (const [why, wish, code] of refused)
    test(`is refused before it begins when ${why}`, async () => {
      await using at = await testOwner();
      await using work = await project();
      await trustProject(at.dir, work.path);
      const request = { task: 'T', project: work.path, agent: AGENT, ...wish };
      await assert.rejects(at.owner.submit(request), (error) => isRefusal(error, code as never));
      assert.deepEqual(await at.owner.engine.list({ limit: 5 }), []);
    });

  const walls = { skip: noBubblewrap() };
  test(
    'has the gates of its role: one that only warns is run and recorded, and fails nothing',
    walls,
    async () => {
      await using at = await testOwner();
      await using work = await project();
      await trustProject(at.dir, work.path);
      const wish = { role: 'warned', targets: ['src/cart.ts'], agent: AGENT };
      const { id } = await at.owner.submit({ task: 'T', project: work.path, ...wish });
      const ends = (await factsOf(at.owner, id)).flatMap((fact) =>
        fact.type === 'command.ended' &&
        fact.payload.key.startsWith('gate-') &&
        fact.payload.end.kind === 'done'
          ? [fact.payload.end.result]
          : [],
      );
      assert.deepEqual(ends, [
        { kind: 'failed', name: 'style', exit: 4, tail: 'too long', warns: true },
        { kind: 'passed', name: 'there' },
      ]);
      assert.equal((await at.owner.run(id as never)).outcome?.kind, 'succeeded');
      const { chain } = await at.owner.reports.why(id as never);
      assert.match(
        chain.map(({ what }) => what).join('\n'),
        /gate style was red: exit 4, only a warning/,
      );
    },
  );

  test('fails when its prompt is missing, and says what to do', async () => {
    await using at = await testOwner();
    await using work = await project();
    await trustProject(at.dir, work.path);
    const request = { task: 'T', project: work.path, role: 'planner', agent: AGENT };
    const { id } = await at.owner.submit(request);
    await factsOf(at.owner, id);
    const [name = ''] = await readdir(join(at.dir, 'briefs'));
    await writeFile(join(at.dir, 'briefs', name), 'Do something else.');
    const fork = await at.owner.engine.fork(id as never, 1);
    await factsOf(at.owner, fork);
    const { outcome } = await at.owner.run(fork);
    assert.match(outcome?.reason ?? '', /has changed since it was stored.*Submit the task again/);
  });
});

function planShop(harness: CliHarness, ...more: readonly string[]): ReturnType<CliHarness['run']> {
  const argv = ['plan', 'a shop', '--only-answer', '--foreground', '--agent', AGENT, ...more];
  return harness.run(argv);
}

describe('supervisor plan', { timeout: 300_000 }, () => {
  test('prints only the plan on stdout, and the progress on stderr', async () => {
    await using harness = await CliHarness.create();
    const result = await planShop(harness, '--json');
    assert.deepEqual([result.code, result.stderr], [0, '']);
    const { plan } = PlanDocument.parse(JSON.parse(result.stdout));
    assert.deepEqual(Object.keys(plan ?? {}), [
      'status',
      'phases',
      'dependencies',
      'estimated_components',
      'risks',
    ]);
    const words = await harness.run(
      ['plan', '-', '--only-answer', '--foreground', '--agent', AGENT],
      {
        stdin: 'a shop',
      },
    );
    assert.match(
      words.stdout,
      /^COMPLETE\n\nPH1 {2}The whole of it\n {2}C1 {2}One part\n {6}WORK\.md\n$/,
    );
    assert.match(words.stderr, /attempt-1 completed: COMPLETE: 1 phase, 1 component/);
  });

  test('exits with 1 and the path of the value that does not fit', async () => {
    await using harness = await CliHarness.create(
      'agents: [{id: scripted, cli: scripted, args: [bad]}]\n',
    );
    const result = await planShop(harness, '--json');
    const { run_id: run, plan, error } = PlanDocument.parse(JSON.parse(result.stdout));
    assert.deepEqual(
      [result.code, result.stderr, plan, error?.code],
      [1, '', null, 'plan.missing'],
    );
    assert.match(run, /^[0-9a-f]{10}$/);
    assert.match(
      error?.message ?? '',
      /- status: expected one of COMPLETE, NEEDS_REFINEMENT, BLOCKED/,
    );
  });

  test('exits with 1 when the role answers in another form', async () => {
    await using harness = await CliHarness.create();
    const result = await planShop(harness, '--role', 'investigator');
    assert.deepEqual([result.code, result.stdout], [1, '']);
    assert.match(result.stderr, /no plan/);
  });
});
