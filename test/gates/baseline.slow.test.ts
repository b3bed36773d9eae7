/** Gates on the base of a run, in a real sandbox, with an agent that is a line of shell. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { SandboxedHarness, notesOf } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const SUM = 'export const add = (a, b) => a - b;\nexport const twice = (a) => a * 2;\n';
const TESTS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, twice } from './sum.mjs';
test('adds', () => assert.equal(add(1, 2), 3));
test('doubles', () => assert.equal(twice(2), 4));
`;

const GATES = [{ name: 'test', command: ['node', '--test'] }];
const CONFIG = {
  agents: [{ id: 'mine', cli: 'custom', command: ['sh', '-c', 'echo done'] }],
  sandbox: { backend: 'bubblewrap' },
};

/** A project with one red test, and the agent `mine`, which runs this script with the prompt in `$PROMPT`. */
async function redProject(script: string): Promise<SandboxedHarness> {
  const command = ['sh', '-c', `PROMPT=$(cat "$1"); ${script}`, 'mine', '{prompt_file}'];
  const agents = [{ id: 'mine', cli: 'custom', command }];
  const at = await SandboxedHarness.create({
    config: { agents, sandbox: { backend: 'bubblewrap' } },
  });
  await writeFile(join(at.project, 'sum.mjs'), SUM);
  await writeFile(join(at.project, 'sum.test.mjs'), TESTS);
  at.git('add', '--all');
  at.git('commit', '--quiet', '-m', 'red');
  return at;
}

async function lastRun(
  at: SandboxedHarness,
): Promise<{ readonly id: string; readonly facts: readonly StoredEvent[] }> {
  const [run] = await at.client.runs({ limit: 1 });
  const id = run?.id ?? '';
  return { id, facts: await at.factsOf(id) };
}

/** The commands in order, with how each gate got its outcome. */
function story(facts: readonly StoredEvent[]): readonly string[] {
  return facts.flatMap((fact) => {
    if (fact.type === 'run.ended') return [fact.payload.outcome.kind];
    if (fact.type !== 'command.ended' || fact.payload.end.kind !== 'done') return [];
    const { command, end } = fact.payload;
    if (command === 'attempt') return [`attempt ${end.result.kind}`];
    if (command === 'baseline') return [`base ${end.result.outcome.kind}, ${end.result.how}`];
    if (command !== 'gate') return [];
    const since = end.result.kind === 'failed' ? end.result.knownSince : undefined;
    return [`gate ${end.result.kind}${since === undefined ? '' : `, known since ${since}`}`];
  });
}

/** How many processes of gates were started. */
function started(facts: readonly StoredEvent[]): number {
  return notesOf(facts, 'judges').length;
}

const RUN = ['run', 'Fix it.', '--agent', 'mine', '--gate'];

describe('the base of a run', { skip, timeout: 300_000 }, () => {
  test('is judged before any agent starts: a gate that is misspelt ends the run', async () => {
    await using at = await redProject('echo done');
    const shown = await at.type(...RUN, 'nmp test');
    const { facts } = await lastRun(at);
    assert.deepEqual(story(facts), ['base unable, ran', 'refused']);
    assert.match(shown, /✖ gate nmp test can't run on the base\n/);
    assert.match(
      shown,
      /refused: gate nmp test can't run on the base, so no agent was started: .*\(exit 127\): nmp: not found.* Did you mean: npm test\? Correct the gate, or start without this check: --without-baseline\n/,
    );
    assert.match(await at.type('why', 'last'), /refused: gate nmp test can't run on the base/);
    // The user may insist.
    await at.type(...RUN, 'nmp test', '--without-baseline', '--once');
    assert.deepEqual(story((await lastRun(at)).facts), [
      'attempt completed',
      'gate unable',
      'failed',
    ]);
  });

  test('has no such script or module: the run ends before any agent starts, and names the nearest', async () => {
    await using at = await redProject('echo done');
    await writeFile(join(at.project, 'package.json'), '{"scripts":{"test":"node --test"}}');
    const gates: readonly (readonly [gate: string, words: RegExp])[] = [
      ['npm tset', /started: Unknown command: "tset"\s+Did you mean: npm test\?/],
      [
        'npm run tset',
        /started: npm (?:error|ERR!) Missing script: "tset"\s+Did you mean: npm test\?/,
      ],
      ['node sum.tset.mjs', /Did you mean: node sum\.test\.mjs\?/],
    ];
    for (const [gate, words] of gates) {
      const shown = await at.type(...RUN, gate);
      assert.deepEqual(story((await lastRun(at)).facts), ['base unable, ran', 'refused'], gate);
      assert.match(shown, words);
    }
  });

  test('is told apart from the work, is not judged again unchanged, and is stored', async () => {
    // The first attempt changes nothing. The second breaks one test and repairs the other.
    const script = `
      case $PROMPT in
        *"not run again"*) printf 'export const add = (a, b) => a + b;\\nexport const twice = (a) => a;\\n' >sum.mjs; echo repaired;;
        *"1 test is new"*) printf 'export const add = (a, b) => a + b;\\nexport const twice = (a) => a * 2;\\n' >sum.mjs; echo all good;;
        *) echo done;;
      esac`;
    await using at = await redProject(script);
    const shown = await at.type(...RUN, 'node --test');
    const { id, facts } = await lastRun(at);
    assert.deepEqual(story(facts), [
      'base failed, ran',
      'attempt completed',
      'gate failed, known since base',
      'attempt completed',
      'gate failed',
      'attempt completed',
      'gate passed',
      'succeeded',
    ]);
    assert.equal(started(facts), 3);
    assert.match(
      shown,
      /! gate node --test fails before the agent starts: 1 of 2 tests \(sum\.test\.mjs: adds\)\. The run must fix it\n/,
    );
    assert.match(shown, /gate node --test is not run again: no file changed since the base\n/);
    assert.match(shown, /\n {2}base +node --test: 1 test is fixed: sum\.test\.mjs: adds\n/);
    const why = await at.type('why', id);
    assert.match(why, /gate node --test fails before the agent starts: 1 of 2 tests \(/);
    assert.match(
      why,
      /gate node --test: 1 test is new: sum\.test\.mjs: doubles; 1 test is fixed: sum\.test\.mjs: adds/,
    );
    const result = await at.client.result(id);
    assert.deepEqual(result.baseline, [
      {
        name: 'node --test',
        state: 'failed',
        reused: false,
        tests: { passed: 1, failed: 1, skipped: 0 },
        failing: ['sum.test.mjs: adds'],
        since: {
          state: 'passed',
          compared_by: 'tests',
          still_failing: [],
          fixed: ['sum.test.mjs: adds'],
          newly_failing: [],
        },
      },
    ]);

    // The same base is not judged again by the next run, and a changed one is.
    const again = await at.type(...RUN, 'node --test', '--once');
    const next = await lastRun(at);
    assert.deepEqual(story(next.facts).slice(0, 2), ['base failed, reused', 'attempt completed']);
    assert.equal(started(next.facts), 0);
    assert.match(again, /1 of 2 tests \(.*\) \(judged by an earlier run\)\. The run must fix it\n/);
    await writeFile(join(at.project, 'other.txt'), 'more\n');
    await at.type(...RUN, 'node --test', '--once');
    assert.equal(story((await lastRun(at)).facts)[0], 'base failed, ran');
  });

  test('is judged by the check of a new project, and the first run reuses that', async () => {
    await using at = await redProject('echo done');
    await writeFile(join(at.home, 'config.yaml'), JSON.stringify({ ...CONFIG, gates: GATES }));
    const signal = new AbortController().signal;
    const states: string[] = [];
    for await (const step of at.client.checkBase({ project: at.project }, signal))
      states.push(`${step.name} ${step.state}`);
    assert.deepEqual(states, ['test started', 'test failed']);
    await at.type('run', 'Fix it.', '--agent', 'mine', '--once');
    assert.equal(story((await lastRun(at)).facts)[0], 'base failed, reused');
  });

  test('decides whether a gate needs dependencies that no copy has', async () => {
    await using at = await redProject('echo done');
    const files = {
      '.gitignore': 'node_modules/\n',
      'package.json': '{"scripts":{"test":"node a.mjs"},"devDependencies":{"a":"1"}}',
      'package-lock.json': '{}',
      'a.mjs': 'import "left-pad";\n',
    };
    for (const [path, text] of Object.entries(files)) await writeFile(join(at.project, path), text);
    await mkdir(join(at.project, 'node_modules/a'), { recursive: true });
    await writeFile(join(at.project, 'node_modules/a/index.js'), '');
    // A red test that found all of its modules is work for the run.
    await at.type(...RUN, 'node --test', '--once');
    assert.equal(story((await lastRun(at)).facts)[0], 'base failed, reused');
    const { id } = await lastRun(at);
    // It refuses the run that would lack a package.
    const refused = await at.type(...RUN, 'npm test', '--once').catch(String);
    assert.match(refused, /The gate "npm test" needs node_modules/);
    assert.equal((await lastRun(at)).id, id);
    // The same gate without the package is green, so that nothing is missing.
    await writeFile(join(at.project, 'a.mjs'), 'console.log(1);\n');
    await at.type(...RUN, 'npm test', '--once');
    assert.equal(story((await lastRun(at)).facts)[0], 'base passed, reused');
  });

  test('that could not be judged is judged when the run is resumed', async () => {
    await using at = await redProject('echo done');
    const gate = join(at.root, 'user', 'later');
    await at.type(...RUN, `${gate} now`);
    const { id, facts } = await lastRun(at);
    assert.deepEqual(story(facts), ['base unable, ran', 'refused']);
    await at.type('resume', id);
    const resumed = await lastRun(at);
    assert.deepEqual(story(resumed.facts), ['base unable, ran', 'refused']);
    assert.notEqual(resumed.id, id);
  });
});
