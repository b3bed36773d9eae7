/** Long healthy work that looks wrong at first sight. Each history is one in which a careless detector would speak. */
import { HEALTHY_POLLS } from './healthy-polls.ts';
import { HEALTHY_SHAPES } from './healthy-shapes.ts';
import { HEALTHY_WAITS } from './healthy-waits.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { at, bash, broken, edit, failed, plan, read, turn, turns } from './turn-script.ts';

type Histories = readonly (readonly [why: string, script: readonly ScriptedTurn[]])[];

const missing = (path: string): ScriptedStep => ({
  ...read(path, 'File does not exist. Note: your current working directory is /work/app.'),
  isError: true,
});
const tool = (name: string, input: unknown, output: string, isError = false): ScriptedStep => ({
  tool: name,
  input,
  output,
  isError,
});
const cell = (id: number, output: string, isError = false): ScriptedStep =>
  tool('execute_cell', { cell_id: id }, output, isError);
const hex = (nth: number): string => (0xa1b2c3d4 + nth * 0x9e3779b1).toString(16).slice(-8);

/** The work itself repeats something. */
const REPETITIONS: Histories = [
  [
    'the same failing test with another message each time',
    turns(12, (nth) =>
      turn(
        failed(
          'npm test -- cart',
          `1 failing\nexpected ${['a', 'b', 'c', 'd'][nth % 4]} of ${nth}`,
        ),
      ),
    ),
  ],
  [
    'a flaky test, run twelve times to see how often it fails',
    turns(12, (nth) =>
      turn(
        nth % 3 === 0
          ? failed('npm test -- flaky', `11 passing\n1 failing (${nth}ms)`)
          : bash('npm test -- flaky', `12 passing (${nth}ms)`),
      ),
    ),
  ],
  [
    'a fixed flaky test, run ten times to be sure',
    [
      turn(edit('flaky.test.ts')),
      ...turns(10, (nth) => turn(bash('npm test -- flaky', `12 passing (${nth}ms)`))),
      turn(bash('git commit -am fix', '[main] fix')),
    ],
  ],
  [
    'a benchmark, run ten times',
    turns(10, (nth) => turn(bash('npm run bench', `${1000 + nth * 7} op/s`))),
  ],
  [
    'a fuzzer with another seed each time',
    turns(20, (nth) => turn(bash(`npm run fuzz -- --seed ${nth}`, 'no crash'))),
  ],
  [
    'a bisection by hand in which every commit passes',
    turns(9, (nth) =>
      turn(bash(`git checkout -q ${hex(nth)} && npm test`, `40 passing (${nth}ms)`)),
    ),
  ],
  [
    'a bisection by hand in which every commit fails',
    turns(18, (nth) =>
      turn(
        nth % 2 === 0
          ? failed('npm test', 'Exit code 1\n39 passing\n1 failing')
          : bash(`git checkout -q ${hex(nth)}`, ''),
      ),
    ),
  ],
  [
    'a bisection with a script',
    turns(10, (nth) =>
      turn(
        bash(
          'git bisect bad',
          `Bisecting: ${200 >> nth} revisions left to test after this\n[${hex(nth)}] part`,
        ),
      ),
    ),
  ],
  [
    'eight containers that are removed one by one',
    turns(8, (nth) => turn(bash(`docker rm -f ${hex(nth)}`, hex(nth)))),
  ],
  [
    'commits that are looked at one by one',
    turns(14, (nth) => turn(bash(`git branch --contains ${hex(nth)}`, '* main'))).slice(0, 9),
  ],
  [
    'migrations, one step at a time',
    turns(9, (nth) =>
      turn(
        bash('alembic upgrade +1', `Running upgrade ${hex(nth)} -> ${hex(nth + 1)}, step ${nth}`),
      ),
    ),
  ],
  [
    'a rebase in which every commit has a conflict',
    turns(30, (nth) =>
      nth % 3 === 1
        ? turn(failed('git rebase --continue', 'CONFLICT (content): Merge conflict in src/a.ts'))
        : nth % 3 === 2
          ? turn(edit('src/a.ts', `side ${nth}`))
          : turn(bash('git add src/a.ts', '')),
    ),
  ],
  [
    'screenshots in a temporary folder, read one after another',
    turns(8, (nth) => turn(read(`/tmp/shot-${nth}.png`, '[image]'))),
  ],
  [
    'a session of a REPL',
    turns(40, (nth) =>
      turn(tool('repl', { code: `step(${nth})` }, nth % 4 === 0 ? '' : `${nth * nth}`)),
    ),
  ],
  [
    'a session of a REPL in a terminal of codex',
    turns(30, (nth) =>
      turn(tool('write_stdin', { session_id: 2, chars: `f(${nth})\n` }, `>>> ${nth}`)),
    ),
  ],
  [
    'cells of a notebook that are changed and run',
    turns(40, (nth) =>
      nth % 2 === 0
        ? turn(
            tool(
              'NotebookEdit',
              { notebook_path: 'a.ipynb', cell_id: nth, new_source: `x = ${nth}` },
              'ok',
            ),
          )
        : turn(cell(nth, nth % 5 === 0 ? 'NameError: x' : `${nth}`, nth % 5 === 0)),
    ),
  ],
  ['all cells of a notebook, run from the first one', turns(30, (nth) => turn(cell(nth, '')))],
  [
    'a formatter after each edit',
    turns(60, (nth) =>
      nth % 2 === 0
        ? turn(bash('npx prettier --write .', 'src/a.ts 20ms (unchanged)'))
        : turn(edit(`src/${nth}.ts`)),
    ),
  ],
  [
    'edits through a tool of a language server, checked each time',
    turns(40, (nth) =>
      nth % 2 === 0
        ? turn(
            tool(
              'mcp__serena__replace_symbol_body',
              { relative_path: 'a.py', name_path: `f${nth}`, body: 'x' },
              'OK',
            ),
          )
        : turn(failed('mypy a.py', 'a.py:3: error: Incompatible types\nFound 1 error')),
    ),
  ],
  [
    'edits by a program that no tool shows',
    turns(30, (nth) =>
      nth % 2 === 0
        ? turn(bash(`python tools/rename.py old${nth} new${nth}`, 'done'))
        : turn(failed('cargo check', 'error[E0425]: cannot find value')),
    ),
  ],
  [
    'the same call of an API for each page',
    turns(30, (nth) => turn(tool('mcp__github__list_issues', { page: nth }, '[]'))),
  ],
  [
    'a game that is played with the same two keys',
    turns(30, (nth) =>
      turn(tool('browser_press_key', { key: nth % 2 === 0 ? 'Tab' : 'Enter' }, `focus ${nth}`)),
    ),
  ],
];

/** What is asked for is not there, or not allowed. */
const ANSWERS: Histories = [
  [
    'thirty missing files while it looks for the layout',
    turns(30, (nth) => turn(missing(`config/${nth}.json`))),
  ],
  [
    'thirty missing files with the shell',
    turns(30, (nth) =>
      turn(failed(`cat conf/${nth}.toml`, `cat: conf/${nth}.toml: No such file or directory`)),
    ),
  ],
  [
    'thirty missing files, as opencode shows them',
    turns(30, (nth) =>
      turn(tool('read', { filePath: `/app/${nth}.ts` }, `File not found: /app/${nth}.ts`, true)),
    ),
  ],
  ['programs that are looked for one by one', turns(12, (nth) => turn(failed(`which tool${nth}`)))],
  [
    'fifty searches without a result',
    turns(50, (nth) => turn(failed(`grep -rn "legacy${nth}" src`, 'Exit code 1'))),
  ],
  [
    'fifty searches without a result by a tool',
    turns(50, (nth) => turn(tool('Grep', { pattern: `legacy${nth}` }, 'No matches found'))),
  ],
  [
    'denied commands, each with a way around it',
    turns(30, (nth) =>
      nth % 2 === 1
        ? turn(
            failed(
              `sudo make part${nth}`,
              'Permission to use Bash with command sudo has been denied.',
            ),
          )
        : turn(bash(`make part${nth} PREFIX=$HOME`, 'installed')),
    ),
  ],
  [
    'a folder without write permission, and another one that works',
    [
      turn(failed('mkdir /opt/app', 'mkdir: cannot create directory: Permission denied')),
      turn(failed('sudo mkdir /opt/app', 'sudo: a password is required')),
      turn(bash('mkdir -p build/app', '')),
      ...turns(10, (nth) => turn(edit(`build/app/${nth}.ts`))),
    ],
  ],
  [
    'edits that miss their text, each after a fresh look',
    turns(40, (nth) =>
      nth % 4 === 1
        ? turn({
            ...edit(`src/${nth}.ts`),
            isError: true,
            output: 'String to replace not found in file.',
          })
        : nth % 4 === 2
          ? turn(read(`src/${nth - 1}.ts`))
          : turn(edit(`src/${nth}.ts`)),
    ),
  ],
  [
    'a file that must be read before each edit',
    turns(30, (nth) =>
      nth % 3 === 1
        ? turn({
            ...edit(`src/${nth}.ts`),
            isError: true,
            output: 'File has not been read yet. Read it first.',
          })
        : nth % 3 === 2
          ? turn(read(`src/${nth - 1}.ts`))
          : turn(edit(`src/${nth - 2}.ts`)),
    ),
  ],
  [
    'a package that is looked for under several names',
    [
      turn(
        failed(
          'pip install yaml',
          'ERROR: Could not find a version that satisfies the requirement yaml',
        ),
      ),
      turn(
        failed(
          'pip install py-yaml',
          'ERROR: Could not find a version that satisfies the requirement py-yaml',
        ),
      ),
      turn(bash('pip install pyyaml', 'Successfully installed')),
      turn(bash('python a.py', 'ok')),
    ],
  ],
];

/** A conversation that is longer than its context, or one of several. */
const CONVERSATIONS: Histories = [
  [
    'a context that is compacted five times',
    turns(100, (nth) =>
      at(0.15 + (nth % 20) * 0.03, read(`src/${nth % 20}.ts`), edit(`src/${nth}.ts`)),
    ),
  ],
  [
    'the same thirty files, read again after every compaction',
    turns(90, (nth) => at(0.2 + (nth % 30) * 0.015, read(`src/${nth % 30}.ts`))),
  ],
  [
    'subagents that end with the same words',
    turns(20, (nth) =>
      turn(tool('Task', { description: `part ${nth}`, prompt: `do part ${nth}` }, 'Done.')),
    ),
  ],
  [
    'four subagents side by side that fail once',
    turns(12, (nth) =>
      turn(
        ...[1, 2, 3, 4].map((place) =>
          tool(
            'Task',
            { prompt: `part ${nth}.${place}` },
            nth === 3 ? 'API Error: 500' : `part ${nth} ok`,
            nth === 3,
          ),
        ),
      ),
    ),
  ],
  [
    'each part of a long task, announced as done',
    turns(30, (nth) => ({ ...turn(edit(`src/${nth}.ts`)), text: `Part ${nth} is done.` })),
  ],
  [
    'a plan that grows while the work continues',
    turns(30, (nth) => turn(edit(`src/${nth}.ts`), plan(nth, nth + 1))),
  ],
  [
    'a plan that has ended, while a pipeline is awaited',
    [
      turn(edit('a.ts'), plan(3, 3)),
      ...turns(30, () => turn(bash('gh run view 7', 'status: in_progress'))),
      turn(bash('gh run view 7', 'completed success')),
    ],
  ],
  [
    'several tools that fail side by side in one turn',
    turns(10, (nth) =>
      nth % 2 === 0
        ? turn(edit(`src/${nth}.ts`))
        : turn(
            broken('Read', `${nth}`, 'No such file'),
            failed(`ls x${nth}`),
            broken('Glob', `${nth}`),
          ),
    ),
  ],
  [
    'an agent that thinks aloud between its calls',
    turns(40, (nth) =>
      nth % 3 === 0
        ? turn(edit(`src/${nth}.ts`))
        : { steps: [], text: `I think about ${nth}.`, asksNothing: true },
    ),
  ],
];

export const HEALTHY_HISTORIES: Histories = [
  ...HEALTHY_WAITS,
  ...HEALTHY_POLLS,
  ...HEALTHY_SHAPES,
  ...REPETITIONS,
  ...ANSWERS,
  ...CONVERSATIONS,
];
