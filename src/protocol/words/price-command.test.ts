import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPriceCommand } from './price-command.ts';

const cases: [why: string, model: string | undefined, command: string][] = [
  ['names the model', 'house-model', 'supervisor prices set house-model --input USD --output USD'],
  ['quotes it for a shell', 'a model', "supervisor prices set 'a model' --input USD --output USD"],
  ['says where a name goes', undefined, 'supervisor prices set MODEL --input USD --output USD'],
];
for (const [why, model, command] of cases)
  test(`the command that sets a price ${why}`, () => {
    assert.equal(setPriceCommand(model), command);
  });
