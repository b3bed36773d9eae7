/** The commands in the groups of the general help. `command-line.ts` does not compile if a command is missing here. */

const TITLES = {
  start: 'Start:',
  look: 'Look:',
  result: 'Use the result:',
  control: 'Control a run:',
  agents: 'Long-lived agents:',
  setUp: 'Set up:',
  owner: 'The owner process:',
} as const;

type Group = keyof typeof TITLES;

/** In the order of the help. */
const COMMAND_GROUPS = {
  init: 'start',
  run: 'start',
  plan: 'start',
  doctor: 'start',
  status: 'look',
  attach: 'look',
  logs: 'look',
  why: 'look',
  report: 'look',
  inbox: 'look',
  events: 'look',
  cooldowns: 'look',
  diff: 'result',
  apply: 'result',
  discard: 'result',
  artifacts: 'result',
  runs: 'result',
  answer: 'control',
  stop: 'control',
  kill: 'control',
  resume: 'control',
  pause: 'control',
  unpause: 'control',
  next: 'control',
  'retry-now': 'control',
  spawn: 'agents',
  send: 'agents',
  reject: 'agents',
  dismiss: 'agents',
  tree: 'agents',
  trust: 'setUp',
  config: 'setUp',
  agents: 'setUp',
  prices: 'setUp',
  roles: 'setUp',
  context: 'setUp',
  sandbox: 'setUp',
  schema: 'setUp',
  classify: 'setUp',
  completion: 'setUp',
  man: 'setUp',
  up: 'owner',
  down: 'owner',
  owner: 'owner',
  version: 'owner',
} as const satisfies Readonly<Record<string, Group>>;

export type CommandName = keyof typeof COMMAND_GROUPS;

export const COMMAND_NAMES = Object.keys(COMMAND_GROUPS) as readonly CommandName[];

/** The heading above a command. */
export function groupTitle(name: CommandName): string {
  return TITLES[COMMAND_GROUPS[name]];
}
