/** Long healthy work, in which nothing may be found: a false message costs more than a missed one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HEALTHY_HISTORIES } from '../../test/support/healthy-histories.ts';
import type { ScriptedStep, ScriptedTurn } from '../../test/support/turn-script.ts';
import {
  at,
  bash,
  edit,
  failed,
  firedIn,
  plan,
  read,
  turn,
  turns,
  watchScript,
} from '../../test/support/turn-script.ts';

const tests = (failing: number, nth = 0): ScriptedStep =>
  failing === 0
    ? bash('npm test', `${40 + nth} passing (1${nth}ms)`)
    : failed('npm test', `Exit code 1\n${40 - failing} passing (${nth}s)\n${failing} failing`);
const grep = (nth: number): ScriptedStep => ({
  ...{ tool: 'Grep', input: { pattern: `name${nth}` }, isError: false },
  output: nth % 3 === 0 ? 'No matches' : `src/${nth}.ts: name${nth}`,
});
const task = (nth: number): ScriptedStep => ({
  ...{ tool: 'Task', input: { prompt: `part ${nth}` }, isError: false },
  output: `Part ${nth} is done.`,
});
const output = (id: string, text: string): ScriptedStep => ({
  ...{ tool: 'BashOutput', input: { bash_id: id }, output: text, isError: false },
});

const HEALTHY: readonly [why: string, script: readonly ScriptedTurn[]][] = [
  [
    'a long build in one call',
    [turn(bash('make all', 'ok')), turn(edit('a.c')), turn(bash('make all', 'ok 2'))],
  ],
  [
    'a long build in the background, read fifty times',
    turns(50, (nth) => turn(output('b1', nth < 50 ? 'compiling' : 'done'))),
  ],
  [
    'a build that sleeps between looks',
    turns(40, () => turn(bash('sleep 30; tail -1 build.log', 'compiling'))),
  ],
  [
    'a build with a different last line each time',
    turns(40, (nth) => turn(bash('tail -1 build.log', `[${nth}/200] cc file${nth}.c`))),
  ],
  [
    'a compiler with many errors, fixed one by one',
    turns(30, (nth) =>
      nth % 2 === 0
        ? turn(edit(`src/${nth}.ts`))
        : turn(failed('tsc', `Exit code 2\nsrc/${nth}.ts: error`)),
    ),
  ],
  [
    'a test that is fixed in twenty rounds',
    turns(40, (nth) => (nth % 2 === 0 ? turn(edit('src/a.ts', `try ${nth}`)) : turn(tests(3)))),
  ],
  [
    'a test suite that becomes green step by step',
    turns(20, (nth) => turn(edit(`src/${nth}.ts`), tests(20 - nth, nth))),
  ],
  [
    'a failing test that is looked at from all sides before the fix',
    [
      turn(tests(2)),
      turn(read('a.ts')),
      turn(tests(2)),
      turn(grep(1)),
      turn(tests(2)),
      turn(read('b.ts')),
      turn(edit('a.ts')),
      turn(tests(0)),
    ],
  ],
  [
    'the same failing test with three different options',
    [
      turn(tests(1)),
      turn(failed('npm test -- --verbose', '1 failing')),
      turn(failed('npm test -- a.test.ts', '1 failing')),
      turn(edit('a.ts')),
      turn(tests(0)),
    ],
  ],
  [
    'a flaky test that is run again',
    [
      turn(tests(1)),
      turn(tests(0)),
      turn(tests(0)),
      turn(tests(0)),
      turn(edit('a.ts')),
      turn(tests(0)),
    ],
  ],
  [
    'test-driven work: red, green, red, green',
    turns(40, (nth) => turn(edit(`src/a${nth}.ts`), tests(nth % 2))),
  ],
  [
    'edits with a stream editor',
    turns(30, (nth) =>
      nth % 3 === 0 ? turn(tests(2)) : turn(bash(`sed -i s/a${nth}/b/ src/a.ts`, '')),
    ),
  ],
  [
    'a refactoring of a hundred files',
    turns(100, (nth) => turn(read(`src/${nth}.ts`), edit(`src/${nth}.ts`))),
  ],
  [
    'moving thirty files without any output',
    turns(30, (nth) => turn(bash(`git mv src/${nth}.ts lib/${nth}.ts`, ''))),
  ],
  [
    'a refactoring that begins with reading sixty files',
    [
      ...turns(60, (nth) => turn(read(`src/${nth}.ts`))),
      ...turns(20, (nth) => turn(edit(`src/${nth}.ts`))),
    ],
  ],
  [
    'a rename with a search before each edit',
    turns(40, (nth) => turn(grep(nth), edit(`src/${nth}.ts`))),
  ],
  [
    'the same file edited thirty times',
    turns(30, (nth) => turn(edit('src/big.ts', `part ${nth}`))),
  ],
  [
    'the same file read again after each edit',
    turns(30, (nth) =>
      nth % 2 === 0
        ? turn(edit('src/big.ts', `${nth}`))
        : turn(read('src/big.ts', `version ${nth}`)),
    ),
  ],
  [
    'a review that only reads, for eighty turns',
    turns(80, (nth) => turn(read(`src/${nth}.ts`), grep(nth))),
  ],
  [
    'a search with many empty results',
    turns(40, (nth) => turn({ ...grep(nth), output: 'No matches' })),
  ],
  [
    'a slow job that is polled with a sleep',
    turns(60, () => turn(bash('sleep 20 && gh run view 7', 'queued'))),
  ],
  [
    'a slow job that is polled without a sleep',
    turns(60, () => turn(bash('gh run view 7', 'status: in_progress'))),
  ],
  [
    'a service that is not up yet',
    turns(12, () =>
      turn(failed('until curl -sf localhost:3000; do sleep 1; done', 'Connection refused')),
    ),
  ],
  [
    'a job that fails its check until it is done',
    turns(20, () => turn(failed('./check-job.sh', 'Job 7 is still running'))),
  ],
  [
    'subagents side by side, one after another',
    turns(20, (nth) => turn(task(nth), task(nth + 100))),
  ],
  [
    'a turn with twenty reads at once',
    turns(10, (round) =>
      turn(...Array.from({ length: 20 }, (_, nth) => read(`${round}/${nth}.ts`))),
    ),
  ],
  [
    'a plan of thirty items, ended one by one',
    turns(30, (nth) => turn(edit(`${nth}.ts`), plan(nth, 30))),
  ],
  [
    'a plan that has ended, and a careful check of the work',
    [
      turn(edit('a.ts'), plan(3, 3)),
      turn(tests(0)),
      turn(bash('npm run lint', 'ok')),
      turn(bash('git diff', '+ a')),
      turn(bash('git status', 'M a.ts')),
    ],
  ],
  [
    'a context that grows and is compacted below the limit',
    turns(60, (nth) => at(0.2 + (nth % 20) * 0.03, read(`${nth}.ts`), edit(`${nth}.ts`))),
  ],
  [
    'files read again after a compaction',
    [
      ...turns(20, (nth) => at(0.5 + nth / 100, read(`${nth}.ts`))),
      ...turns(20, (nth) => at(0.2, read(`${nth}.ts`))),
      turn(edit('a.ts')),
    ],
  ],
  [
    'a download that is retried with success',
    turns(30, (nth) =>
      turn(
        nth % 3 === 0
          ? bash(`curl -O host/${nth}`, '')
          : failed(`curl -O host/${nth - (nth % 3)}`, 'Connection reset'),
      ),
    ),
  ],
  [
    'a missing program, replaced by another',
    [
      turn(failed('python a.py', 'python: command not found')),
      turn(failed('py a.py', 'py: command not found')),
      turn(bash('python3 a.py', 'ok')),
    ],
  ],
  [
    'three different mistakes in a row, then success',
    [
      turn(failed('make', 'No such file')),
      turn(failed('make a', 'syntax error')),
      turn(failed('sudo make a', 'Permission denied')),
      turn(bash('make -C lib', 'ok')),
      turn(edit('a.ts')),
    ],
  ],
  [
    'a wrong path that is corrected',
    [
      turn({ ...read('a.ts'), isError: true, output: 'File does not exist.' }),
      turn({ ...read('src/a.ts'), isError: true, output: 'File does not exist.' }),
      turn(bash('ls')),
      turn(read('lib/a.ts')),
    ],
  ],
  [
    'a bisection over many commits',
    turns(12, (nth) =>
      turn(
        bash(`git bisect ${nth % 2 === 0 ? 'good' : 'bad'}`, `${200 - nth * 10} revisions left`),
      ),
    ),
  ],
  [
    'commits in small steps',
    turns(30, (nth) =>
      turn(
        edit(`${nth}.ts`),
        bash('git add -A', ''),
        bash(`git commit -m ${nth}`, `[main ${nth}]`),
      ),
    ),
  ],
];

describe('nothing is found in healthy work', () => {
  const all = [...HEALTHY, ...HEALTHY_HISTORIES];
  for (const [why, script] of all) test(why, () => assert.deepEqual(firedIn(script), []));

  test('in at least a hundred and eighty histories', () => assert.ok(all.length >= 180));

  test('with a check after every turn', () => {
    const fired = all.flatMap(([why, script]) =>
      watchScript(script, { steering: { checkTurns: 1, cooldownTurns: 1 } }).found.map(
        (found) => `${why}: ${found}`,
      ),
    );
    assert.deepEqual(fired, []);
  });
});
