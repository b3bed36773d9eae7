/** The options with which `resume` changes what ended a run. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { defined } from '../../base/defined.ts';
import type { ResumeChanges } from '../../protocol/resume-changes.ts';
import { durationUpTo, tokens, usd } from '../options.ts';

export type ChangeOptions = {
  readonly agent?: string;
  readonly model?: string;
  readonly message?: string;
  readonly deadline?: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly budgetTime?: number;
};

export function withChangeOptions(command: Command): Command {
  return command
    .optionsGroup('What to change:')
    .option('-m, --message <text>', 'add this text to the task', text)
    .option('-a, --agent <id>', 'the agent of the next attempt', text)
    .option('--model <model>', 'the model of that agent, or of the one that worked last', text)
    .option('--deadline <duration>', 'another time limit for one attempt, such as 2h', deadlineMs)
    .option('--budget-usd <amount>', 'another cost limit; what the run has spent counts', usd)
    .option('--budget-tokens <count>', 'another limit for its tokens, likewise', tokens)
    .option('--budget-time <duration>', 'another limit for its time, such as 8h, likewise', timeMs);
}

export function changesOf(options: ChangeOptions): ResumeChanges {
  const { agent, model, message, deadline: limit, budgetUsd, budgetTokens, budgetTime } = options;
  const budgets = { budgetUsd, budgetTokens, budgetTimeMs: budgetTime };
  return defined({ agent, model, message, deadlineMs: limit, ...budgets });
}

function text(given: string): string {
  if (given.trim() !== '') return given;
  throw new InvalidArgumentError('It is empty.');
}

function deadlineMs(given: string): number {
  return durationUpTo(30, given);
}

function timeMs(given: string): number {
  return durationUpTo(365, given);
}
