/** Healthy work in forms that a detector may not know: test runners, languages, tools of other servers, odd arguments. */
import { CliForms } from './cli-forms.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { at, bash, edit, failed, plan, read, turn, turns } from './turn-script.ts';

type Histories = readonly (readonly [why: string, script: readonly ScriptedTurn[]])[];

const tool = (name: string, input: unknown, output: string, isError = false): ScriptedStep => ({
  ...{ tool: name, input, output, isError },
});
const codex = new CliForms('codex');

/** Six red test runs of six parts, one after another, and then a fix. */
const RUNNERS: readonly (readonly [command: string, output: string])[] = [
  ['go test ./p', '--- FAIL: TestA (0.00s)\n    a_test.go:9: got 1\nFAIL\nFAIL\tx/p\t0.01s'],
  ['./test_p', '[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] X.p'],
  ['dotnet test p', 'Failed!  - Failed:     1, Passed:     9, Skipped:     0, Total:    10'],
  ['bun test p', ' 3 pass\n 2 fail\n 5 expect() calls'],
  ['npx jest p', '\u001b[1mTests:       \u001b[22m\u001b[1m\u001b[31m2 failed\u001b[39m, 5 total'],
  ['python -m unittest p', 'Ran 5 tests in 0.01s\n\nFAILED (errors=2)'],
  ['mvn -q test -pl p', '[ERROR] Tests run: 4, Failures: 1, Errors: 0\n[INFO] BUILD FAILURE'],
  ['vendor/bin/phpunit p', 'FAILURES!\nTests: 5, Assertions: 9, Failures: 2.'],
  ['mix test p', '10 tests, 2 failures'],
  ['bundle exec rspec p', '10 examples, 2 failures'],
  ['swift test --filter p', 'Executed 10 tests, with 1 failure (0 unexpected) in 0.1 seconds'],
  ['prove -v p', 'ok 1\nnot ok 2 - x\n1..2'],
  ['npx playwright test p', "Error: waiting for locator('#a')\n  1 failed"],
];

/** A change that no tool for files shows. */
const CHANGES: readonly (readonly [command: string, output: string])[] = [
  ["sed -i 's/a/b/' a.c", ''],
  ["perl -pi -e 's/x/y/' a.c", ''],
  ["python3 - <<'EOF'\nopen('a.c','w').write('')\nEOF", ''],
  ["cat > src/a.c <<'EOF'\nint x;\nEOF", ''],
  ['git apply /tmp/fix.patch', ''],
  ['cargo add serde', 'Adding serde'],
];

const MISSING: readonly (readonly [why: string, command: string, output: string])[] = [
  ['German', 'cat conf/a.toml', 'cat: conf/a.toml: Datei oder Verzeichnis nicht gefunden'],
  ['Chinese', 'ls conf', "ls: 无法访问 'conf': 没有那个文件或目录"],
  ['the words of Windows', 'type conf', 'The system cannot find the file specified.\r\n'],
  ['git', 'git show v1:a.ts', "fatal: invalid object name 'v1'."],
];

const WORK: Histories = [
  [
    'all checks of a project, one by one, to see what is wrong',
    [
      ...['lint', 'types', 'knip check', 'e2e', 'build', 'docs'].map((name) =>
        turn(failed(`npm run ${name}`)),
      ),
      turn(edit('a.ts')),
    ],
  ],
  [
    'ports that are in use, tried one after another',
    turns(6, (nth) =>
      turn(failed(`PORT=${3000 + nth} npm start`, `EADDRINUSE: already in use :::${3000 + nth}`)),
    ),
  ],
  [
    'edits with tools of other servers, checked each time',
    turns(40, (nth) =>
      nth % 2 === 0
        ? turn(tool('search_replace', { target_file: 'a.py', new_string: `${nth}` }, 'ok'))
        : turn(failed('mypy a.py', 'a.py:3: error: x')),
    ),
  ],
  [
    'edits with one editor tool, checked each time',
    turns(40, (nth) => {
      const input = { command: 'str_replace', path: 'a.py', new_str: `${nth}` };
      return nth % 2 === 0
        ? turn(tool('text_editor', input, 'ok'))
        : turn(failed('mypy a.py', 'a.py:3: error: x'));
    }),
  ],
  [
    'a patch of codex through its shell',
    turns(20, (nth) =>
      nth % 2 === 0
        ? turn(
            tool(
              'shell',
              { command: ['apply_patch', `*** Begin Patch\n*** Update File: a.c\n-${nth}\n+x`] },
              'Success. Updated the following files:\nM a.c',
            ),
          )
        : turn(tool('shell', { command: ['bash', '-lc', 'make'] }, 'error: x', true)),
    ),
  ],
  [
    'a change that is tried and taken back, and then another one',
    turns(32, (nth) =>
      turn(
        [
          read('a.ts', 'original'),
          edit('a.ts', `variant ${nth}`),
          failed('npm test', '39 passing\n1 failing'),
          bash('git checkout a.ts', 'Updated 1 path from the index'),
        ][nth % 4] ?? read('a.ts'),
      ),
    ),
  ],
  [
    'reviews side by side that say the same',
    turns(10, (nth) =>
      turn(
        ...[1, 2, 3].map(() =>
          tool('Task', { prompt: `review ${nth}`, subagent_type: 'reviewer' }, 'No findings.'),
        ),
      ),
    ),
  ],
  [
    'parts of a big file, read by codex',
    turns(60, (nth) =>
      turn(codex.shell(`sed -n '${nth * 100},${nth * 100 + 99}p' big.ts`, `line ${nth}`)),
    ),
  ],
  [
    'ids that a program makes',
    turns(9, (nth) => turn(bash('uuidgen | cut -c1-8', `a1b2c3d${nth}`))),
  ],
  [
    'outputs of 200 kB that differ at their end',
    turns(20, (nth) => turn(bash('make next', `${'x'.repeat(200_000)} ${nth}`))),
  ],
  [
    'names of tools and arguments that are not English',
    turns(20, (nth) => turn(tool('ファイルを読む', { パス: `${nth}` }, `内容 ${nth}`))),
  ],
  ['a tool without a name', turns(20, (nth) => turn(tool('', { x: nth }, `ok ${nth}`)))],
  ['a tool with a text as its arguments', turns(20, (nth) => turn(tool('x', `do ${nth}`, '')))],
  [
    'several compactions, and the same tests after each',
    turns(90, (nth) =>
      at(
        0.2 + (nth % 30) * 0.019,
        nth % 3 === 0 ? bash('npm test', '40 passing') : edit(`${nth}.ts`),
      ),
    ),
  ],
  [
    'a push that others are faster than',
    turns(18, (nth) =>
      turn(
        [
          bash('git log -1', `commit ${nth}`),
          failed('git push', '! [rejected] main -> main (fetch first)'),
          bash('git pull --rebase', 'Successfully rebased'),
        ][nth % 3] ?? read('a.ts'),
      ),
    ),
  ],
  [
    'a plan that has ended, and the diff of each file',
    [
      turn(edit('a.ts'), plan(3, 3)),
      ...turns(10, (nth) => ({
        ...turn(bash(`git diff -- ${nth}.ts`, `+ ${nth}`)),
        text: 'Everything is done, one last look.',
      })),
    ],
  ],
];

export const HEALTHY_SHAPES: Histories = [
  ...RUNNERS.map(
    ([command, output]) =>
      [
        `red test runs of several parts: ${command}`,
        [...turns(6, (nth) => turn(failed(`${command}${nth}`, output))), turn(edit('a'))],
      ] as const,
  ),
  ...CHANGES.map(
    ([command, output]) =>
      [
        `the same error until it is fixed with ${command.split(' ')[0] ?? ''}`,
        turns(20, (nth) =>
          turn(
            nth % 2 === 0
              ? bash(command.replace(/\b(?:a|x|fix|serde)\b/, `$&${nth}`), output)
              : failed('make', 'error: x'),
          ),
        ),
      ] as const,
  ),
  ...MISSING.map(
    ([why, command, output]) =>
      [
        `thirty things that are not there, in ${why}`,
        turns(30, (nth) => turn(failed(`${command}${nth}`, output))),
      ] as const,
  ),
  ...WORK,
];
