/** Values that an option can't have, and things that do not exist: one clear sentence, a remedy, and nothing is lost. */
import type { ClumsyRow } from '../../../test/support/clumsy-rows.ts';
import { describeClumsyRows } from '../../../test/support/clumsy-rows.ts';

const RUN = ['run', 'x', '--agent', 'scripted'];

const MISTYPED: readonly ClumsyRow[] = [
  [
    'a negative budget',
    [...RUN, '--budget-usd', '-5'],
    /'-5' is invalid/,
    /from 0\.01 to 1000000, such as 2\.50/,
  ],
  ['a budget in words', [...RUN, '--budget-usd', 'five'], /'five' is invalid/, /such as 2\.50/],
  [
    'a budget with a currency sign',
    [...RUN, '--budget-usd', '$5'],
    /'\$5' is invalid/,
    /such as 2\.50/,
  ],
  ['a budget with a comma', [...RUN, '--budget-usd', '2,50'], /'2,50' is invalid/, /such as 2\.50/],
  [
    'a budget in hexadecimal',
    [...RUN, '--budget-usd', '0x10'],
    /'0x10' is invalid/,
    /such as 2\.50/,
  ],
  [
    'a budget with an exponent',
    [...RUN, '--budget-usd', '1e3'],
    /'1e3' is invalid/,
    /such as 2\.50/,
  ],
  [
    'an endless budget',
    [...RUN, '--budget-usd', 'Infinity'],
    /'Infinity' is invalid/,
    /such as 2\.50/,
  ],
  ['a budget of nothing', [...RUN, '--budget-usd', '0'], /'0' is invalid/, /such as 2\.50/],
  ['an empty budget', [...RUN, '--budget-usd', ''], /'' is invalid/, /such as 2\.50/],
  [
    'tokens with a unit',
    [...RUN, '--budget-tokens', '1k'],
    /'1k' is invalid/,
    /from 1 to 1000000000000/,
  ],
  ['no tokens', [...RUN, '--budget-tokens', '0'], /'0' is invalid/, /from 1 to 1000000000000/],
  [
    'too many tokens',
    [...RUN, '--budget-tokens', '999999999999999'],
    /is invalid/,
    /from 1 to 1000000000000/,
  ],
  [
    'a deadline with an unknown unit',
    [...RUN, '--deadline', '30min'],
    /'30min' is invalid/,
    /such as 90s, 30m or 2h/,
  ],
  [
    'a deadline without a unit',
    [...RUN, '--deadline', '5'],
    /'5' is invalid/,
    /Name the unit: 5s, 5m or 5h\./,
  ],
  [
    'a negative deadline',
    [...RUN, '--deadline', '-5m'],
    /'-5m' is invalid/,
    /such as 90s, 30m or 2h/,
  ],
  ['an empty deadline', [...RUN, '--deadline', ''], /'' is invalid/, /such as 90s, 30m or 2h/],
  ['a deadline of no time', [...RUN, '--deadline', '0s'], /'0s' is invalid/, /from 1s to 30d/],
  [
    'a deadline of centuries',
    [...RUN, '--deadline', '9999999h'],
    /'9999999h' is invalid/,
    /from 1s to 30d/,
  ],
  ['an empty chain', ['run', 'x', '--chain', ''], /'' is invalid/, /such as claude,codex/],
  [
    'a program for notifications that is not there',
    [...RUN, '--notify', 'no-such-program --now'],
    /The owner finds no program "no-such-program" for notifications/,
    /write its whole path/,
  ],
  [
    'a preset that is not there',
    [...RUN, '--preset', 'fast'],
    /'--preset <name>' argument 'fast' is invalid/,
    /Use one of: fallback-first, retry-then-fallback/,
  ],
  [
    'a setting without a value',
    [...RUN, '--set', 'attempt.grace'],
    /expected key=value.*found the key "attempt\.grace"/,
    /such as attempt\.grace=5s/,
  ],
  [
    'a setting with a typo',
    [...RUN, '--set', 'recovery.prest=x'],
    /unknown key "prest" in recovery/,
    /did you mean "preset"/,
  ],
  [
    'a setting without a name',
    [...RUN, '--set', '='],
    /expected key=value/,
    /such as attempt\.grace=5s/,
  ],
  [
    'a setting of the language',
    [...RUN, '--set', '__proto__.x=1'],
    /unknown key "__proto__"/,
    /supervisor schema config/,
  ],
  [
    'a setting of the wrong type',
    [...RUN, '--set', 'limits.attempts=many'],
    /found "many"/,
    /expected a whole number from 1 to 1000/,
  ],
  [
    'an agent with a typo',
    ['run', 'x', '--agent', 'cluade'],
    /no agent "cluade"/,
    /did you mean "claude"/,
  ],
  [
    'a scripted agent with a typo',
    ['run', 'x', '--agent', 'scripted:crashs'],
    /no agent "scripted:crashs" here \(did you mean "scripted:crashes"\?\)/,
    /one of these names: works-in-steps, .*writes-nul-bytes/,
  ],
  ['an agent without a name', ['run', 'x', '--agent', ''], /no agent ""/, /Use one of: scripted/],
  [
    'a chain that ends with commas',
    ['run', 'x', '--chain', 'scripted,,'],
    /'scripted,,' is invalid/,
    /such as claude,codex/,
  ],
  [
    'an agent and a chain',
    [...RUN, '--chain', 'scripted'],
    /--agent and --chain cannot be used together/,
    /the chain already names the first agent/,
  ],
  ['an empty gate', [...RUN, '--gate', ''], /The gate "" is not a command/, /--gate "npm test"/],
  [
    'a gate with an open quote',
    [...RUN, '--gate', 'sh -c "x'],
    /a quote is not closed/,
    /--gate "npm test"/,
  ],
  [
    'a target without a role',
    [...RUN, '--target', 'a.txt'],
    /--target requires --role/,
    /supervisor roles/,
  ],
  [
    'two ways to leave the run',
    [...RUN, '-d', '--foreground'],
    /--detach and --foreground cannot be used together/,
    /the owner would end with this command/,
  ],
  [
    'output of a detached run',
    [...RUN, '-d', '--follow'],
    /--detach and --follow/,
    /supervisor attach RUN/,
  ],
  [
    'an apply that would be too early',
    [...RUN, '-d', '--apply'],
    /they need the end of the run/,
    /supervisor apply RUN/,
  ],
];

/** Names of things that do not exist: exit code 2. */
const ABSENT: readonly ClumsyRow[] = [
  ...[
    'status',
    'attach',
    'logs',
    'diff',
    'apply',
    'discard',
    'stop',
    'kill',
    'pause',
    'resume',
    'why',
  ].map((command): ClumsyRow => [
    `${command} of a run that does not exist`,
    [command, 'deadbeef00'],
    /There is no run deadbeef00/,
    /supervisor status --all/,
  ]),
  [
    'the beginning of no id',
    ['stop', '0'],
    /no run whose id begins with 0/,
    /supervisor status --all/,
  ],
  [
    'a message to an unknown agent',
    ['send', 'docs', 'hi'],
    /no agent "docs"/,
    /supervisor tree --all/,
  ],
  [
    'a role with a typo',
    [...RUN, '--role', 'implementor'],
    /"implementor"/,
    /did you mean "implementer"/,
  ],
  [
    'a target that is not there',
    [...RUN, '--role', 'implementer', '-t', 'no.ts'],
    /no file "no\.ts"/,
    /relative to the project/,
  ],
  [
    'a target outside',
    [...RUN, '--role', 'implementer', '-t', '/etc/passwd'],
    /outside the project/,
    /Name a file inside \//,
  ],
];

/** Refused because of the state of runs and agents: exit code 1. */
const NOT_NOW: readonly ClumsyRow[] = [
  [
    'a cooldown of no agent',
    ['cooldowns', 'clear', 'foo'],
    /"foo" is not cooling down/,
    /No agent is cooling down/,
  ],
];

/** Refused because nothing could prove the work: exit code 3. */
const UNPROVEN: readonly ClumsyRow[] = ['--require-gate', '--apply'].map((option): ClumsyRow => [
  `${option} without a gate`,
  [...RUN, option],
  /This run has no gate, so nothing could verify its work/,
  /Add a gate, such as --gate "npm test"/,
]);

describeClumsyRows(
  'a value that can not be used',
  new Map([
    [2, [...MISTYPED, ...ABSENT]],
    [1, NOT_NOW],
    [3, UNPROVEN],
  ]),
);
