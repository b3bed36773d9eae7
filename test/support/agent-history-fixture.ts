/** Describes the moves of a long-lived agent, and how its lives end, in short sentences. */
import type { Json } from '../../src/base/json.ts';
import type { Move } from '../../src/engine/program.ts';
import type { AgentStatus } from '../../src/agents/agent-status.ts';
import { START_MS } from './drive-attempts.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';
import type { GateInput } from '../../src/protocol/contracts/gate-contract.ts';
import type { ReleaseItemInput, MessageInput } from '../../src/protocol/commands.ts';

/** Null: a move that every agent makes and no test asks about. */
export function describeMove(
  move: Move,
  input: Record<string, Json>,
  namesModel: boolean,
): string | null {
  if (move.kind === 'ask') return `asks: ${move.question}`;
  if (move.kind === 'wait') return `rests until ${(move.until - START_MS) / 1000} s`;
  if (move.kind !== 'perform') return null;
  switch (move.command) {
    case 'attempt': {
      const { resume, tree, agent } = input as unknown as AttemptInput;
      const session = typeof resume === 'string' ? ` in ${resume}` : '';
      const fresh = tree === 1 ? '' : ` on tree ${tree}`;
      const model = namesModel ? ` with ${agent.model}` : '';
      return `turn${session}${fresh}${model}`;
    }
    case 'gate':
      return `checks ${(input as unknown as GateInput).name}`;
    case 'send-message':
      return `tells ${(input as unknown as MessageInput).to}: ${textIn(input, 'text')}`;
    case 'release-item': {
      const { name, to } = input as unknown as ReleaseItemInput;
      return to === 'done' ? `marks ${name} done` : `returns ${name}`;
    }
    case 'broadcast':
      return `broadcasts ${textIn(input, 'answer')} of ${textIn(input, 'of')}`;
    case 'claim-item':
      return 'looks into its queue';
    case 'finalize':
    case 'check-availability':
      return null;
    case 'set-cooldown':
    case 'deliver-message':
    case 'setup':
    case 'baseline':
    case 'prepare-step':
    case 'collect-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'commit-work':
      return move.command;
  }
}

export function textIn(input: Record<string, Json>, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

export function describeExitOf(exit: NonNullable<AgentStatus['exit']>): string {
  switch (exit.kind) {
    case 'failed':
      return `failed: ${exit.reason}`;
    case 'shutdown':
      return `shutdown: ${exit.detail ?? ''}`;
    case 'normal':
    case 'killed':
      return exit.kind;
  }
}
