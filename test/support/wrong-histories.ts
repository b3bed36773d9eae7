/** Work that goes wrong, also in disguise: each detector must find its kind, however an agent varies its calls. */
import type { DetectorName } from '../../src/protocol/contracts/steering-contract.ts';
import { CliForms } from './cli-forms.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { WRONG_DISGUISES } from './wrong-disguises.ts';
import {
  at,
  bash,
  broken,
  edit,
  failed,
  plan,
  read,
  SPECIALIST,
  turn,
  turns,
} from './turn-script.ts';

export type WrongHistory = readonly [
  why: string,
  detector: DetectorName,
  /** It is found within so many turns after the first one. */
  within: number,
  script: readonly ScriptedTurn[],
  role?: typeof SPECIALIST,
];

const call = (name: string, input: unknown, output: string, isError = true): ScriptedStep => ({
  ...{ tool: name, input, output, isError },
});
const said = (text: string, ...steps: readonly ScriptedStep[]): ScriptedTurn => ({ steps, text });
const hex = (nth: number): string => (0xa1b2c3d4 + nth * 0x9e3779b1).toString(16).slice(-8);
const refused = 'connect ECONNREFUSED 10.0.0.7:443';
const codex = new CliForms('codex');
const gemini = new CliForms('gemini');
const copilot = new CliForms('copilot');

/** One call that fails, in many disguises. */
const LOOPS: readonly WrongHistory[] = [
  ['the same call', 'loop', 5, turns(5, () => turn(failed('make all')))],
  [
    'temporary paths differ',
    'loop',
    5,
    turns(5, (nth) =>
      turn(failed(`./build --out /tmp/tmp.${hex(nth)}/out`, `no rule: /tmp/tmp.${hex(nth)}/out`)),
    ),
  ],
  [
    'times differ',
    'loop',
    5,
    turns(5, (nth) =>
      turn(failed(`./deploy --at 2026-11-19T10:0${nth}:00Z`, `10:0${nth}:01 denied by policy`)),
    ),
  ],
  [
    'times in a short form differ',
    'loop',
    5,
    turns(5, (nth) => turn(failed(`./backup --name db-20261119-10150${nth}`, 'target is locked'))),
  ],
  [
    'nanoseconds differ',
    'loop',
    5,
    turns(5, (nth) =>
      turn(failed(`./send --stamp 176354312345678901${nth}`, 'signature is wrong')),
    ),
  ],
  [
    'ids differ',
    'loop',
    5,
    turns(5, (nth) => turn(failed(`./job start --id ${hex(nth)}`, `job ${hex(nth)} rejected`))),
  ],
  [
    'a counter differs',
    'loop',
    5,
    turns(5, (nth) =>
      turn(failed(`./release.sh --attempt ${nth}`, `attempt ${nth} failed: wrong branch`)),
    ),
  ],
  [
    'a counter in an address differs',
    'loop',
    5,
    turns(5, (nth) => turn(failed(`curl -f "https://api.example/v1/users?retry=${nth}"`, refused))),
  ],
  [
    'a comment differs',
    'loop',
    5,
    turns(5, (nth) => turn(failed(`make all # once more, ${nth}`, 'no rule to make target'))),
  ],
  [
    'a counter in the arguments of a tool differs',
    'loop',
    5,
    turns(5, (nth) =>
      turn(
        call('mcp__db__query', { sql: 'select 1 from x', attempt: nth }, 'relation "x" is unknown'),
      ),
    ),
  ],
  [
    'the order of the arguments differs',
    'loop',
    5,
    turns(5, (nth) =>
      turn(
        call(
          'mcp__db__query',
          nth % 2 === 0 ? { sql: 'select', db: 'a' } : { db: 'a', sql: 'select' },
          'wrong sql',
        ),
      ),
    ),
  ],
  ['white space differs', 'loop', 5, turns(5, (nth) => turn(failed(`make${' '.repeat(nth)} all`)))],
  [
    'the remark differs',
    'loop',
    5,
    turns(5, (nth) =>
      turn(
        call('Bash', { command: 'make all', description: `Build it, part ${nth}` }, 'Exit code 2'),
      ),
    ),
  ],
  [
    'the words of codex around it differ',
    'loop',
    5,
    turns(5, () => turn(codex.shell('make all', 'no rule', 2))),
  ],
  [
    'the words of gemini around it differ',
    'loop',
    5,
    turns(5, () => turn(gemini.shell('make all', 'no rule', 2))),
  ],
  [
    'the words of copilot around it differ',
    'loop',
    5,
    turns(5, () => turn(copilot.shell('make all', 'no rule', 2))),
  ],
  [
    'the same failing test without a change',
    'loop',
    5,
    turns(5, (nth) => turn(failed('npm test', `Exit code 1\n39 passing (${nth}ms)\n1 failing`))),
  ],
  [
    'another file is read in between',
    'loop',
    16,
    turns(16, (nth) =>
      turn(nth % 2 === 0 ? read(`src/${nth}.ts`) : failed('npm run build', 'TS2304: x')),
    ),
  ],
  [
    'something is looked up in between with the shell',
    'loop',
    16,
    turns(16, (nth) =>
      turn(nth % 2 === 0 ? bash(`grep -n x${nth} src/a.ts`) : failed('npm run build', 'TS2304: x')),
    ),
  ],
  [
    'a file is read in the same turn',
    'loop',
    10,
    turns(10, (nth) => turn(read(`src/${nth}.ts`), failed('npm run build', 'TS2304: x'))),
  ],
  [
    'the agent sleeps in between, although time changes nothing',
    'loop',
    10,
    turns(10, (nth) =>
      turn(nth % 2 === 0 ? bash('sleep 5', '') : failed('cargo build', 'error[E0425]: x')),
    ),
  ],
  [
    'the agent notes what it intends in between',
    'loop',
    8,
    turns(8, (nth) => turn(nth % 2 === 0 ? plan(1, 4) : failed('make all'))),
  ],
  [
    'the same missing file again and again',
    'loop',
    5,
    turns(5, () => turn(call('Read', { file_path: '/app/a.ts' }, 'File does not exist.'))),
  ],
];

/** Several calls in turn. */
const CYCLES: readonly WrongHistory[] = [
  [
    'A, B, A, B',
    'oscillation',
    6,
    turns(6, (nth) => turn(failed(`npm run ${nth % 2 === 0 ? 'a' : 'b'}`))),
  ],
  [
    'A, B, A, B with other ids',
    'oscillation',
    6,
    turns(6, (nth) =>
      turn(failed(`./${nth % 2 === 0 ? 'stop' : 'start'} ${hex(nth)}`, `${hex(nth)} is unknown`)),
    ),
  ],
  [
    'A, B, A, B of two tools',
    'oscillation',
    6,
    turns(6, (nth) =>
      turn(
        nth % 2 === 0
          ? call(
              'Edit',
              { file_path: 'a.ts', old_string: 'x' },
              'String to replace not found in file.',
            )
          : failed('npm run fix', 'no such rule'),
      ),
    ),
  ],
  ['A, B, C, A, B, C', 'oscillation', 8, turns(8, (nth) => turn(failed(`npm run part${nth % 3}`)))],
  [
    'A, B, C, A, B, C with three kinds of errors',
    'stall',
    16,
    turns(16, (nth) =>
      turn(
        failed(
          ['make', 'npm ci', 'pip list'][nth % 3] ?? '',
          ['Permission denied', 'syntax error', 'refused'][nth % 3],
        ),
      ),
    ),
  ],
];

const TOOLS: readonly WrongHistory[] = [
  [
    'three tools',
    'cascade',
    5,
    turns(5, (nth) => turn(broken(['Bash', 'Read', 'Edit'][nth % 3] ?? '', `${nth}`))),
  ],
  [
    'four tools, with notes in between',
    'cascade',
    9,
    turns(9, (nth) =>
      turn(
        nth % 2 === 0
          ? plan(0, 3)
          : broken(['Bash', 'Read', 'Glob', 'Edit'][((nth - 1) / 2) % 4] ?? '', `${nth}`),
      ),
    ),
  ],
  [
    'a tool without permission, with other arguments each time',
    'tool-advice',
    5,
    turns(5, (nth) => turn(broken('Write', `/etc/${nth}`, 'EACCES: permission denied'))),
  ],
  [
    'edits that never find their text',
    'tool-advice',
    5,
    turns(5, (nth) =>
      turn(
        call(
          'Edit',
          { file_path: `src/${nth}.ts`, old_string: 'x' },
          'String to replace not found in file.',
        ),
      ),
    ),
  ],
  [
    'missing files without an end',
    'stall',
    70,
    turns(70, (nth) => turn(call('Read', { file_path: `/app/${nth}.ts` }, 'File does not exist.'))),
  ],
];

/** Calls that succeed and bring nothing. */
const IDLE: readonly WrongHistory[] = [
  [
    'the same call with the same output',
    'stagnation',
    8,
    turns(8, () => turn(bash('git status', 'clean'))),
  ],
  [
    'two calls in turn',
    'stagnation',
    8,
    turns(8, (nth) => turn(bash(nth % 2 === 0 ? 'git log' : 'git diff', 'x'))),
  ],
  [
    'only a temporary path differs',
    'stagnation',
    8,
    turns(8, (nth) => turn(bash(`cat /tmp/run-${hex(nth)}/report.txt`, 'nothing to report'))),
  ],
  [
    'only a time differs',
    'stagnation',
    8,
    turns(8, (nth) => turn(bash(`./look --until 10:15:0${nth}`, `10:15:0${nth} nothing`))),
  ],
  [
    'a job that ended long ago',
    'stagnation',
    10,
    turns(10, () => turn(bash('gh run view 7', 'completed success'))),
  ],
  ['three calls in turn', 'stall', 18, turns(18, (nth) => turn(read(`src/${nth % 3}.ts`)))],
  [
    'five calls in turn, with other temporary paths',
    'stall',
    22,
    turns(22, (nth) => turn(bash(`./probe ${nth % 5} /tmp/${hex(nth)}`, 'ok'))),
  ],
  [
    'the same ids that are looked up with other words',
    'stall',
    18,
    turns(18, (nth) =>
      turn(call('lookup', { id: nth % 4, reason: `try ${nth}` }, 'a result', false)),
    ),
  ],
  [
    'a passing test that is run without an end',
    'stall',
    16,
    turns(16, (nth) => turn(bash('npm test', `40 passing (${nth}ms)`))),
  ],
  ['the limit of a role', 'stall', 16, turns(16, (nth) => turn(read(`src/${nth}.ts`))), SPECIALIST],
  [
    'no call and no new text',
    'no-op',
    5,
    turns(5, () => ({ steps: [], asksNothing: true, text: 'I continue.' })),
  ],
  [
    'it says that it is done, and looks again',
    'completion-stall',
    8,
    turns(8, (nth) => said(`All done, check ${nth}.`, bash('git status', 'clean'))),
  ],
  [
    'its plan has ended, and it looks again',
    'completion-stall',
    8,
    [
      turn(edit('a.ts'), plan(2, 2)),
      ...turns(7, (nth) => turn(read(nth % 2 === 0 ? 'a.ts' : 'b.ts'))),
    ],
  ],
];

/** A failure that seems to be over, and a context without room. */
const REST: readonly WrongHistory[] = [
  [
    'a look between the same failures is no recovery',
    'false-recovery',
    6,
    [
      ...turns(3, () => turn(failed('make docs'))),
      turn(read('a.ts')),
      turn(failed('make docs')),
      turn(read('b.ts')),
    ],
  ],
  [
    'the same failure with other ids after a success',
    'false-recovery',
    7,
    [
      ...turns(3, (nth) => turn(failed(`./run --id ${hex(nth)}`, 'rejected'))),
      turn(bash('./run --help', 'usage')),
      turn(failed(`./run --id ${hex(9)}`, 'rejected')),
      turn(read('b.ts')),
    ],
  ],
  ['a context that is almost full', 'context', 5, turns(5, (nth) => at(0.82, edit(`${nth}.ts`)))],
  [
    'a context that stays full after a compaction',
    'context',
    9,
    [
      ...turns(3, (nth) => at(0.75, edit(`${nth}.ts`))),
      at(0.3, edit('x.ts')),
      ...turns(5, (nth) => at(0.98, edit(`y${nth}.ts`))),
    ],
  ],
  [
    'five failures of a role',
    'pace-contingent',
    8,
    turns(8, (nth) => turn(failed(`./plan-${String.fromCodePoint(97 + nth)}`, 'no result'))),
    SPECIALIST,
  ],
  [
    'no space for a role',
    'pace-emergency',
    6,
    turns(6, (nth) =>
      turn(failed(`./pack-${String.fromCodePoint(97 + nth)}`, 'ENOSPC: no space left on device')),
    ),
    SPECIALIST,
  ],
  [
    'a role that changes its approach with little room',
    'pace-flapping',
    16,
    [
      ...turns(3, (nth) =>
        at(0.82, failed(`./plan-${String.fromCodePoint(97 + nth)}`, 'no result')),
      ),
      ...turns(4, (nth) => at(0.82, edit(`src/${nth}.ts`))),
      ...turns(3, (nth) =>
        at(0.82, failed(`./plan-${String.fromCodePoint(107 + nth)}`, 'no result')),
      ),
      ...turns(4, (nth) => at(0.82, edit(`lib/${nth}.ts`))),
    ],
    SPECIALIST,
  ],
];

export const WRONG_HISTORIES: readonly WrongHistory[] = [
  ...LOOPS,
  ...CYCLES,
  ...TOOLS,
  ...IDLE,
  ...REST,
  ...WRONG_DISGUISES,
];
