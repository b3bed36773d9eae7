/** Work that goes wrong behind words, tools and notes that look like waiting, reading or being done. */
import type { DetectorName } from '../../src/protocol/contracts/steering-contract.ts';
import { CliForms } from './cli-forms.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { bash, edit, failed, read, turn, turns } from './turn-script.ts';

type Row = readonly [
  why: string,
  detector: DetectorName,
  within: number,
  script: readonly ScriptedTurn[],
];

const call = (name: string, input: unknown, output: string, isError = false): ScriptedStep => ({
  ...{ tool: name, input, output, isError },
});
const codex = new CliForms('codex');

/** The same failure five times, although its words or its command speak of waiting. */
const NO_WAITS: readonly (readonly [why: string, step: ScriptedStep])[] = [
  ['a pause before it', failed('sleep 5; make all', 'no rule to make target')],
  ['a pause before it, joined', failed('sleep 2 && npm run build', 'TS2304: x')],
  ['a lock file that is not up to date', failed('npm ci', 'the lock file is not up to date')],
  ['what could not be completed', failed('npm publish', 'could not complete the request')],
  ['what is not available', failed('rustup add x', "component 'x' is not available")],
  ['migrations that are pending', failed('bundle exec rspec', 'Migrations are pending.')],
  ['the same after a pause', failed('sleep 5; bin/rails test', 'Migrations are pending.')],
  [
    'a test that waits in vain',
    failed('npx playwright test', 'Timed out waiting 5000ms for expect(locator).toBeVisible()'),
  ],
  ['settings that are not ready', failed('make', 'config not ready')],
  ['a rebase in progress', failed('git rebase main', 'fatal: a rebase is in progress')],
  [
    'a browser that waits for an element',
    call(
      'browser_click',
      { ref: 'e1' },
      "Timeout 5000ms exceeded.\n - waiting for locator('#submit')",
      true,
    ),
  ],
  ['an option that switches watching off', failed('ng test --watch=false', 'Error: no config')],
  ['a word in a message', failed('git commit -m "Do not wait for it"', 'pre-commit failed')],
  [
    'a job that does not exist',
    call('BashOutput', { bash_id: 'b9' }, 'No shell found with ID: b9', true),
  ],
  [
    'a task that does not exist',
    call('TaskOutput', { task_id: 'b9' }, 'No task found with ID: b9', true),
  ],
  [
    'a tool that does not exist',
    call('shell', { command: 'ls' }, 'Error: No such tool available: shell', true),
  ],
  ['colours', failed('make all', '\u001b[31mno rule\u001b[0m')],
  ['another language', failed('make', 'make: *** Keine Regel, um „all“ zu erstellen.')],
  ['the line ends of Windows', failed('msbuild', 'error MSB1009\r\nTime Elapsed 00:00:01.12\r\n')],
];

/** What comes between two failures, and changes nothing. */
const BETWEEN: readonly (readonly [why: string, make: (nth: number) => ScriptedStep])[] = [
  [
    'a look with a tool of a server',
    (nth) => call('mcp__files__read_file', { path: `${nth}` }, `${nth}`),
  ],
  [
    'a look with a tool of a server, as copilot names it',
    (nth) => call('files-read_file', { path: `${nth}` }, `${nth}`),
  ],
  [
    'a look with the editor',
    (nth) => call('text_editor', { command: 'view', path: `${nth}` }, `${nth}`),
  ],
  ['a look at a notebook', (nth) => call('NotebookRead', { notebook_path: `${nth}` }, `${nth}`)],
  ['a web page', (nth) => bash(`curl -s https://docs/${nth}`, `page ${nth}`)],
  ['a search on the web', (nth) => call('WebSearch', { query: `no rule ${nth}` }, `${nth}`)],
  [
    'a note about a task',
    (nth) => call('TaskUpdate', { taskId: '1', activeForm: `try ${nth}` }, 'ok'),
  ],
  ['a list of tasks', () => call('TaskList', {}, '#1 make it')],
  [
    'a note in the table of copilot',
    (nth) => call('sql', { query: `UPDATE todos SET x = ${nth}` }, '1 row'),
  ],
  ['a note in the tracker of gemini', (nth) => call('tracker_update_task', { id: `${nth}` }, 'ok')],
  ['something to remember', (nth) => call('save_memory', { fact: `try ${nth}` }, 'Saved')],
];

/** The same answer that says nothing new, although its words speak of waiting. */
const NO_POLLS: readonly (readonly [why: string, step: ScriptedStep])[] = [
  ['a rebase in progress', bash('git status', 'interactive rebase in progress; onto abc')],
  ['a commit about building', bash('git log --oneline -1', 'abc1234 start building...')],
  ['a search for a word', bash('grep -rn sleep src', 'src/a.ts: sleep(5)')],
  ['a document about building', bash('cat README.md', 'It is building a lot...')],
  ['a build that ends well', bash('npm run build', 'building for production...\ndone in 3s')],
  ['a job that has failed', bash('gh run view 7', 'X build\nProcess completed with exit code 1.')],
  ['a crashed program', bash('kubectl get pod web', 'web 0/1 CrashLoopBackOff 12')],
  ['a log that has ended', bash('tail -3 build.log', 'cc 9.c\nBUILD SUCCESSFUL in 3m')],
  ['a long log that has ended', bash('cat build.log', `${'cc a.c\n'.repeat(90)}make: *** Error 1`)],
  ['a file that codex reads', codex.shell("sed -n '1,50p' a.ts", 'x')],
];

const DONE = [
  "I've completed everything.",
  'Task completed successfully.',
  'Everything is now in place and done.',
  'The implementation is complete.',
  'All tasks have been completed.',
];

export const WRONG_DISGUISES: readonly Row[] = [
  ...NO_WAITS.map(([why, step]): Row => [
    `it fails with ${why}`,
    'loop',
    5,
    turns(5, () => turn(step)),
  ]),
  ...BETWEEN.map(([why, make]): Row => [
    `between two failures: ${why}`,
    'loop',
    16,
    turns(16, (nth) => turn(nth % 2 === 0 ? make(nth) : failed('make all', 'no rule'))),
  ]),
  ...NO_POLLS.map(([why, step]): Row => [
    `it reads ${why}`,
    'stagnation',
    8,
    turns(8, () => turn(step)),
  ]),
  ...DONE.map((text): Row => [
    `it says: ${text}`,
    'completion-stall',
    9,
    turns(9, (nth) => ({
      ...turn(nth % 2 === 0 ? bash('git status', 'clean') : bash('git diff', '+x')),
      text,
    })),
  ]),
  [
    'two texts in turn, and no call',
    'no-op',
    7,
    turns(7, (nth) => ({
      ...{ steps: [], asksNothing: true },
      text: nth % 2 === 0 ? 'I continue.' : 'Continuing now.',
    })),
  ],
  [
    'the same two edits in turn, and the same red test',
    'stall',
    20,
    turns(20, (nth) =>
      turn(
        nth % 2 === 0
          ? failed('npm test', '39 passing\n1 failing')
          : edit('a.ts', nth % 4 === 1 ? 'x' : 'y'),
      ),
    ),
  ],
  [
    'a build in the background, and then the same three files',
    'stall',
    20,
    [turn(bash('make &', '')), ...turns(19, (nth) => turn(read(`${nth % 3}.ts`)))],
  ],
  [
    'notes about the same task, and nothing else',
    'stall',
    18,
    turns(18, () => turn(call('TaskList', {}, '#1 make it [in_progress]'))),
  ],
  [
    'the same timeout at the same place',
    'loop',
    5,
    turns(5, () => turn(failed('npm run x', 'Command timed out after 2m\nstep 3'))),
  ],
];
