/**
 * Twelve ways to cheat, each by an agent in a whole workflow with real gates. None ends as `succeeded`. Each cheat also
 * runs without Supervisor, to show what the plain command says about it.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { trustProject } from '../support/trust-project.ts';
import { SandboxedHarness } from '../real/sandboxed-harness.ts';
import type { Besides, Cheat, Files } from './cheats.ts';
import { CHEATS, COMMANDS, COVERED, HONEST, PROJECTS } from './cheats.ts';

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PLAIN_MS = 120_000;

const STEPS: Readonly<Record<Besides, string>> = {
  nothing: 'check: {gates: [test]}',
  'test engineer': `check: {gates: [test], next: more_tests}
  more_tests: {role: test_engineer, next: check_all}
  check_all: {gates: [test]}`,
  reviewer: `check: {gates: [test], next: review}
  review: {role: examiner}`,
};
const EXAMINER = `extends: reviewer
description: A reviewer without limits on its tools, so that any program can play it
cli: mine
allowed_tools: null
`;

const answer = (value: object): string =>
  `printf '%s\\n' '\`\`\`json' '${JSON.stringify(value)}' '\`\`\`'`;
const DONE = { status: 'SUCCESS', files_created: [], files_modified: [], tests_written: [] };
const issue = {
  ...{ severity: 'high', file: 'sums.py', line: 2 },
  description: 'add knows only the numbers of the test',
};
const OTHER_TEST = `cat >test/other.test.mjs <<'END'
import { test } from 'node:test';
import assert from 'node:assert';
import { add } from '../sum.mjs';
test('adds other numbers', () => assert.equal(add(20, 22), 42));
END`;

/** One program for every role. Only the implementer cheats. */
function agentThat(script: string): object {
  const program = `case $(cat "$1") in
    *"Your role is test_engineer"*) ${OTHER_TEST}
      ${answer(DONE)};;
    *"Your role is examiner"*)
      if grep -q 'a == 1' sums.py; then ${answer({ status: 'CHANGES_REQUESTED', issues: [issue], suggestions: [] })}
      else ${answer({ status: 'APPROVED', issues: [], suggestions: [] })}; fi;;
    *) ${script}
      echo "All tests passed."
      ${answer(DONE)};;
  esac`;
  return { id: 'mine', cli: 'custom', command: ['sh', '-c', program, 'mine', '{prompt_file}'] };
}

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const filesOf = ({ language, base }: Pick<Cheat, 'language' | 'base'>): Files => ({
  ...PROJECTS[language],
  ...base,
});

type Played = Omit<Cheat, 'why' | 'plain' | 'found'>;

/** A project, its gate and its workflow, and an agent that does this. */
async function harnessWith(cheat: Played): Promise<SandboxedHarness> {
  const { language, script, settings = 'of the user', besides = 'nothing' } = cheat;
  const isOfProject = settings === 'of the project';
  const gate = { name: 'test', command: COMMANDS[language], timeout: '5m', ...cheat.gate };
  const at = await SandboxedHarness.create({
    config: {
      agents: [agentThat(script)],
      sandbox: { backend: 'bubblewrap' },
      // An agent that always does the same needs one try.
      recovery: { attempts_max: 1 },
      baseline: false,
      ...(isOfProject ? {} : { gates: [gate] }),
    },
  });
  const files = {
    'roles/examiner.yaml': EXAMINER,
    'workflows/small.yaml': `description: One developer and what checks it
steps:
  implement: {role: implementer, next: check}
  ${STEPS[besides]}
`,
  };
  const config = { 'config.yaml': JSON.stringify({ version: 1, gates: [gate] }) };
  await write(at.project, filesOf(cheat));
  await (isOfProject
    ? write(join(at.project, '.supervisor'), { ...files, ...config })
    : write(at.home, files));
  at.git('add', '--all');
  at.git('commit', '--quiet', '-m', 'second');
  await trustProject(at.home, at.project);
  return at;
}

/** The run once it asks a person or has ended, and what it printed until then. */
async function play(
  at: SandboxedHarness,
): Promise<{ readonly view: RunView; readonly shown: string }> {
  const { id } = await at.client.submit({
    ...{ task: 'Make the test pass.', project: at.project, workflow: 'small', agent: 'mine' },
  });
  const isOver = async (): Promise<boolean> => {
    const { open, outcome } = await at.client.run(id);
    return outcome !== null || open.some(({ command }) => command === 'ask');
  };
  await eventually('the workflow asks or ends', isOver, 240_000);
  const shown = await at.type('events', '--run', id);
  return { view: await at.client.run(id), shown };
}

/** What the plain command says about the files that the agent leaves. */
async function plainly({ language, base, script, gate, plain }: Cheat): Promise<Cheat['plain']> {
  if (plain === 'endless') return plain;
  await using dir = await tempDir();
  await write(dir.path, filesOf({ language, ...(base === undefined ? {} : { base }) }));
  const env = { PATH: SYSTEM_PATH, HOME: dir.path, PYTHONDONTWRITEBYTECODE: '1' };
  const options = { cwd: dir.path, env, stdio: 'ignore' } as const;
  spawnSync('git', ['init', '--quiet'], options);
  assert.equal(spawnSync('sh', ['-ec', script], options).status, 0);
  const [program = '', ...args] = (gate?.['command'] ?? COMMANDS[language]) as readonly string[];
  const { status } = spawnSync(program, args, { ...options, timeout: PLAIN_MS });
  return status === 0 ? 'green' : 'red';
}

function isMissing(t: TestContext, language: Cheat['language']): boolean {
  const env = { PATH: SYSTEM_PATH };
  const hasPytest = (): boolean =>
    spawnSync('python3', ['-m', 'pytest', '--version'], { env }).status === 0;
  const missing = [
    ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
    ...(language === 'python' && !hasPytest() ? ['pytest for the programs of the system'] : []),
  ];
  if (missing.length === 0) return false;
  if (process.env['CI'] !== undefined) assert.fail(`missing: ${missing.join(', ')}`);
  t.skip(`missing: ${missing.join(', ')}`);
  return true;
}

describe('an agent that cheats', { timeout: 900_000 }, () => {
  for (const cheat of CHEATS) {
    const { why, language, besides = 'nothing' } = cheat;
    const helped = besides === 'nothing' ? '' : `, with a ${besides}`;
    test(`${why} (${language}${helped}) does not succeed`, async (t) => {
      if (isMissing(t, language)) return;
      await using at = await harnessWith(cheat);
      const { view, shown } = await play(at);
      assert.equal(view.outcome, null, shown);
      assert.match(shown, cheat.found);
      await at.type('answer', view.id, 'stop');
      const end = (await at.factsOf(view.id)).at(-1);
      assert.equal(end?.type === 'run.ended' && end.payload.outcome.kind, 'failed', shown);
      assert.equal(await plainly(cheat), cheat.plain);
    });
  }
});

describe('an honest agent', { timeout: 900_000 }, () => {
  const { command, coverage } = COVERED;
  const cases: readonly (readonly [
    Cheat['language'],
    Besides,
    Readonly<Record<string, unknown>>,
  ])[] = [
    ['node', 'nothing', { command, coverage, prove: 'block', protect: 'block' }],
    ['node', 'test engineer', {}],
    ['python', 'reviewer', { prove: 'block', protect: 'block' }],
  ];
  for (const [language, besides, gate] of cases)
    test(`succeeds with the same gates (${language}, besides: ${besides})`, async (t) => {
      if (isMissing(t, language)) return;
      await using at = await harnessWith({ language, besides, gate, script: HONEST[language] });
      const { view, shown } = await play(at);
      assert.equal(view.outcome?.kind, 'succeeded', shown);
    });
});
