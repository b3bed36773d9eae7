/** What a command begins to do, in one line. */
import { describeCommand } from '../../base/shell-words.ts';
import type { CommandBegun, Input } from '../../protocol/commands.ts';

export function describeBegun({ key, command, input }: CommandBegun): string {
  switch (command) {
    case 'wait':
      return `${key}: waiting until ${new Date(input.until).toISOString()} (${input.why})`;
    case 'ask':
      return `${key}: question: ${input.question}`;
    case 'check-availability':
      return `${key} checks which agents are available`;
    case 'set-cooldown':
      return `${key}: ${input.agent} is cooling down until ${input.until} (${input.reason})`;
    case 'broadcast':
      return `${key}: sends ${input.answer} to all the others`;
    case 'send-message':
      return `${key}: message to ${input.to}: ${input.text}`;
    case 'deliver-message':
      return `${key}: delivers message ${input.message.id} to ${input.attempt}`;
    case 'claim-item':
      return `${key} reads the queue ${input.dir}`;
    case 'release-item':
      return input.to === 'done'
        ? `${key}: marks ${String(input.name)} as done`
        : `${key}: returns ${input.name ?? 'the claimed file'} to the queue`;
    case 'attempt':
      return `${key} begins with ${input.agent.id}${whoseTerminal(input.why)}`;
    case 'setup':
      return `${key}: ${describeCommand(input.command)}`;
    case 'run':
      return `${key} starts run ${input.run}`;
    case 'prepare-step':
      return `${key} prepares step ${input.step} for role ${input.role}`;
    case 'collect-step':
      return `${key} reads what run ${input.run} has left`;
    case 'update-breaker':
      return `${key}: the circuit breaker of step ${input.step} counts that it ${input.result}`;
    case 'assess-change':
      return `${key} assesses the risk of the work`;
    case 'write-interfaces':
      return `${key} writes ${input.files.map(({ path }) => path).join(', ')}`;
    case 'merge-work':
      return `${key} combines the work of run ${input.work.run} with what has landed`;
    case 'commit-work':
      return input.branch === null
        ? `${key} commits the work`
        : `${key} commits the work on branch ${input.branch}`;
    case 'gate':
    case 'baseline':
    case 'open-base':
    case 'finalize':
      return `${key} begins`;
  }
}

function whoseTerminal(why: Input<'attempt'>['why']): string {
  if (why.kind !== 'takeover') return '';
  return why.shell === true
    ? ': a shell in the terminal of a person'
    : ' in the terminal of a person';
}
