/** The questions about money that a run puts to a person, and what the answers mean. */
import type { Input } from '../commands.ts';

/**
 * What an answer about money means. `retry`: a price has been set, so try again. `cap`: limit tokens instead of money.
 * Null: the answer is unclear.
 */
export function readBudgetAnswer(answer: string): 'continue' | 'retry' | 'cap' | 'stop' | null {
  const word = answer.trim().toLowerCase();
  if (['continue', 'yes', 'y'].includes(word)) return 'continue';
  if (['stop', 'no', 'n'].includes(word)) return 'stop';
  return word === 'retry' || word === 'cap' ? word : null;
}

/** Whether an answer lets a run continue that a budget has stopped. */
export function isContinueAnswer(answer: string): boolean {
  return readBudgetAnswer(answer) === 'continue';
}

/** Whether an answer lets a run continue that an unknown price has stopped. */
export function isPriceAnswer(answer: string): boolean {
  const meaning = readBudgetAnswer(answer);
  return meaning !== null && meaning !== 'stop';
}

/** The valid answers to a question about money. No other question has both `continue` and `stop`. */
export const BUDGET_CHOICES = {
  spent: ['continue', 'stop'],
  'price-unknown': ['retry', 'cap', 'continue', 'stop'],
} as const;

export function isMoneyQuestion({ issue, choices = [] }: Input<'ask'>): boolean {
  return issue === undefined && BUDGET_CHOICES.spent.every((choice) => choices.includes(choice));
}
