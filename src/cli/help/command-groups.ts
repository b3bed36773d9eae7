/** The commands in the groups of the general help. `command-line.ts` does not compile if a command is missing here. */

const TITLES = {
  start: 'Get started:',
  watch: 'See what runs do:',
  result: 'Use the work:',
  control: 'Control a run:',
  agents: 'Keep agents running:',
  configure: 'Configure:',
  maintain: 'Maintain:',
  script: 'Write scripts and find faults:',
} as const;

type Group = keyof typeof TITLES;

/** In the order of the help. Each summary fits on a line of 80 columns; the description of a command says more. */
const COMMAND_GROUPS = {
  init: ['start', 'Set up a project: find its agents and gates, and try them'],
  doctor: ['start', 'Check this machine: what is installed, and what is missing'],
  run: ['start', 'Run a task with an agent, and watch it until it ends'],
  'start-task': ['start', 'Take a task through the workflow of the project'],
  feature: ['start', 'Build a feature: components side by side, merged one by one'],
  plan: ['start', 'Let agents plan a feature, in a file that you can edit'],
  'analyze-deps': ['start', 'Suggest dependencies in a feature, from imports of its files'],
  schedule: ['start', 'Start a run at set times, such as every night at two'],
  status: ['watch', 'List active runs and what needs you, or show some in detail'],
  top: ['watch', 'Show all runs on the whole screen, and decide what they ask'],
  dashboard: ['watch', 'Open the dashboard of all runs in your browser'],
  attach: ['watch', 'Watch a run; to leave it running, press q or Ctrl-C'],
  wait: ['watch', 'Wait until runs have ended, without showing what they do'],
  logs: ['watch', "Show what a run's agents said and did"],
  turns: ['watch', 'List the turns of a run: each tool call, and its result'],
  steering: ['watch', 'Show what goes wrong in the turns of agents, and how often'],
  watch: ['watch', 'Watch the reports of agents elsewhere in a shared folder'],
  why: ['watch', 'Explain the state of a run, and what to do next'],
  checkpoints: ['watch', 'List the steps that a workflow can continue from'],
  merges: ['watch', 'Show and hold the merge queue of a feature'],
  report: ['watch', 'Summarize recent runs: done, failed, cost, what needs you'],
  metrics: ['watch', 'Compare roles, agents and models: success, time, tokens, cost'],
  inbox: ['watch', 'List the open questions of all runs, oldest first'],
  messages: ['watch', 'List the messages to an agent, and whether it has read them'],
  approvals: ['watch', 'List the changes that wait for an approval'],
  diff: ['result', 'Show the changes of a run, without applying them'],
  apply: ['result', 'Apply the work of a run to the project: all of it, or nothing'],
  'complete-task': ['result', 'Commit the work of a task on its branch, and merge it'],
  rollback: ['result', 'Take the work of a task out of your branch or your files'],
  discard: ['result', 'Delete the workspace of a run; its work is kept on a ref'],
  artifacts: ['result', 'List the artifacts of a run, or copy them to a folder'],
  capsule: ['result', 'Write a run into one file that opens offline, or check it'],
  answer: ['control', 'Answer the question of a run'],
  approve: ['control', 'Approve the change that a workflow asks about'],
  edit: ['control', 'Change the work that a workflow asks about yourself'],
  comment: ['control', 'Send the work of a workflow back, with what has to change'],
  steer: ['control', 'Send the agent of a run a message while it works'],
  queue: ['control', 'Send an agent a message that it reads after its turn'],
  interrupt: ['control', 'Stop the turn of an agent now, and give it a message'],
  takeover: ['control', 'Take an agent over in your terminal, inside its sandbox'],
  stop: ['control', 'Stop a run; its agent gets time to exit cleanly'],
  kill: ['control', 'Kill a run and all its processes at once'],
  resume: ['control', 'Continue a run that was stopped or has failed'],
  fork: ['control', 'Start a second run of a workflow from one of its steps'],
  pause: ['control', 'Pause a run: nothing new starts, and model calls wait'],
  unpause: ['control', 'Continue a paused run'],
  next: ['control', 'Continue a run with the next agent of its chain'],
  'retry-now': ['control', 'Retry at once instead of waiting'],
  spawn: ['agents', 'Start an agent that is restarted until its task is done'],
  send: ['agents', 'Send a message to a long-lived agent'],
  reject: ['agents', 'Reject the work of an agent or of a workflow'],
  dismiss: ['agents', 'Stop a long-lived agent and its children'],
  tree: ['agents', 'Show the long-lived agents of this project'],
  config: ['configure', 'Show every setting, and where it comes from'],
  trust: ['configure', "Trust a project's .supervisor folder in its current state"],
  hook: ['configure', 'Let your own sessions of an agent CLI read messages of a watch'],
  approver: ['configure', 'Manage the people who may approve changes of high risk'],
  agents: ['configure', 'Show the agent CLIs and your own agents, and check versions'],
  roles: ['configure', 'Show and check the roles of this project, and install more'],
  ablate: ['configure', 'Compare a workflow with and without one of its steps'],
  workflow: ['configure', 'Show and check the workflows of this project'],
  context: ['configure', 'Show the files of the project that a role sees for a task'],
  prices: ['configure', 'Show and change the prices of models, for budgets'],
  sandbox: ['configure', 'Test the sandboxes of this machine, or run a command in one'],
  runs: ['maintain', 'List runs, or delete the files that old runs left'],
  cooldowns: ['maintain', 'Show which agents wait until a provider limit resets'],
  breakers: ['maintain', 'Show which steps fail too often to be started'],
  up: ['maintain', 'Start the owner and keep it running'],
  down: ['maintain', 'Shut down the owner, the background process'],
  owner: ['maintain', 'Show or stop the owner, the background process'],
  journal: ['maintain', 'Copy the journal to a file, or move it to a database and back'],
  events: ['script', 'Show the events of the journal, in order'],
  schema: ['script', "Print the JSON Schema of a file or of a command's output"],
  classify: ['script', 'Show how Supervisor classifies the end of an agent'],
  completion: ['script', 'Print a script that completes commands in your shell'],
  man: ['script', 'Print the manual page, in the format of man'],
  version: ['script', 'Print the version of Supervisor'],
} as const satisfies Readonly<Record<string, readonly [group: Group, summary: string]>>;

export type CommandName = keyof typeof COMMAND_GROUPS;

export const COMMAND_NAMES = Object.keys(COMMAND_GROUPS) as readonly CommandName[];

/** The heading above a command. */
export function groupTitle(name: CommandName): string {
  return TITLES[COMMAND_GROUPS[name][0]];
}

/** What the general help says about a command. */
export function commandSummary(name: CommandName): string {
  return COMMAND_GROUPS[name][1];
}
