/** What a person is asked when a budget is spent, or when a price is unknown. */
import type { ClassifiedFailure } from '../protocol/contracts/attempt-contract.ts';
import { BUDGET_CHOICES } from '../protocol/views/money-question.ts';
import { setPriceCommand } from '../protocol/words/price-command.ts';

/** The question to a person, and the valid answers. */
export function askAboutBudget({
  reason,
  message,
  model,
}: Pick<ClassifiedFailure, 'reason' | 'message' | 'model'>): {
  readonly question: string;
  readonly choices: readonly string[];
} {
  if (reason !== 'price_unknown')
    return { question: `${message}. Answer continue or stop.`, choices: BUDGET_CHOICES.spent };
  return {
    question: `${message}. ${priceChoices(model)}`,
    choices: BUDGET_CHOICES['price-unknown'],
  };
}

function priceChoices(model: string | undefined): string {
  return (
    `No budget is spent. Set the price with: ${setPriceCommand(model)}, then answer retry. ` +
    'Or answer cap with --budget-tokens N to limit tokens instead, continue to work without counting the cost, or stop.'
  );
}
