/** The documents that each command prints with `--json`. A test compares the list with the commands. */
import type { Command } from 'commander';
import type { DocumentName } from '../public-json/documents.ts';

/** Every command may also print an error. */
export const JSON_OUTPUT: Readonly<Record<string, readonly DocumentName[]>> = {
  run: ['run-result', 'events', 'status', 'preflight'],
  'start-task': ['run-result', 'status', 'preflight'],
  resume: ['run-result', 'events', 'status'],
  fork: ['run-result', 'events', 'status'],
  checkpoints: ['checkpoints'],
  attach: ['events', 'run-result'],
  wait: ['status'],
  plan: ['plan'],
  status: ['status'],
  'runs list': ['status'],
  'runs prune': ['prune'],
  stop: ['status'],
  kill: ['status'],
  'retry-now': ['status'],
  next: ['status'],
  pause: ['status'],
  unpause: ['status'],
  answer: ['status'],
  approvals: ['approvals'],
  approve: ['status'],
  edit: ['edit', 'status'],
  comment: ['status'],
  inbox: ['inbox'],
  events: ['events'],
  logs: ['logs', 'model-calls'],
  diff: ['diff'],
  apply: ['apply'],
  discard: ['discard'],
  'complete-task': ['task-completion'],
  rollback: ['rollback'],
  artifacts: ['artifacts'],
  why: ['why'],
  report: ['report', 'steps-report'],
  'cooldowns list': ['cooldowns'],
  'cooldowns clear': ['cooldowns'],
  'breakers list': ['breakers'],
  'breakers reset': ['breakers'],
  'prices show': ['prices'],
  'prices set': ['prices'],
  'prices unset': ['prices'],
  'prices update': ['prices-update'],
  'prices check': ['prices-check'],
  spawn: ['agent'],
  send: ['agent'],
  reject: ['agent', 'status'],
  dismiss: ['agent'],
  tree: ['tree'],
  'approver list': ['approvers'],
  'approver add': ['approver'],
  'approver remove': ['approvers'],
  trust: ['trust', 'trusted'],
  init: ['init'],
  'roles list': ['roles'],
  'roles show': ['role-fields'],
  'roles validate': ['roles-check'],
  ablate: ['ablation'],
  'workflow list': ['workflows'],
  'workflow show': ['workflow-steps'],
  'workflow validate': ['workflows-check'],
  context: ['context'],
  config: ['settings'],
  schema: ['schemas'],
  'sandbox check': ['sandbox-check'],
  'agents list': ['agents'],
  'agents check': ['agents-check'],
  classify: ['classify'],
  doctor: ['doctor'],
  up: ['owner'],
  down: ['down'],
  'owner status': ['owner'],
  'owner stop': ['down'],
  'owner service': ['owner-service'],
  version: ['version'],
};

/** Adds a line to the help of each command that prints JSON. */
export function describeJsonOutput(commands: readonly Command[], path = ''): void {
  for (const command of commands) {
    const name = `${path}${command.name()}`;
    const documents = JSON_OUTPUT[name] ?? [];
    if (documents.length > 0)
      command.addHelpText(
        'after',
        `\nJSON: ${documents.join(', ')}. See a schema with: supervisor schema ${documents[0]}`,
      );
    describeJsonOutput(command.commands, `${name} `);
  }
}
