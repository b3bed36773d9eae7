/** Streams, terminals, languages and limits of the process that are not what a program expects. */
import { describe } from 'node:test';
import type { ClumsyCase } from './clumsy-world.ts';
import { testClumsyCases } from './clumsy-world.ts';

const STATUS = ['status'];
const NO_RUNS = /^No active runs\. Start one with: supervisor run/;
const FROM_STDIN = ['run', '-', '--agent', 'scripted', '--preflight-only'];
const PREFLIGHT = ['run', 'x', '--agent', 'scripted', '--preflight-only'];

function readingFrom(input: string): ClumsyCase['shell'] & {} {
  return (typed) => `${input} | ${typed}`;
}

const STREAMS: readonly ClumsyCase[] = [
  {
    act: 'standard input is closed',
    args: STATUS,
    shell: (typed) => `${typed} <&-`,
    code: 0,
    says: NO_RUNS,
  },
  {
    act: 'the task should come from a closed input',
    args: FROM_STDIN,
    shell: (typed) => `${typed} <&-`,
    code: 2,
    says: /The task is empty/,
    remedy: /supervisor run "fix the failing test"/,
  },
  {
    act: 'the task should come from an empty input',
    args: FROM_STDIN,
    shell: (typed) => `${typed} </dev/null`,
    code: 2,
    says: /The task is empty/,
    remedy: /supervisor run "fix the failing test"/,
  },
  {
    act: 'the task should come from a folder',
    args: FROM_STDIN,
    shell: (typed) => `${typed} </`,
    code: 2,
    says: /The task is empty|Standard input/,
    remedy: /supervisor run/,
  },
  {
    act: 'the task comes without an end',
    args: FROM_STDIN,
    shell: readingFrom('yes'),
    code: 2,
    says: /Standard input has more than 2000000 bytes/,
    remedy: /Put the long part into a file of the project/,
  },
  {
    act: 'the task is a program',
    args: FROM_STDIN,
    shell: readingFrom(String.raw`printf 'ELF\0\0\0'`),
    code: 2,
    says: /Standard input is not a text: it contains a NUL byte/,
    remedy: /Send a plain text in UTF-8/,
  },
  {
    act: 'the task has colours of a terminal',
    args: ['run', '\u001B[31mred\u001B[0m', '--agent', 'scripted', '--preflight-only'],
    code: 0,
    says: /A run could begin/,
  },
  {
    act: 'standard output is closed',
    args: STATUS,
    shell: (typed) => `${typed} >&-`,
    code: 0,
    says: /^$/,
  },
  {
    act: 'standard error is closed',
    args: STATUS,
    shell: (typed) => `${typed} 2>&-`,
    code: 0,
    says: NO_RUNS,
  },
  {
    act: 'all streams are closed',
    args: PREFLIGHT,
    shell: (typed) => `${typed} <&- >&- 2>&-`,
    code: 0,
    says: /^$/,
  },
  {
    act: 'the reader of the output leaves after a line',
    args: ['--help'],
    shell: (typed) => `${typed} | head -n 1`,
    code: 0,
    says: /^Usage: supervisor \[options\] \[command\]\n$/,
  },
  {
    act: 'no program reads the output',
    args: ['config'],
    shell: (typed) => `${typed} | true`,
    code: 0,
    says: /^$/,
  },
  {
    act: 'the output goes to a full disk',
    args: ['--help'],
    shell: (typed) => `${typed} >/dev/full`,
    code: 1,
    says: /The output can't be written: ENOSPC/,
    remedy: /Free some disk space, or send the output to another file/,
  },
];

/** A variable of the environment that means nothing, or something else. */
const VARIABLES: readonly (readonly [act: string, env: NodeJS.ProcessEnv])[] = [
  ['the terminal is dumb', { TERM: 'dumb', NO_COLOR: undefined }],
  ['the terminal is unknown', { TERM: 'nosuchterm', NO_COLOR: undefined }],
  ['there is no terminal', { TERM: undefined }],
  ['the terminal has 40 columns', { COLUMNS: '40' }],
  ['the terminal has no columns', { COLUMNS: '0' }],
  ['the columns are a word', { COLUMNS: 'wide' }],
  ['the columns are negative', { COLUMNS: '-1' }],
  ['the language is C', { LC_ALL: 'C', LANG: 'C' }],
  ['the language does not exist', { LC_ALL: 'xx_YY.nonsense' }],
  ['the time zone does not exist', { TZ: 'Nowhere/City' }],
  ['the folder for temporary files does not exist', { TMPDIR: '/nowhere' }],
  ['the folder for sockets is relative', { XDG_RUNTIME_DIR: 'here' }],
  ['the editor and the pager do not exist', { EDITOR: '/nowhere', PAGER: '/nowhere' }],
  ['an agent gets an empty key', { ANTHROPIC_API_KEY: '' }],
  ['an agent gets a key with a line end', { ANTHROPIC_API_KEY: 'sk-ant-x\n' }],
];

const LIMITS: readonly ClumsyCase[] = [
  ...[
    ['few files may be open', 'ulimit -n 40'],
    ['files may be small', 'ulimit -f 1000'],
    ['no file may be read by others, nor by the user', 'umask 777'],
    ['every file may be read by others', 'umask 000'],
    ['the command may not dump its memory', 'ulimit -c 0'],
  ].map(([act = '', limit]): ClumsyCase => ({
    act,
    args: [...PREFLIGHT, '--foreground'],
    env: (world) => ({ SUPERVISOR_HOME: world.at(`limited-${act.length}`) }),
    shell: (typed) => `${limit}; ${typed}`,
    code: 0,
    says: /A run could begin/,
  })),
  {
    act: 'no file may be written',
    args: ['run', 'x', '--agent', 'scripted'],
    env: (world) => ({ SUPERVISOR_HOME: world.at('unwritable') }),
    shell: (typed) => `ulimit -f 0; ${typed}`,
    code: 1,
    says: /can't be used: no file may become that large in this shell \(EFBIG\)/,
    remedy: /ulimit -f unlimited/,
  },
];

describe('streams and limits that are not what a program expects', { timeout: 600_000 }, () => {
  testClumsyCases([
    ...STREAMS,
    ...VARIABLES.map(([act, env]) => ({
      act,
      args: STATUS,
      env: () => env,
      code: 0,
      says: NO_RUNS,
    })),
    ...LIMITS,
  ]);
});
