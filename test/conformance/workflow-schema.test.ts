/** The published schema of workflow files must agree with the reader that decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { isRefusal } from '../../src/base/errors.ts';
import { workflowJsonSchema } from '../../src/settings/file-schemas.ts';
import { loadWorkflowText } from '../support/workflow-files-fixture.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const validator = z.fromJSONSchema(workflowJsonSchema() as Schema);

/** Its parent has two steps. */
async function readerAccepts(document: object): Promise<boolean> {
  const texts = {
    'p/parent.yaml': 'steps: {work: {role: implementer, next: end}, end: {kind: commit}}',
    'p/a.yaml': JSON.stringify({ extends: 'parent', ...document }),
  };
  try {
    await loadWorkflowText('a', texts);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

const step = (fields: object): object => ({ steps: { work: fields } });

describe('the schema for editors and the reader agree', () => {
  const cases: [why: string, document: object, good: boolean][] = [
    ['nothing', {}, true],
    ['a note', { 'x-note': 1, steps: { 'x-note': 2, work: { 'x-note': 3 } } }, true],
    ['a value that is removed', step({ timeout: null }), true],
    ['a list that is replaced', { disable: { replace: [] } }, true],
    ['a name of a policy', step({ retry_policy: 'aggressive' }), true],
    ['a policy in keys', step({ retry_policy: { max_attempts: 2, on_failure: 'degrade' } }), true],
    ['outputs as a list', step({ outputs: ['status'] }), true],
    ['outputs by path', step({ outputs: { how: 'status' } }), true],
    ['a time with a unit', step({ timeout: '5m' }), true],
    ['every setting', { settings: { parallel_reviews: false, audit_trail: true } }, true],
    ['limits', { limits: { workflow_max_steps: 20, step_timeout: '1h' } }, true],
    ['token budgets', { limits: { default_token_budget: 20_000, max_token_budget: 50_000 } }, true],
    ['a token budget that is too large', { limits: { max_token_budget: 50_001 } }, false],
    ['an unknown key', { stepps: {} }, false],
    ['an unknown key of a step', step({ rolle: 'x' }), false],
    ['a step with a bad name', { steps: { 'A b': {} } }, false],
    ['a setting that is no flag', { settings: { auto_pr: 'yes' } }, false],
    ['a journal that is turned off', { settings: { audit_trail: false } }, false],
    ['a time without a meaning', step({ timeout: 'soon' }), false],
    ['too many steps', { limits: { workflow_max_steps: 501 } }, false],
    ['a position that is none', step({ position: 'near end' }), false],
  ];
  for (const [why, document, good] of cases)
    test(`${why}: ${good ? 'accepted' : 'refused'}`, async () => {
      const bySchema = validator.safeParse(document).success;
      assert.deepEqual([bySchema, await readerAccepts(document)], [good, good]);
    });
});
