import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAboutBudget } from './budget-question.ts';

test('the question about an unknown price has a command that can be typed as it is', () => {
  const { question } = askAboutBudget({
    reason: 'price_unknown',
    message: 'The price of house-model is unknown',
    model: 'house-model',
  });
  assert.match(question, /supervisor prices set house-model --input USD --output USD, then answer/);
});
