import { shellWord } from '../../base/shell-words.ts';

/** The command that sets the price of a model. Without a name, as in older journals, it says where the name goes. */
export function setPriceCommand(model?: string): string {
  const name = model === undefined ? 'MODEL' : shellWord(model);
  return `supervisor prices set ${name} --input USD --output USD`;
}
